"""Groups: one token for several desks. Either all of its desks have a push, or none; clearing a notification at one
clears it at all."""

import re

from Tests.Fleet.administrator import stored_pushes
from Tests.Fleet.rig import FleetCase, alert
from Tests.support.appliance import APP, KEY_ID, TEAM, new_id
from Tests.support.network import CuttablePort

DOOR = alert("Somebody is at the door")


class DoorCase(FleetCase):
    """Tests with a group of two desks."""

    handsets = {"hall": 1, "kitchen": 1}
    members = ["hall", "kitchen"]

    def prepare(self):
        self.hall, self.kitchen = self.desks
        return self.fleet.report("group", "add", "doors", "--app", APP, *self.members)["token"]


class ClearingTest(DoorCase):
    handsets = {"hall": 1, "kitchen": 2}
    members = ["hall", "kitchen", "kitchen/kitchen-2"]

    def prepare(self):
        token = super().prepare()
        self.fleet.update()
        # Each desk that answers the list also looks for its groups.
        self.fleet.report("list")
        for desk in self.desks:
            desk.wait_for_log("groups: doors")
        return token

    def wait_for_clearing(self, desk, event):
        desk.wait_for_event("cleared", event["sequence"])

    def test_a_push_rings_all_and_is_cleared_at_all(self):
        id, _ = self.push(DOOR)
        self.hall.wait_for_outcome(id, "presented")
        self.kitchen.wait_for_outcome(id, "presented")
        self.hall.run("center", APP, "--clear")
        self.kitchen.wait_for_event("cleared")
        self.assertEqual(self.kitchen.report("center"), [])

    def test_a_desk_that_was_away_hears_of_it_when_it_returns(self):
        id, _ = self.push(DOOR, headers={"apns-collapse-id": "visitor"})
        self.kitchen.wait_for_outcome(id, "presented")
        self.hall.wait_for_outcome(id, "presented")
        self.kitchen.kill()
        self.hall.run("center", APP, "--clear")
        self.hall.wait_for_event("cleared")
        self.kitchen.start()
        self.kitchen.wait_for_event("cleared")
        self.assertEqual(self.kitchen.report("center"), [])

    def test_what_is_cleared_while_the_network_is_away_is_cleared_after_what_rings_then(self):
        self.kitchen.kill()
        config = self.kitchen.folder / "settings.yaml"
        address = re.search(r"tls://127\.0\.0\.1:(\d+)", config.read_text())
        network = self.enterContext(CuttablePort(int(address[1])))
        config.write_text(config.read_text().replace(address[0], f"tls://127.0.0.1:{network.port}"))
        self.kitchen.start()
        self.kitchen.wait_for_log("works")
        for number in range(3):
            with self.subTest(number):
                network.cut()
                id, _ = self.push(DOOR)
                at_hall = self.hall.wait_for_outcome(id, "presented")
                self.hall.run("center", APP, "--clear")
                self.wait_for_clearing(self.hall, at_hall)
                network.restore()
                self.wait_for_clearing(self.kitchen, self.kitchen.wait_for_outcome(id, "presented"))
                self.assertEqual(self.kitchen.report("center"), [])

    def test_two_handsets_of_one_desk_ring_and_are_cleared(self):
        id, _ = self.push(DOOR)
        at_hall = self.hall.wait_for_outcome(id, "presented")
        self.kitchen.wait_for_outcome(id, "presented")
        second = ["--handset", "kitchen-2", "--since", 0, "--timeout", "60s"]
        self.kitchen.report("events", "--wait", f"event=presented push={id}", *second)
        self.kitchen.run("center", APP, "--clear")
        self.wait_for_clearing(self.hall, at_hall)
        self.kitchen.report("events", "--wait", "event=cleared", *second)
        self.assertEqual(self.kitchen.report("center", "--handset", "kitchen-2"), [])

    def test_what_is_answered_at_one_is_seen_at_the_others(self):
        id, _ = self.push(DOOR)
        self.kitchen.wait_for_outcome(id, "presented")
        self.hall.wait_for_outcome(id, "presented")
        self.hall.run("press", "close")
        self.kitchen.wait_for_event("seen")


class AnswersTest(DoorCase):
    """Answers to a push for a group."""

    def attempt(self):
        """Pushes; returns the identifier, the status and the body of the answer."""
        id = new_id()
        status, body, _ = self.gateway.curl(
            DOOR, token=self.token, headers={"apns-id": id})
        return id, status, body

    def push_until(self, wanted):
        """Pushes until the gateway has the change; returns all identifiers, and the last body."""
        ids, status = [], None
        while status != wanted:
            id, status, body = self.attempt()
            self.assertIn(status, (200, 400), body)
            ids.append(id)
        return ids, body

    def wait_for(self, id):
        for desk in self.desks:
            desk.wait_for_outcome(id, "presented")

    def test_an_answered_push_is_stored_for_each_desk_and_rings_there_once(self):
        id, status, body = self.attempt()
        self.assertEqual((status, body, stored_pushes(self.fleet)), (200, None, [id, id]))
        self.wait_for(id)
        for desk in self.desks:
            self.assertEqual(desk.outcomes(id), ["accepted", "presented"])

    def test_a_push_whose_provider_one_desk_does_not_know_rings_nowhere(self):
        self.kitchen.run("provider", "remove", "tests")
        [*_, first], body = self.push_until(400)
        self.assertEqual(body, {"reason": "BadDeviceToken"})
        second, status, body = self.attempt()
        self.assertEqual((status, body), (400, {"reason": "BadDeviceToken"}))
        self.kitchen.run(
            "provider", "add", "tests", "--apps", APP, "--team", TEAM, "--key-id", KEY_ID, "--key",
            self.kitchen.folder / "key.p8")
        [*_, last], _ = self.push_until(200)
        self.wait_for(last)
        stored = stored_pushes(self.fleet)
        for id, count in ((first, 0), (second, 0), (last, 2)):
            self.assertEqual(stored.count(id), count)
            for desk in self.desks:
                self.assertEqual(desk.outcomes(id), ["accepted", "presented"] if count else [])
