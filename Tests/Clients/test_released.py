"""What released versions left on disk: every later version opens their databases and replays their recorded inputs."""

import itertools
import json
import subprocess
import tempfile
import unittest
from pathlib import Path

from Tests.Released import record
from Tests.Released.released import EMPTY, empty, releases, stored_reports
from Tests.support.project import DESKBELL, ROOT

# What the shorter scene of the first releases left empty.
SHORT_SCENE = {
    "app.acknowledge", "app.categories", "app.has_notification_hook", "app_key", "app_state.foreground_presentation",
    "app_state.listens", "call", "handset.snooze", "held.due_uptime", "notification.critical_volume", "notification.options",
    "notification.subtitle", "notification.thread_id", "offered.deadline_uptime", "offered.occasion"}
LEFT_EMPTY = {"0.7.3": SHORT_SCENE, "0.8.1": SHORT_SCENE | {"notification_pack"}}
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


class RecordingTests(unittest.TestCase):
    maxDiff = None

    def test_the_scene_fills_every_table_and_column_of_this_version(self):
        with tempfile.TemporaryDirectory(prefix="deskbell-scene-") as folder:
            _, script, _, _ = record.played(Path(folder))
        self.assertEqual(set(empty(script)), EMPTY.keys())
        # It is found if one is not filled.
        without = script + "DELETE FROM focus_mode; UPDATE held SET type = NULL;"
        self.assertEqual(set(empty(without)) - EMPTY.keys(), {"focus_mode", "held.type"})

    def test_each_recording_has_what_its_scene_fills(self):
        for release in releases():
            with self.subTest(release=release.name):
                found = set(empty((release / "database.sql").read_text()))
                self.assertEqual(found - EMPTY.keys(), LEFT_EMPTY.get(release.name, set()))

    def test_the_pages_name_the_releases_that_are_recorded(self):
        *names, last = (release.name for release in releases())
        for page in ("docs/stability.md", "docs/architecture/tests.md", "ARCHITECTURE.md"):
            text = " ".join((ROOT / page).read_text().split())
            self.assertIn(f"what {', '.join(names)} and {last} left", text, page)


class ReleasedTests(unittest.TestCase):
    maxDiff = None

    def test_databases_are_opened(self):
        """Apps, tokens, settings, notifications, schedules, nodes, providers and explanations are as in the release."""
        for release in releases():
            with self.subTest(release=release.name):
                expected = stored_reports(release)
                self.assertGreater(len(expected), 20)
                found = record.restored_reports((release / "database.sql").read_text(), list(expected))
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
