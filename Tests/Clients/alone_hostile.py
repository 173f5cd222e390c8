"""All attacks in a short form, several at once: the daemon withstands each, and a provider beside them is served. How
long it waits is measured by `make test-hostile`, where the machine is not busy with other tests."""

import io
import unittest

from hostile.run import run_all


class HostileTests(unittest.TestCase):
    def test_all_attacks_in_short(self):
        table = io.StringIO()
        _, faults = run_all(timed=False, seconds=0.2, out=table)
        self.assertEqual(faults, [], table.getvalue())


if __name__ == "__main__":
    unittest.main()
