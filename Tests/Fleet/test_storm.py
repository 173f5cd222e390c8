"""The storm of `make test-fleet`, smaller and shorter."""

import unittest

from storm import storm


class StormTest(unittest.TestCase):
    def test_every_acknowledged_push_has_one_outcome(self):
        faults, figures = storm(minutes=0.6, daemons=2, desks=2, handsets=3)
        self.assertEqual(faults, [], figures)
        # All kinds came, or nothing was tried.
        self.assertEqual(
            set(figures["kills"]), {"kill_leader", "kill_gateway", "kill_desks", "kill_all_nodes"}, figures)
        self.assertGreater(figures["acknowledged"], 100, figures)


if __name__ == "__main__":
    unittest.main()
