"""The storm of `make test-fleet`, smaller and shorter."""

import unittest
from types import SimpleNamespace

from Tests.Fleet.storm import Push, judge, settle, storm


class StormTest(unittest.TestCase):
    def test_every_acknowledged_push_has_one_outcome(self):
        faults, figures = storm(minutes=0.6, daemons=2, desks=2, handsets=3)
        self.assertEqual(faults, [], figures)
        # All kinds of faults were made, else nothing was tested.
        self.assertEqual(
            set(figures["kills"]), {"kill_leader", "kill_gateway", "kill_desks", "kill_all_servers"}, figures)
        self.assertGreater(figures["acknowledged"], 100, figures)

    def test_a_push_that_also_rings_in_another_daemon_is_a_fault(self):
        push = Push(0, "hall", "hall-1", "00", acknowledged=1.0)
        events = [{"event": name, "push": push.id, "wallMicroseconds": 1} for name in ("accepted", "presented")]
        daemons = [
            SimpleNamespace(handsets={name: [f"{name}-1"]}, handset_events=lambda handset: events)
            for name in ("hall", "kitchen")]
        self.assertEqual(judge([push], settle([push], daemons[:1])), [])
        self.assertEqual(judge([push], settle([push], daemons)), [
            f"{push.id} to hall-1 (number 0, 0 tries): ['accepted', 'presented', 'accepted', 'presented']"])
