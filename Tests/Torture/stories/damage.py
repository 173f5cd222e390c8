"""One byte of the database is changed. The daemon sets the file aside and begins empty, or reports what it left out, or
answers as before; or it refuses the file, which is another program's then as far as one can see.

What it answers is everything that the control API has of what is stored. A difference that nothing reports is a fault.
"""

import shutil
import signal
import sqlite3

from appliance import APP
from checker import Losses
from load import Ledger, send_all
from report import Section
from target import DidNotStart, Target

GOAL = 1_000
SHARE = 0.15
PUSHES = 300
ANSWERS = ("/v1/state", "/v1/apps", "/v1/tokens", "/v1/local", "/v1/conditions", "/v1/settings", "/v1/center",
           "/v1/providers", f"/v1/apps/{APP}", f"/v1/apps/{APP}/settings")
# Of the moment, not of the database.
DRIVERS = ("lamp", "display")
MOMENTARY = {"daemonUptimeMicroseconds", "uptimeMicroseconds", "wallMicroseconds", "pushAddress", "devices",
             "sinceUptimeMicroseconds", "lastEvent", "bannerUntilUptimeMicroseconds", "usage"}


def play(torture):
    section, other = Section("a changed byte in the database"), Losses()
    counts = dict.fromkeys(("set aside", "refused", "reported", "unaffected", "silently different"), 0)
    examples, done = [], 0
    with Target(torture.template) as target:
        fill(torture, target)
        target.start()
        pushed = target.ask("/v1/state")["lastEvent"]
        expected = answers(target, pushed)
        target.stop()
        checkpoint(target)
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
                other.other.append(f"byte {at} ^ {mask}: {outcome}: {detail}")
            if outcome == "silently different":
                examples.append(f"byte {at} ^ {mask}: {detail}")
            done += 1
            torture.progress(done, GOAL)
        restore(target.state)
        database.write_bytes(intact)
    section.at_least("changes", done, torture.goal(GOAL))
    for outcome, count in counts.items():
        # No page and no row but an event's record has a checksum.
        section.note(f"known fault: {outcome}" if outcome == "silently different" else outcome, count)
    for example in examples[:3]:
        section.note("for example", example)
    section.none("crashes, hangs and refusals without a reason", other.other)
    return [section]


def fill(torture, target):
    """Rows in most tables."""
    target.start()
    ledger = Ledger(torture.random)
    send_all(target, [ledger.new() for _ in range(PUSHES)])
    control = target.control()
    for number in range(20):
        control.call("PUT", f"/v1/apps/{APP}/settings/volume", {"value": f"{number}%"})
    control.close()
    target.run("local", "add", APP, "--id", "yearly", "--yearly", "12-24 18:00", "--title", "A feast")
    target.stop()


def restore(state):
    """Undoes that the database was set aside, but for the file itself."""
    for path in state.glob("deskbell.sqlite-*"):
        path.unlink()
    kept = state / "damaged-1"
    for name in ("bundles", "handsets"):
        if (kept / name).exists():
            shutil.rmtree(state / name, ignore_errors=True)
            (kept / name).rename(state / name)
    shutil.rmtree(kept, ignore_errors=True)


def checkpoint(target):
    """All of it is in the one file then."""
    database = sqlite3.connect(target.state / "deskbell.sqlite")
    database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    database.close()


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
    """What the daemon makes of the database: an outcome, and its detail."""
    try:
        target.start()
    except DidNotStart as error:
        names_it = "deskbell.sqlite" in error.said or "restore the database" in error.said
        return ("refused" if error.status == 1 and names_it else f"exit status {error.status}"), error.said[-300:]
    if any("is kept in" in line for line in target.errors):
        is_empty = target.ask("/v1/apps") == [] and (target.state / "damaged-1/deskbell.sqlite").is_file()
        target.stop()
        return ("set aside", "") if is_empty else ("set aside, and not empty", "")
    found, problem = None, ""
    try:
        found = answers(target, last)
    except AssertionError as error:
        # An answer of 404, 500 or 503.
        problem = str(error)[-300:]
    except (OSError, ValueError) as error:
        return "no answer", f"{error}; {target.errors[-2:]}"
    finally:
        target.process.send_signal(signal.SIGKILL)
        target.finish()
    if found == expected:
        return "unaffected", ""
    is_logged = any("error" in line or "left out" in line for line in target.errors)
    is_in_answer = "sqlite" in problem or "column" in problem
    if is_logged or is_in_answer or (found and any(event["event"] == "unreadable" for event in found["events"])):
        return "reported", ""
    return "silently different", problem or difference(expected, found)


def difference(expected, found, where=""):
    """The first place where they differ."""
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
