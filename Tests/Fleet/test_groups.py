"""Groups: one token for several desks; clearing a notification at one clears it at all."""

import json
import re
import unittest

from Tests.Fleet.rig import Fleet
from Tests.support.appliance import APP, new_id
from Tests.support.network import Network


class GroupTest(unittest.TestCase):
    def setUp(self):
        self.fleet = self.enterContext(Fleet())
        self.fleet.add("hall", "kitchen")
        self.fleet.add("front", gateway=True)
        self.hall = self.fleet.desk("hall")
        self.hall.install(APP)
        self.kitchen = self.fleet.desk("kitchen", handsets=2, key=self.hall.key)
        self.kitchen.install(APP)
        for desk in (self.hall, self.kitchen):
            desk.wait_for_log("works")
        made = self.fleet.report("group", "add", "doors", "--app", APP, "hall", "kitchen", "kitchen/kitchen-2")
        self.token = made["token"]
        for node in self.fleet.nodes:
            node.update()
        # Each desk that answers the list also looks for its groups.
        self.fleet.report("list")
        for desk in (self.hall, self.kitchen):
            desk.wait_for_log("groups: doors")
        self.gateway = self.fleet.gateway("front")
        self.gateway.key = self.hall.key
        self.gateway.wait_for_log("knows")

    def push(self, status=200, **headers):
        headers = {"apns-id": new_id(), **{name.replace("_", "-"): value for name, value in headers.items()}}
        found, body, _ = self.gateway.curl(
            json.dumps({"aps": {"alert": "Somebody is at the door"}}), token=self.token, headers=headers)
        self.assertEqual(found, status, body)
        return headers["apns-id"]

    def wait_for(self, desk, id, name, **fields):
        return desk.wait_for_event(
            lambda event: event.get("push") == id and event["event"] == name
            and all(event.get(key) == value for key, value in fields.items()))

    def wait_for_clearing(self, desk, event):
        desk.wait_for_event(lambda other: other["event"] == "cleared", event["sequence"])

    def test_a_push_rings_all_and_is_cleared_at_all(self):
        id = self.push()
        self.wait_for(self.hall, id, "presented")
        self.wait_for(self.kitchen, id, "presented")
        self.hall.run("center", APP, "--clear")
        self.kitchen.wait_for_event(lambda event: event["event"] == "cleared")
        self.assertEqual(self.kitchen.report("center"), [])

    def test_a_desk_that_was_away_hears_of_it_when_it_returns(self):
        id = self.push(apns_collapse_id="visitor")
        self.wait_for(self.kitchen, id, "presented")
        self.wait_for(self.hall, id, "presented")
        self.kitchen.kill()
        self.hall.run("center", APP, "--clear")
        self.hall.wait_for_event(lambda event: event["event"] == "cleared")
        self.kitchen.start()
        self.kitchen.wait_for_event(lambda event: event["event"] == "cleared")
        self.assertEqual(self.kitchen.report("center"), [])

    def test_what_is_cleared_while_the_network_is_away_is_cleared_after_what_rings_then(self):
        self.kitchen.kill()
        config = self.kitchen.folder / "settings.yaml"
        address = re.search(r"tls://127\.0\.0\.1:(\d+)", config.read_text())
        network = self.enterContext(Network(int(address[1])))
        config.write_text(config.read_text().replace(address[0], f"tls://127.0.0.1:{network.port}"))
        self.kitchen.start()
        self.kitchen.wait_for_log("works")
        for number in range(3):
            with self.subTest(number):
                network.cut()
                id = self.push()
                at_hall = self.wait_for(self.hall, id, "presented")
                self.hall.run("center", APP, "--clear")
                self.wait_for_clearing(self.hall, at_hall)
                network.mend()
                self.wait_for_clearing(self.kitchen, self.wait_for(self.kitchen, id, "presented"))
                self.assertEqual(self.kitchen.report("center"), [])

    def test_two_handsets_of_one_desk_ring_and_are_cleared(self):
        id = self.push()
        at_hall = self.wait_for(self.hall, id, "presented")
        self.wait_for(self.kitchen, id, "presented")
        second = ["--handset", "kitchen-2", "--since", 0, "--timeout", "60s"]
        self.kitchen.report("events", "--wait", f"event=presented push={id}", *second)
        self.kitchen.run("center", APP, "--clear")
        self.wait_for_clearing(self.hall, at_hall)
        self.kitchen.report("events", "--wait", "event=cleared", *second)
        self.assertEqual(self.kitchen.report("center", "--handset", "kitchen-2"), [])

    def test_what_is_answered_at_one_is_seen_at_the_others(self):
        id = self.push()
        self.wait_for(self.kitchen, id, "presented")
        self.wait_for(self.hall, id, "presented")
        self.hall.run("press", "close")
        self.kitchen.wait_for_event(lambda event: event["event"] == "seen")
