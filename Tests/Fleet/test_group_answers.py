"""Answers to a push for a group: either all of its desks have it, or none."""

import json
import unittest

from Tests.Fleet.administrator import stored_pushes
from Tests.Fleet.rig import Fleet
from Tests.support.appliance import APP, KEY_ID, TEAM, new_id


class GroupAnswersTest(unittest.TestCase):
    def setUp(self):
        self.fleet = self.enterContext(Fleet())
        self.fleet.add("hall", "kitchen")
        self.fleet.add("front", gateway=True)
        self.hall = self.fleet.desk("hall")
        self.hall.install(APP)
        self.kitchen = self.fleet.desk("kitchen", key=self.hall.key)
        self.kitchen.install(APP)
        for desk in (self.hall, self.kitchen):
            desk.wait_for_log("works")
        self.token = self.fleet.report("group", "add", "doors", "--app", APP, "hall", "kitchen")["token"]
        self.gateway = self.fleet.gateway("front")
        self.gateway.key = self.hall.key
        self.gateway.wait_for_log("knows")

    def push(self):
        """Pushes; returns the identifier, the status and the body of the answer."""
        id = new_id()
        status, body, _ = self.gateway.curl(
            json.dumps({"aps": {"alert": "Somebody is at the door"}}), token=self.token, headers={"apns-id": id})
        return id, status, body

    def push_until(self, wanted):
        """Pushes until the gateway has the change; returns all identifiers, and the last body."""
        ids, status = [], None
        while status != wanted:
            id, status, body = self.push()
            self.assertIn(status, (200, 400), body)
            ids.append(id)
        return ids, body

    def outcomes(self, desk, id):
        return [event["event"] for event in desk.handset_events(f"{desk.names[0]}-1")
                if event.get("push", "").lower() == id]

    def wait_for(self, id):
        for desk in (self.hall, self.kitchen):
            desk.wait_for_event(lambda event: event.get("push", "").lower() == id and event["event"] == "presented")

    def test_an_answered_push_is_stored_for_each_desk_and_rings_there_once(self):
        id, status, body = self.push()
        self.assertEqual((status, body, stored_pushes(self.fleet)), (200, None, [id, id]))
        self.wait_for(id)
        for desk in (self.hall, self.kitchen):
            self.assertEqual(self.outcomes(desk, id), ["accepted", "presented"])

    def test_a_push_whose_provider_one_desk_does_not_know_rings_nowhere(self):
        self.kitchen.run("provider", "remove", "tests")
        [*_, first], body = self.push_until(400)
        self.assertEqual(body, {"reason": "BadDeviceToken"})
        second, status, body = self.push()
        self.assertEqual((status, body), (400, {"reason": "BadDeviceToken"}))
        self.kitchen.run(
            "provider", "add", "tests", "--apps", APP, "--team", TEAM, "--key-id", KEY_ID, "--key",
            self.kitchen.folder / "key.p8")
        [*_, last], _ = self.push_until(200)
        self.wait_for(last)
        stored = stored_pushes(self.fleet)
        for id, count in ((first, 0), (second, 0), (last, 2)):
            self.assertEqual(stored.count(id), count)
            for desk in (self.hall, self.kitchen):
                self.assertEqual(self.outcomes(desk, id), ["accepted", "presented"] if count else [])
