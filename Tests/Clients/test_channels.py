"""Channels and broadcasts, by HTTP/2 requests as Apple's pages have them, and as APNSwift makes them."""

import base64
import json
import signal
import time
import unittest

import httpx

from Tests.Clients.libraries import APNSWIFT_CHANNELS, APNSWIFT_FIELDS
from Tests.support.appliance import Appliance, new_id
from Tests.support.http2_wire import client_context
from Tests.support.project import PATIENCE_SECONDS, free_port

APP = "com.example.match"
MANIFEST = f"id: {APP}\nname: Match\nbroadcast: true\n"
NEW = {"message-storage-policy": 1, "push-type": "LiveActivity"}


def state(home, event="update", at=None):
    return {"aps": {"timestamp": int(time.time()) if at is None else at, "event": event, "content-state": {"home": home}}}


class Match(Appliance):
    """A daemon with an app whose activities are subscribed to channels."""

    manifest = MANIFEST

    def prepare(self):
        self.token = self.install(self.bundle(self.manifest), APP)
        self.add_provider(APP)

    def provider(self, port=None):
        return httpx.Client(
            http2=True, verify=client_context(self.ca), base_url=f"https://localhost:{port or self.port}",
            timeout=PATIENCE_SECONDS, headers={"authorization": f"bearer {self.bearer()}"})

    def start_activity(self, channel):
        """Starts an activity by a push that subscribes it to the channel."""
        start = state(0, "start")
        start["aps"] |= {
            "attributes-type": "Match", "attributes": {}, "input-push-channel": channel,
            "alert": {"title": "Match", "body": "It begins"}}
        self.push(start, topic=f"{APP}.push-type.liveactivity", headers={"apns-push-type": "liveactivity"})

    def homes(self):
        """Returns the state of each activity."""
        return [activity["content"]["home"] for activity in self.ask("/v1/activities")]


def make(provider, policy=1):
    answer = provider.post(f"/1/apps/{APP}/channels", json={**NEW, "message-storage-policy": policy})
    assert answer.status_code == 201 and answer.content == b"", answer
    return answer.headers["apns-channel-id"]


def broadcast(provider, channel, payload, expiration=0, **headers):
    return provider.post(
        f"/4/broadcasts/apps/{APP}", content=json.dumps(payload),
        headers={"apns-channel-id": channel, "apns-push-type": "liveactivity", "apns-priority": "10",
                 "apns-expiration": str(expiration), **headers})


class ChannelTests(unittest.TestCase):
    def setUp(self):
        self.appliance = self.enterContext(Match(board=None, wav=False))
        self.provider = self.enterContext(self.appliance.provider())

    def test_a_broadcast_changes_the_activities_that_are_subscribed(self):
        channel, other = make(self.provider), make(self.provider)
        self.assertEqual(len(base64.b64decode(channel, validate=True)), 16)
        self.appliance.start_activity(channel)
        self.appliance.start_activity(other)
        identifier = new_id()
        answer = broadcast(self.provider, channel, state(2), **{"apns-request-id": identifier})
        self.assertEqual((answer.status_code, answer.content), (200, b""))
        self.assertEqual(answer.headers["apns-request-id"], identifier)
        self.assertNotIn("apns-id", answer.headers)
        # It is there when the provider has its answer.
        self.assertEqual(sorted(self.appliance.homes()), [0, 2])
        listed = {entry["channel"]: entry for entry in self.appliance.report("channel", "list")}
        self.assertEqual((listed[channel]["published"], listed[channel]["delivered"]), (1, 1))
        self.assertEqual((listed[channel]["subscriptions"], listed[other]["subscriptions"]), (1, 1))
        metrics = self.appliance.run("metrics")
        self.assertIn(f'deskbell_broadcasts_published_total{{app="{APP}"}} 1\n', metrics)
        self.assertIn(f'deskbell_channel_subscriptions{{app="{APP}"}} 2\n', metrics)

    def test_channels_outlive_kill_and_a_deleted_one_is_gone(self):
        kept, deleted = make(self.provider), make(self.provider, 0)
        answer = self.provider.delete(f"/1/apps/{APP}/channels", headers={"apns-channel-id": deleted})
        self.assertEqual((answer.status_code, answer.content), (204, b""))
        self.appliance.kill()
        self.appliance.start(self.appliance.port)
        with self.appliance.provider() as provider:
            listed = provider.get(f"/1/apps/{APP}/all-channels")
            self.assertEqual((listed.status_code, listed.json()), (200, {"channels": [kept]}))
            read = provider.get(f"/1/apps/{APP}/channels", headers={"apns-channel-id": kept})
            self.assertEqual((read.status_code, read.json()), (200, NEW))
            answer = broadcast(provider, deleted, state(1))
            self.assertEqual((answer.status_code, answer.json()), (400, {"reason": "ChannelNotRegistered"}))

    def test_an_offline_handset_gets_the_newest_of_a_channel_that_stores(self):
        stored, unstored = make(self.provider), make(self.provider, 0)
        self.appliance.start_activity(stored)
        self.appliance.start_activity(unstored)
        self.appliance.run("conditions", "offline", "on")
        later = int(time.time()) + 60
        for home in (1, 2):
            self.assertEqual(broadcast(self.provider, stored, state(home), later).status_code, 200)
            self.assertEqual(broadcast(self.provider, unstored, state(home)).status_code, 200)
        answer = broadcast(self.provider, unstored, state(3), later)
        self.assertEqual((answer.status_code, answer.json()), (400, {"reason": "BadExpirationDate"}))
        self.assertEqual(self.appliance.homes(), [0, 0])
        self.appliance.run("conditions", "offline", "off")
        self.assertEqual(sorted(self.appliance.homes()), [0, 2])

    def test_a_refusal_is_an_event_that_says_why(self):
        before = self.appliance.last_sequence()
        answer = broadcast(self.provider, "bm9uZQ==", state(1))
        self.assertEqual((answer.status_code, answer.json()), (400, {"reason": "ChannelNotRegistered"}))
        event = self.appliance.wait_for_event(lambda event: event["event"] == "refused", before)
        self.assertEqual((event["status"], event["reason"], event["app"]), (400, "ChannelNotRegistered", APP))

    def test_by_the_command(self):
        channel = self.appliance.run("channel", "create", APP, "--store").strip()
        self.appliance.start_activity(channel)
        path = self.appliance.folder / "goal.json"
        path.write_text(json.dumps(state(4)))
        self.appliance.run("channel", "publish", APP, channel, path)
        self.assertEqual(self.appliance.homes(), [4])
        self.assertEqual(self.appliance.report("channel", "read", APP, channel)["policy"], 1)
        self.appliance.run("channel", "delete", APP, channel)
        self.assertIn("no such channel", self.appliance.refusal("channel", "read", APP, channel))

    def test_apnswift(self):
        for version, calls in APNSWIFT_CHANNELS.items():
            channel = ""
            for call in calls:
                with self.subTest(version, call=call.what):
                    fields = {name: value.format(channel=channel) for name, value in APNSWIFT_FIELDS + call.fields}
                    answer = self.provider.request(
                        call.method, f"/1/apps/{APP}" + call.path.format(channel=channel), content=call.body.encode(),
                        headers={**fields, "apns-request-id": new_id().lower()})
                    reason = answer.json().get("reason") if answer.content else None
                    self.assertEqual((answer.status_code, reason), (call.status, call.reason))
                    channel = answer.headers.get("apns-channel-id", channel)


class WithoutFeature(Match):
    manifest = MANIFEST.replace("broadcast: true\n", "")


class FeatureTest(unittest.TestCase):
    def test_without_broadcast_in_the_manifest_there_is_none(self):
        appliance = self.enterContext(WithoutFeature(board=None, wav=False))
        provider = self.enterContext(appliance.provider())
        answer = provider.post(f"/1/apps/{APP}/channels", json=NEW)
        self.assertEqual((answer.status_code, answer.json()), (400, {"reason": "FeatureNotEnabled"}))
        # A new bundle has it, from its installation on.
        appliance.run("app", "install", appliance.bundle(MANIFEST, name="newer"))
        make(provider)


class OwnPortTest(unittest.TestCase):
    def test_a_port_of_its_own_manages_channels_and_nothing_else(self):
        port = free_port()
        appliance = self.enterContext(
            Match(board=None, wav=False, settings=f'channels: "127.0.0.1:{port}"\n'))
        self.assertEqual(appliance.report("state")["channelsAddress"], f"127.0.0.1:{port}")
        provider = self.enterContext(appliance.provider(port))
        channel = make(provider)
        answer = broadcast(provider, channel, state(1))
        self.assertEqual((answer.status_code, answer.json()), (404, {"reason": "BadPath"}))
        with appliance.provider() as pushes:
            self.assertEqual(broadcast(pushes, channel, state(1)).status_code, 200)
        appliance.process.send_signal(signal.SIGTERM)
        self.assertEqual(appliance.process.wait(PATIENCE_SECONDS), 0)


if __name__ == "__main__":
    unittest.main()
