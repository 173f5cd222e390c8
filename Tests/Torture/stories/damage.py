"""One byte of the database is changed. The daemon finds it by the page's checksum when it reads the page: it sets the
file aside and begins empty, at its start or at the next start. If the byte is in a free or unread page, the daemon
answers as before.

Its answers are all those of the control API about stored data.
"""

import shutil
import signal
from http.client import HTTPException

from Tests.Torture.load import Ledger, send_all
from Tests.Torture.target import DidNotStart, Target
from Tests.support.appliance import APP
from Tests.support.report import Section

GOAL = 1_000
SHARE = 0.15
PUSHES = 300
ANSWERS = ("/v1/state", "/v1/apps", "/v1/tokens", "/v1/local", "/v1/conditions", "/v1/settings", "/v1/center",
           "/v1/providers", f"/v1/apps/{APP}", f"/v1/apps/{APP}/settings")
# Values of the moment, not of the database.
DRIVERS = ("lamp", "display")
MOMENTARY = {"daemonUptimeMicroseconds", "uptimeMicroseconds", "wallMicroseconds", "pushAddress", "devices",
             "sinceUptimeMicroseconds", "lastEvent", "bannerUntilUptimeMicroseconds", "usage"}

AT_START, WHEN_READ, NO_EFFECT = "set aside at the start", "set aside after it was read", "no effect"
SILENT = "silently different"


def play(torture):
    section, faults, silent = Section("a changed byte in the database"), [], []
    counts = dict.fromkeys((AT_START, WHEN_READ, NO_EFFECT), 0)
    done = 0
    with Target(torture.template) as target:
        fill(torture, target)
        target.start()
        pushed = target.ask("/v1/state")["lastEvent"]
        expected = answers(target, pushed)
        target.stop()
        # An orderly end leaves all of it in the one file.
        assert (target.state / "deskbell.sqlite-wal").stat().st_size == 0
        database = target.state / "deskbell.sqlite"
        intact = database.read_bytes()
        while torture.goes_on(done, GOAL):
            at, mask = torture.random.randrange(len(intact)), torture.random.randrange(1, 256)
            changed = bytearray(intact)
            changed[at] ^= mask
            restore(target.state)
            database.write_bytes(changed)
            outcome, detail = start(target, expected, pushed)
            if outcome in counts:
                counts[outcome] += 1
            else:
                (silent if outcome == SILENT else faults).append(f"byte {at} ^ {mask}: {outcome}: {detail}")
            done += 1
            torture.progress(done, GOAL)
        restore(target.state)
        database.write_bytes(intact)
    section.at_least("changes", done, torture.goal(GOAL))
    for outcome, count in counts.items():
        section.note(outcome, count)
    section.none(SILENT, silent)
    section.none("crashes, hangs, refusals, and differences that were reported and not set aside", faults)
    return [section]


def fill(torture, target):
    """Fills most tables with rows."""
    target.start()
    ledger = Ledger(torture.random)
    send_all(target, [ledger.new() for _ in range(PUSHES)])
    with target.control() as control:
        for number in range(20):
            control.call("PUT", f"/v1/apps/{APP}/settings/volume", {"value": f"{number}%"})
    target.run("local", "add", APP, "--id", "yearly", "--yearly", "12-24 18:00", "--title", "A feast")
    target.stop()


def restore(state):
    """Undoes the setting aside of the database, except for the file itself."""
    for path in state.glob("deskbell.sqlite-*"):
        path.unlink()
    kept = state / "damaged-1"
    for name in ("bundles", "handsets"):
        if (kept / name).exists():
            shutil.rmtree(state / name, ignore_errors=True)
            (kept / name).rename(state / name)
    shutil.rmtree(kept, ignore_errors=True)


def answers(target, last):
    found = {path: lasting(target.ask(path)) for path in ANSWERS}
    events = target.events()
    broken = [event for event in events if "error" in event]
    assert not broken, broken[0]
    found["events"] = [event for event in events if event["sequence"] <= last and event["event"] not in DRIVERS]
    return found


def lasting(value):
    if isinstance(value, dict):
        return {key: lasting(inner) for key, inner in value.items() if key not in MOMENTARY}
    return [lasting(inner) for inner in value] if isinstance(value, list) else value


def start(target, expected, last):
    """Starts the daemon on the database; returns an outcome, and its detail."""
    outcome = begin(target, AT_START)
    if outcome:
        return outcome
    found, problem = None, ""
    try:
        found = answers(target, last)
    except (AssertionError, HTTPException, OSError, ValueError) as error:
        # An answer of 404, 500 or 503, or none at all.
        problem = str(error)[-300:]
    target.process.send_signal(signal.SIGKILL)
    target.finish()
    if found == expected:
        return NO_EFFECT, ""
    is_logged = any("error" in line or "left out" in line for line in target.errors)
    outcome = begin(target, WHEN_READ)
    if outcome:
        return outcome
    target.stop()
    return ("reported" if is_logged or "sqlite" in problem else SILENT), problem or difference(expected, found)


def begin(target, outcome):
    """Starts the daemon. Returns None if it continues with the database."""
    try:
        target.start()
    except DidNotStart as error:
        return f"exit status {error.status}", error.said[-300:]
    if not any("is kept in" in line for line in target.errors):
        return None
    is_empty = target.ask("/v1/apps") == [] and (target.state / "damaged-1/deskbell.sqlite").is_file()
    target.stop()
    return (outcome if is_empty else "set aside, and not empty"), ""


def difference(expected, found, where=""):
    """Returns the first place where they differ."""
    if isinstance(expected, dict) and isinstance(found, dict):
        for key in expected:
            if expected[key] != found.get(key):
                return difference(expected[key], found.get(key), f"{where} {key}")
    if isinstance(expected, list) and isinstance(found, list):
        for number, (one, other) in enumerate(zip(expected, found)):
            if one != other:
                return difference(one, other, f"{where} {number}")
        return f"{where}: {len(found)} of {len(expected)}"
    return f"{where}: {str(found)[:60]} instead of {str(expected)[:60]}"
