"""Channels of a fleet: made at a gateway, known to every gateway, and broadcast to each desk that has the app."""

import json
import time
import unittest

import httpx

from Tests.Clients.test_channels import APP, MANIFEST, NEW, broadcast, make, state
from Tests.Fleet.rig import FleetCase
from Tests.support.appliance import new_id
from Tests.support.http2_wire import client_context
from Tests.support.project import PATIENCE_SECONDS


class ChannelCase(FleetCase):
    handsets = {"kitchen": 2, "hall": 1}
    apps = (APP,)

    def prepare(self):
        self.kitchen, self.hall = self.desks
        for desk in self.desks:
            bundle = desk.bundle(MANIFEST, name="match")
            for handset in sum(desk.handsets.values(), []):
                desk.run("app", "install", bundle, "--handset", handset)
        return super().prepare()

    def setUp(self):
        super().setUp()
        self.provider = self.enterContext(self.connect(self.gateway))
        # The gateway learns of the desks' apps.
        self.eventually(lambda: self.provider.get(f"/1/apps/{APP}/all-channels").status_code == 200)

    def connect(self, gateway):
        return httpx.Client(
            http2=True, verify=client_context(gateway.ca), base_url=f"https://localhost:{gateway.port}",
            timeout=PATIENCE_SECONDS, headers={"authorization": f"bearer {gateway.bearer()}"})

    def eventually(self, condition):
        deadline = time.monotonic() + PATIENCE_SECONDS
        while not condition():
            self.assertLess(time.monotonic(), deadline)

    def start_activities(self, channel):
        for token in self.tokens.values():
            start = state(0, "start")
            start["aps"] |= {
                "attributes-type": "Match", "attributes": {}, "input-push-channel": channel,
                "alert": {"title": "Match", "body": "It begins"}}
            self.push(json.dumps(start), token=token, topic=f"{APP}.push-type.liveactivity",
                      headers={"apns-push-type": "liveactivity"})
        for desk in self.desks:
            self.eventually(lambda: len(self.homes(desk)) == len(desk.handsets[desk.names[0]]))

    def homes(self, desk):
        return [activity["content"]["home"]
                for handset in sum(desk.handsets.values(), [])
                for activity in desk.ask(f"/v1/handsets/{handset}/activities")]


class ChannelTests(ChannelCase):
    def test_a_broadcast_reaches_every_handset_of_every_desk(self):
        channel = make(self.provider)
        self.start_activities(channel)
        identifier = new_id()
        answer = broadcast(self.provider, channel, state(2), **{"apns-request-id": identifier})
        self.assertEqual((answer.status_code, answer.headers["apns-request-id"]), (200, identifier))
        self.eventually(lambda: self.homes(self.kitchen) == [2, 2] and self.homes(self.hall) == [2])

    def test_another_gateway_knows_the_channels(self):
        channel = make(self.provider)
        self.fleet.add("back", gateway=True)
        back = self.fleet.gateway("back", self.kitchen.key)
        with self.connect(back) as provider:
            self.eventually(lambda: provider.get(f"/1/apps/{APP}/all-channels").status_code == 200)
            self.assertEqual(provider.get(f"/1/apps/{APP}/all-channels").json(), {"channels": [channel]})
            read = provider.get(f"/1/apps/{APP}/channels", headers={"apns-channel-id": channel})
            self.assertEqual(read.json(), NEW)
            self.assertEqual(
                provider.delete(f"/1/apps/{APP}/channels", headers={"apns-channel-id": channel}).status_code, 204)
        self.eventually(
            lambda: self.provider.get(f"/1/apps/{APP}/all-channels").json() == {"channels": []})

    def test_a_desk_that_was_killed_takes_what_was_stored_once(self):
        channel = make(self.provider)
        self.start_activities(channel)
        self.hall.kill()
        answer = broadcast(self.provider, channel, state(3), int(time.time()) + 3_600)
        self.assertEqual(answer.status_code, 200)
        self.hall.start()
        self.eventually(lambda: self.homes(self.hall) == [3])
        identifier = answer.headers["apns-request-id"]
        self.hall.kill()
        self.hall.start()
        self.hall.wait_for_log("works")
        accepted = [
            event for event in self.hall.handset_events("hall-1")
            if event["event"] == "accepted" and event.get("push", "").lower() == identifier.lower()]
        self.assertEqual(len(accepted), 1)

    def test_an_app_that_no_desk_has_with_broadcasts_has_no_channels(self):
        for desk in self.desks:
            bundle = desk.bundle(MANIFEST.replace("broadcast: true\n", ""), name="plain")
            for handset in sum(desk.handsets.values(), []):
                desk.run("app", "install", bundle, "--handset", handset)
        self.eventually(lambda: self.provider.get(f"/1/apps/{APP}/all-channels").status_code == 400)
        answer = self.provider.get(f"/1/apps/{APP}/all-channels")
        self.assertEqual(answer.json(), {"reason": "FeatureNotEnabled"})


if __name__ == "__main__":
    unittest.main()
