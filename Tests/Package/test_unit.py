"""The service's unit as it is shipped. Needs no build."""

import configparser
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


class Unit(unittest.TestCase):
    def setUp(self):
        self.unit = configparser.ConfigParser(strict=False, interpolation=None)
        self.unit.optionxform = str
        self.unit.read(ROOT / "systemd/deskbell.service")

    def test_a_crash_that_repeats_is_no_lasting_outage(self):
        # With a limit of starts systemd would also close the sockets, and nothing would open them again.
        self.assertEqual(self.unit["Unit"]["StartLimitIntervalSec"], "0")
        service = self.unit["Service"]
        self.assertEqual(
            [service[key] for key in ("Restart", "RestartSec", "RestartSteps", "RestartMaxDelaySec")],
            ["on-failure", "500ms", "5", "10s"])

    def test_what_it_may_take_of_the_machine(self):
        service = self.unit["Service"]
        self.assertEqual(
            [service[key] for key in ("MemoryMax", "TasksMax", "LimitCORE", "OOMPolicy")],
            ["384M", "256", "0", "continue"])
        # It would slow down the daemon together with a hook that takes too much.
        self.assertNotIn("MemoryHigh", service)


if __name__ == "__main__":
    unittest.main()
