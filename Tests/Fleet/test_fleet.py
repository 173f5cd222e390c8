"""One fleet, its gateways and its desks: the outcome of a push in each kind of failure."""

import json
import ssl
import subprocess
import time
import unittest
import urllib.request

from Tests.Fleet.administrator import as_admin, ask
from Tests.Fleet.rig import NEWS, Fleet
from Tests.Fleet.storm import wait_for_tokens
from Tests.support import certificates
from Tests.support.appliance import APP, new_id
from Tests.support.project import PATIENCE_SECONDS


def alert(text="A letter", **aps):
    return json.dumps({"aps": {"alert": text, **aps}})


class OneDesk(unittest.TestCase):
    """One gateway, one desk with one handset."""

    nodes = 1

    def setUp(self):
        self.fleet = self.enterContext(Fleet(self.nodes))
        self.fleet.add("kitchen")
        self.fleet.add("front", gateway=True)
        self.desk = self.fleet.desk("kitchen")
        self.handset = "kitchen-1"
        self.tokens = self.desk.install(APP, NEWS)
        self.token = self.tokens[self.handset, APP]
        self.desk.wait_for_log("fleet kitchen: works")
        self.gateway = self.fleet.gateway("front")
        self.gateway.key = self.desk.key
        self.gateway.wait_for_log("knows")

    def push(self, payload=None, status=200, **words):
        words.setdefault("token", self.token)
        headers = {"apns-id": words.pop("id", None) or new_id(), **words.pop("headers", {})}
        found, body, answered = self.gateway.curl(payload or alert(), headers=headers, **words)
        self.assertEqual(found, status, (body, self.gateway.errors, self.desk.errors))
        self.assertEqual(answered["apns-id"], headers["apns-id"])
        return headers["apns-id"], body

    def outcomes(self, id):
        """Returns the desk's events of a push: their names, with the reason if there is one."""
        return [
            (event["event"], event["reason"]) if "reason" in event else event["event"]
            for event in self.desk.handset_events(self.handset) if event.get("push", "").lower() == id.lower()]

    def wait_for(self, id, *names):
        self.desk.wait_for_event(
            lambda event: event.get("push", "").lower() == id.lower() and event["event"] in names)


class FleetTest(OneDesk):
    def test_a_provider_that_was_removed_while_the_servers_were_away_is_refused(self):
        self.push()
        node = self.fleet.nodes[0]
        node.kill()
        self.desk.run("provider", "remove", "tests")
        self.desk.stop()
        node.start()
        node.wait_for("Server is ready")
        self.desk.start()
        deadline = time.monotonic() + PATIENCE_SECONDS
        status = None
        # The gateway reads the registry again, and the desk corrects it.
        while status in (None, 200, 503) and time.monotonic() < deadline:
            status, body, _ = self.gateway.curl(alert(), token=self.token)
        self.assertEqual((status, (body or {}).get("reason")), (403, "InvalidProviderToken"))

    def test_a_push_rings_and_is_answered_as_by_one_desk(self):
        id, _ = self.push()
        self.wait_for(id, "presented")
        self.assertEqual(self.outcomes(id)[:2], ["accepted", "presented"])
        # The same push again is stored once.
        self.push(id=id)
        last, _ = self.push(alert("the last"))
        self.wait_for(last, "presented")
        self.assertEqual(self.outcomes(id).count("accepted"), 1)
        self.assertNotIn("duplicate", self.outcomes(id))
        _, body = self.push(token="00" * 32, status=400)
        self.assertEqual(body, {"reason": "BadDeviceToken"})
        _, body = self.push(token=self.tokens[self.handset, NEWS], status=400)
        self.assertEqual(body, {"reason": "DeviceTokenNotForTopic"})
        status, body, _ = self.gateway.curl(alert(), token=self.token, bearer=self.gateway.bearer(kid="KEY0000000"))
        self.assertEqual((status, body), (403, {"reason": "InvalidProviderToken"}))
        # A push with a single attempt arrives too, while the desk is there.
        once, _ = self.push(headers={"apns-expiration": "0"})
        self.wait_for(once, "presented")

    def test_a_token_that_is_gone_is_answered_410(self):
        before = int(time.time() * 1_000)
        self.desk.run("app", "unregister", APP)
        self.desk.wait_for_event(lambda event: event["event"] == "unregistered")
        # The registry is updated soon after the desk.
        while (answer := self.gateway.curl(alert(), token=self.token))[0] == 200:
            pass
        status, body, _ = answer
        self.assertEqual((status, body["reason"]), (410, "Unregistered"))
        self.assertTrue(before <= body["timestamp"] <= int(time.time() * 1_000), body)

    def test_only_the_newest_of_each_app_outlives_an_absence(self):
        # Rule F1
        self.desk.kill()
        ids = [self.push(alert(f"letter {number}"))[0] for number in range(3)]
        news, _ = self.push(alert("news"), token=self.tokens[self.handset, NEWS], topic=NEWS)
        gone, _ = self.push(headers={"apns-expiration": "0"})
        self.desk.start()
        self.wait_for(news, "presented")
        live, _ = self.push(alert("live"))
        self.wait_for(live, "presented")
        self.assertEqual(self.outcomes(ids[0]), ["accepted", ("kept", "offline"), ("discarded", "replaced-offline")])
        self.assertEqual(self.outcomes(ids[1]), ["accepted", ("kept", "offline"), ("discarded", "replaced-offline")])
        self.assertEqual(self.outcomes(ids[2])[:4], ["accepted", ("kept", "offline"), "arrived", "presented"])
        self.assertEqual(self.outcomes(news)[:4], ["accepted", ("kept", "offline"), "arrived", "presented"])
        self.assertEqual(self.outcomes(live)[:2], ["accepted", "presented"])
        self.assertEqual(self.outcomes(gone), [])

    def test_no_push_is_answered_without_a_server(self):
        self.fleet.nodes[0].kill()
        status, body, headers = self.gateway.curl(alert(), token=self.token)
        self.assertEqual((status, body, headers["retry-after"]), (503, {"reason": "ServiceUnavailable"}, "1"))
        late = self.fleet.gateway("front")
        late.key = self.desk.key
        status, body, headers = late.curl(alert(), token=self.token)
        self.assertEqual((status, body, headers["retry-after"]), (503, {"reason": "ServiceUnavailable"}, "1"))
        self.fleet.nodes[0].start()
        late.wait_for_log("knows")
        self.desk.wait_for_log("fleet kitchen: works")
        id = new_id()
        while late.curl(alert(), token=self.token, headers={"apns-id": id})[0] == 503:
            pass
        self.wait_for(id, "presented")

    def test_a_registry_that_was_deleted_is_made_again(self):
        as_admin(self.fleet, lambda engine: ask(engine, "STREAM.DELETE.KV_BELL_TOKENS"))
        self.assertEqual(
            self.fleet.report("init")["servers"], [{"name": "KV_BELL_TOKENS", "kind": "made", "differences": []}])
        for part in (self.desk, self.gateway):
            part.stop()
            part.start()
        # The desk has announced both.
        wait_for_tokens(self.fleet, self.gateway, 2)
        id, _ = self.push()
        self.wait_for(id, "presented")
        self.assertEqual(self.outcomes(id)[:2], ["accepted", "presented"])

    def test_a_topic_of_ntfy_is_reached_through_the_gateway(self):
        added = self.desk.report("topic", "add", "parcels", "--app", APP, "--handset", self.handset)
        key = added["key"]
        request = urllib.request.Request(
            f"https://localhost:{self.gateway.port}/parcels", data=b"A parcel", headers={
                "Authorization": f"Bearer {key}", "Title": "Post"})
        context = ssl.create_default_context(cafile=str(self.gateway.ca))
        while True:
            try:
                with urllib.request.urlopen(request, context=context) as answer:
                    self.assertEqual(answer.status, 200)
                break
            except urllib.error.HTTPError as error:
                # The gateway does not have the topic yet.
                self.assertEqual(error.code, 401, error.read())
        found = self.desk.wait_for_event(lambda event: event["event"] == "presented")
        self.assertEqual(found["app"], APP)

    def curl(self, path, *words, unknown):
        """Sends a request to the gateway, again while it answers `unknown` as it does not have the provider yet."""
        while True:
            done = subprocess.run(
                ["curl", "--silent", "--show-error", "--cacert", self.gateway.ca, "--max-time", str(PATIENCE_SECONDS),
                 "--write-out", "\n%{http_code}", *words, f"https://localhost:{self.gateway.port}{path}"],
                capture_output=True, text=True, check=True)
            body, status = done.stdout.rsplit("\n", 1)
            if int(status) != unknown:
                self.assertEqual(status, "200", body)
                return

    def rang(self, after):
        """Returns the one push that has rung since: its app, and its title and text in Notification Center."""
        self.desk.wait_for_event(lambda event: event["event"] == "presented", after)
        events = self.desk.handset_events(self.handset, after)
        self.assertEqual([event["event"] for event in events][:2], ["accepted", "presented"])
        self.assertEqual([event["event"] for event in events].count("presented"), 1)
        [shown] = self.desk.report("center")
        return events[1]["app"], shown.get("title"), shown["body"]

    def test_a_certificate_rings_through_the_gateway(self):
        path = certificates.make(self.desk.folder, "shop", topic=APP)
        self.desk.run("provider", "add", "shop", "--certificate", path)
        after, id = self.desk.report("state")["lastEvent"], new_id()
        self.curl(
            f"/3/device/{self.token}", "--http2", "--cert", path, "--header", f"apns-id: {id}", "--data", alert(),
            unknown=403)
        self.assertEqual(self.rang(after), (APP, None, "A letter"))
        self.assertEqual(self.outcomes(id)[:2], ["accepted", "presented"])

    def test_a_hook_rings_through_the_gateway(self):
        added = self.desk.report("hook", "add", "backup", "--app", APP, "--handset", self.handset)
        after = self.desk.report("state")["lastEvent"]
        self.curl(f"/h/{added['key']}", "--data", "title=Backup", "--data", "message=It is done", unknown=401)
        self.assertEqual(self.rang(after), (APP, "Backup", "It is done"))

    def test_gotify_rings_through_the_gateway(self):
        added = self.desk.report("topic", "add", "parcels", "--app", APP, "--handset", self.handset)
        after = self.desk.report("state")["lastEvent"]
        self.curl(
            "/message", "--header", f"X-Gotify-Key: {added['key']}", "--form", "title=Post", "--form", "message=A parcel",
            unknown=401)
        self.assertEqual(self.rang(after), (APP, "Post", "A parcel"))

    def test_the_hundred_and_first_of_an_app_displaces_the_first(self):
        self.desk.kill()
        ids = [self.push()[0] for _ in range(101)]
        self.desk.start()
        self.wait_for(ids[-1], "presented")
        # The engine has dropped it, so no event has it. By F1 it would not have rung either.
        self.assertEqual(self.outcomes(ids[0]), [])
        self.assertEqual(self.outcomes(ids[1]), ["accepted", ("kept", "offline"), ("discarded", "replaced-offline")])
