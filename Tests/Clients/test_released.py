"""What released versions left on disk: every later version opens their databases and replays their recorded inputs."""

import itertools
import json
import subprocess
import unittest

from Tests.Released import record
from Tests.Released.released import pushes, releases, stored_reports
from Tests.support.project import DESKBELL

# Sentences for people; they may change.
WORDS = {"text", "summary", "outcome", "title", "detail"}


def codes(value):
    """Returns the values that programs read."""
    if isinstance(value, dict):
        return {key: codes(inner) for key, inner in value.items() if key not in WORDS}
    return [codes(inner) for inner in value] if isinstance(value, list) else value


def known(found, released):
    """Returns the value found, without the fields and settings that the release did not have."""
    if isinstance(found, dict) and isinstance(released, dict):
        return {key: known(value, released[key]) for key, value in found.items() if key in released}
    if not isinstance(found, list) or not isinstance(released, list):
        return found
    if released and all(isinstance(entry, dict) and entry.keys() == {"key", "value"} for entry in released):
        keys = {entry["key"] for entry in released}
        return [entry for entry in found if entry["key"] in keys]
    return [known(inner, outer) for inner, outer in itertools.zip_longest(found, released)]


def since(event):
    """Returns a release's event as it is since 0.10, in which launching an app marks what it cleared before (N10)."""
    if event["event"] == "cleared" and event["reason"] == "opened":
        return {key: event[key] for key in event if key not in ("count", "reason", "rule")} | {"event": "seen"}
    return event


def is_as_released(found, released):
    """Returns true if an answer equals the release's."""
    return known(codes(found), codes(released)) == codes(released)


class ReleasedTests(unittest.TestCase):
    maxDiff = None

    def test_databases_are_opened(self):
        """Apps, tokens, settings, notifications, schedules, nodes, providers and explanations are as in the release."""
        for release in releases():
            with self.subTest(release=release.name):
                expected = stored_reports(release)
                self.assertGreater(len(expected), 20)
                found = record.restored_reports((release / "database.sql").read_text(), pushes(expected))
                for command, answer in expected.items():
                    self.assertEqual(known(codes(found[command]), codes(answer)), codes(answer), command)

    def test_recorded_inputs_are_replayed(self):
        """Each input of the release gives the same events as then, but for the rules that have changed."""
        for release in releases():
            with self.subTest(release=release.name):
                done = subprocess.run(
                    [DESKBELL, "replay", release / "inputs.jsonl"], capture_output=True, text=True, check=True)
                found, expected = ([codes(json.loads(line)) for line in lines.splitlines()]
                                   for lines in (done.stdout, (release / "events.jsonl").read_text()))
                self.assertGreater(len(expected), 100)
                expected = [since(event) for event in expected]
                self.assertEqual(known(found, expected), expected)
