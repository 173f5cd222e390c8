"""One fleet, its gateways and its desks: the outcome of a push in each kind of failure."""

import time

from Tests.Fleet.administrator import asked, stream_leader
from Tests.Fleet.rig import NEWS, FleetCase, alert
from Tests.Fleet.storm import wait_for_tokens
from Tests.support import certificates
from Tests.support.appliance import APP, new_id
from Tests.support.curl import curl


class OneDesk(FleetCase):
    """Tests with one gateway, and one desk with one handset."""

    apps = (APP, NEWS)

    def setUp(self):
        super().setUp()
        [self.desk] = self.desks
        self.handset = "kitchen-1"

    def outcomes(self, id):
        return self.desk.outcomes(id)

    def wait_for(self, id, *names):
        self.desk.wait_for_outcome(id, *names)


class FleetTest(OneDesk):
    def test_a_provider_that_was_removed_while_the_servers_were_away_is_refused(self):
        self.push()
        [server] = self.fleet.servers
        server.kill()
        self.desk.run("provider", "remove", "tests")
        self.desk.stop()
        server.start()
        server.wait_for("Server is ready")
        self.desk.start()
        # The gateway reads the registry again, and the desk corrects it.
        status, body, _ = self.answer_after(200, 503)
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
        self.desk.wait_for_event("unregistered")
        # The registry is updated soon after the desk.
        status, body, _ = self.answer_after(200)
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
        self.fleet.servers[0].kill()
        status, body, headers = self.gateway.curl(alert(), token=self.token)
        self.assertEqual((status, body, headers["retry-after"]), (503, {"reason": "ServiceUnavailable"}, "1"))
        late = self.fleet.gateway("front")
        late.key = self.desk.key
        status, body, headers = late.curl(alert(), token=self.token)
        self.assertEqual((status, body, headers["retry-after"]), (503, {"reason": "ServiceUnavailable"}, "1"))
        self.fleet.servers[0].start()
        late.wait_for_log("knows")
        self.desk.wait_for_log("fleet kitchen: works")
        id = new_id()
        self.answer_after(503, gateway=late, headers={"apns-id": id})
        self.wait_for(id, "presented")

    def test_a_registry_that_was_deleted_is_made_again(self):
        asked(self.fleet, "STREAM.DELETE.KV_BELL_TOKENS")
        self.assertEqual(
            self.fleet.report("init")["servers"], [{"name": "KV_BELL_TOKENS", "kind": "made", "differences": []}])
        for part in (self.desk, self.gateway):
            part.restart()
        # The desk has announced both.
        wait_for_tokens(self.fleet, self.gateway, 2)
        id, _ = self.push()
        self.wait_for(id, "presented")
        self.assertEqual(self.outcomes(id)[:2], ["accepted", "presented"])

    def test_topics_and_hooks_ring_through_the_gateway(self):
        topic, hook = (
            self.desk.report(way, "add", name, "--app", APP, "--handset", self.handset)["key"]
            for way, name in (("topic", "parcels"), ("hook", "backup")))
        for shown, path, *words in [
                (("Post", "A parcel"), "/parcels", "--header", f"Authorization: Bearer {topic}",
                 "--header", "Title: Post", "--data", "A parcel"),
                (("Post", "A parcel"), "/message", "--header", f"X-Gotify-Key: {topic}", "--form", "title=Post",
                 "--form", "message=A parcel"),
                (("Backup", "It is done"), f"/h/{hook}", "--data", "title=Backup", "--data", "message=It is done")]:
            with self.subTest(path):
                self.desk.run("center", "--clear")
                after = self.desk.report("state")["lastEvent"]
                self.curl(path, *words, unknown=401)
                self.assertEqual(self.rang(after), (APP, *shown))

    def curl(self, path, *words, unknown):
        """Sends a request to the gateway, again while it answers `unknown` as it does not have the provider yet."""
        status = unknown
        while status == unknown:
            answer = curl("--cacert", self.gateway.ca, *words, f"https://localhost:{self.gateway.port}{path}")
            status = answer.status
        self.assertEqual(status, 200, answer.text)

    def rang(self, after):
        """Returns the one push that has rung since: its app, and its title and text in Notification Center."""
        self.desk.wait_for_event("presented", after)
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

    def test_the_hundred_and_first_of_an_app_displaces_the_first(self):
        self.desk.kill()
        ids = [self.push()[0] for _ in range(101)]
        self.desk.start()
        self.wait_for(ids[-1], "presented")
        # The stream has dropped it, so no event has it. By F1 it would not have rung either.
        self.assertEqual(self.outcomes(ids[0]), [])
        self.assertEqual(self.outcomes(ids[1]), ["accepted", ("kept", "offline"), ("discarded", "replaced-offline")])


class MajorityTest(OneDesk):
    """Three servers: the answers without a majority."""

    servers = 3

    def attempt(self, id):
        return self.gateway.curl(alert(), token=self.token, headers={"apns-id": id})[0]

    def test_what_one_server_has_is_not_answered_200(self):
        before, while_alone = new_id(), new_id()
        while self.attempt(before) != 200:
            pass
        leader = stream_leader(self.fleet)
        followers = [server for server in self.fleet.servers if server is not leader]
        for server in followers:
            server.kill()
        # The gateway tries again for 5 s. A leader that has lost its followers calls the second attempt a duplicate.
        self.assertEqual(self.attempt(while_alone), 503)
        for server in followers:
            server.start()
        while self.attempt(while_alone) != 200:
            pass
        self.wait_for(while_alone, "presented")
        self.assertEqual(self.outcomes(while_alone).count("accepted"), 1)
