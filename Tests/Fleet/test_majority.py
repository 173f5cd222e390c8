"""Three nodes: the answers without a majority."""

import json
import unittest

from Tests.Fleet.administrator import stream_leader
from Tests.Fleet.rig import Fleet
from Tests.support.appliance import APP, new_id


class MajorityTest(unittest.TestCase):
    def setUp(self):
        self.fleet = self.enterContext(Fleet(3))
        self.fleet.add("kitchen")
        self.fleet.add("front", gateway=True)
        self.desk = self.fleet.desk("kitchen")
        self.token = self.desk.install(APP)["kitchen-1", APP]
        self.desk.wait_for_log("fleet kitchen: works")
        self.gateway = self.fleet.gateway("front")
        self.gateway.key = self.desk.key
        self.gateway.wait_for_log("knows")

    def push(self, id):
        return self.gateway.curl(
            json.dumps({"aps": {"alert": "A letter"}}), token=self.token, headers={"apns-id": id})[0]

    def test_what_one_node_has_is_not_answered_200(self):
        before, while_alone = new_id(), new_id()
        while self.push(before) != 200:
            pass
        leader = stream_leader(self.fleet)
        followers = [node for node in self.fleet.nodes if node.name != leader]
        for node in followers:
            node.kill()
        # The gateway tries again for 5 s. A leader that has lost its followers calls the second attempt a duplicate.
        self.assertEqual(self.push(while_alone), 503)
        for node in followers:
            node.start()
        while self.push(while_alone) != 200:
            pass
        self.desk.wait_for_event(
            lambda event: event.get("push", "").lower() == while_alone.lower() and event["event"] == "presented")
        found = [event["event"] for event in self.desk.handset_events("kitchen-1")
                 if event.get("push", "").lower() == while_alone.lower()]
        self.assertEqual(found.count("accepted"), 1)
