"""Files of released versions: their databases are taken over, and their journals replayed, for ever."""

import itertools
import json
import re
import subprocess
import unittest

from Tests.Released import record
from Tests.support.project import DESKBELL, ROOT

RELEASED = ROOT / "Tests/Released"


# Sentences for people; they may change.
WORDS = {"text", "summary", "outcome", "title"}


def by_codes(value):
    """Returns the values that programs read. Until 0.1 a reason was a sentence with its rule in brackets: keep that."""
    if isinstance(value, list):
        return [by_codes(inner) for inner in value]
    if not isinstance(value, dict):
        return value
    kept = {key: by_codes(inner) for key, inner in value.items() if key not in WORDS}
    for name in ("reason", "silenced"):
        sentence = re.fullmatch(r".* \((\w+)\)|[^ ]+( [^ ]+)+", str(value.get(name, "")))
        if sentence and value["event"] in ("completed", "sound-ended"):
            kept["detail"] = kept.pop(name)
        elif sentence:
            kept[name] = "a code"
            if sentence[1]:
                kept["rule"] = sentence[1]
        elif re.fullmatch("[a-z-]+", str(value.get(name, ""))) and value.get("event") != "sound-ended":
            kept[name] = "a code"
    return kept


# The fields that later versions add, by event.
ADDED = {"refused": {"status"}, "alert-dropped": {"reason", "rule"}, "display": {"overflow"}}


def as_released(found, expected):
    """Returns the events found, without the fields added since to the event at the same place."""
    return [
        {key: value for key, value in event.items()
         if key in released or key not in ADDED.get(event["event"], ())}
        for event, released in itertools.zip_longest(found, expected[:len(found)], fillvalue={})]


def without_new_settings(found, expected):
    """Returns the report found, without the settings that the release did not have, the brightness of the lamp's steps,
    and the deciding rule."""
    if isinstance(found, dict) and isinstance(expected, dict):
        found = {key: value for key, value in found.items() if key not in ("brightness", "decision") or key in expected}
        return {key: without_new_settings(value, expected.get(key)) for key, value in found.items()}
    if not isinstance(found, list) or not isinstance(expected, list):
        return found
    if expected and all(isinstance(entry, dict) and entry.keys() == {"key", "value"} for entry in expected):
        known = {entry["key"] for entry in expected}
        return [entry for entry in found if entry["key"] in known]
    return [without_new_settings(inner, outer) for inner, outer in itertools.zip_longest(found, expected)]


def is_taken_over(found, released):
    """Returns true if a report equals the release's."""
    return without_new_settings(by_codes(found), by_codes(released)) == by_codes(released)


class ReleasedTests(unittest.TestCase):
    maxDiff = None

    def test_databases_are_taken_over(self):
        """Apps, tokens, settings, notifications, schedules, nodes, providers and explanations are as in the release."""
        for release in sorted(RELEASED.glob("*/database.sql")):
            with self.subTest(release=release.parent.name):
                expected = json.loads((release.parent / "reports.json").read_text())
                found = record.restored_reports(release.read_text(), expected["pushes"])
                for part, report in expected["reports"].items():
                    taken_over = without_new_settings(by_codes(found[part]), by_codes(report))
                    self.assertEqual(taken_over, by_codes(report), part)

    def test_journals_are_replayed(self):
        """Each input of the release gives the same events as then."""
        for release in sorted(RELEASED.glob("*/inputs.journal")):
            with self.subTest(release=release.parent.name):
                done = subprocess.run([DESKBELL, "replay", release], capture_output=True, text=True, check=True)
                expected = (release.parent / "events.jsonl").read_text()
                found = [by_codes(json.loads(line)) for line in done.stdout.splitlines()]
                released = [by_codes(json.loads(line)) for line in expected.splitlines()]
                self.assertEqual(as_released(found, released), released)
                self.assertGreater(len(expected.splitlines()), 100)
