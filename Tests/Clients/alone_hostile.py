"""Runs all attacks briefly, several at once: the daemon withstands each and still serves a provider. `make
test-hostile` measures the provider's waiting time, on a machine that runs no other tests."""

import io
import unittest

from Tests.Clients.hostile.run import run_all


class HostileTests(unittest.TestCase):
    def test_all_attacks_in_short(self):
        table = io.StringIO()
        _, faults = run_all(timed=False, seconds=0.2, out=table)
        self.assertEqual(faults, [], table.getvalue())
