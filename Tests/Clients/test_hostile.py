"""A short run of the attacks, all but the slow ones: the daemon withstands each. How long a provider waits
meanwhile is measured by `make test-hostile`, where the machine is not busy with other tests."""

import io
import unittest

from hostile import run_all

QUICK = ["flood", "rapid", "beyond", "endless", "bomb", "one byte each", "many header", "random", "streams at once",
         "HTTP/1.1", "without a token"]


class HostileTests(unittest.TestCase):
    def test_quick_attacks(self):
        table = io.StringIO()
        faults = run_all(QUICK, timed=False, out=table)
        self.assertEqual(faults, [], table.getvalue())


if __name__ == "__main__":
    unittest.main()
