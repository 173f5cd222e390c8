"""What released versions left on disk: their databases are taken over, and their journals replayed, for ever."""

import json
import subprocess
import sys
import unittest

from appliance import DESKBELL, ROOT

RELEASED = ROOT / "Tests/Released"
sys.path.insert(0, str(RELEASED))

import record  # noqa: E402


class ReleasedTests(unittest.TestCase):
    maxDiff = None

    def test_databases_are_taken_over(self):
        """Apps, tokens, settings, notifications, schedules, nodes, providers and explanations are as the release had them."""
        for release in sorted(RELEASED.glob("*/database.sql")):
            with self.subTest(release=release.parent.name):
                expected = json.loads((release.parent / "reports.json").read_text())
                found = record.restored_reports(release.read_text(), expected["pushes"])
                for part, report in expected["reports"].items():
                    self.assertEqual(found[part], report, part)

    def test_journals_are_replayed(self):
        """Each input of the release gives the events that it gave then."""
        for release in sorted(RELEASED.glob("*/inputs.journal")):
            with self.subTest(release=release.parent.name):
                done = subprocess.run([DESKBELL, "replay", release], capture_output=True, text=True, check=True)
                expected = (release.parent / "events.jsonl").read_text()
                self.assertEqual(done.stdout.splitlines(), expected.splitlines())
                self.assertGreater(len(expected.splitlines()), 100)
