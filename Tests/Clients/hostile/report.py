"""The faults of a measurement, and the table of all measurements."""

import dataclasses
import json

# On an idle machine; elsewhere time is not measured, and memory has a wider bound.
ANSWER_MILLISECONDS = 50
# Signing in on a new connection: a check of the password, after one in progress.
PASSWORD_MILLISECONDS = 200
# More if several attacks run at once; and for password checks: each takes 16 MB, one at a time.
UNTIMED_GROWTH_MEGABYTES = 40
PASSWORD_MEGABYTES = 17
# The memory that may remain: the database's cache, code used for the first time, pages kept by the allocator. It does
# not add up: the same attack again leaves less each time.
LEFT_MEGABYTES = 4
CLOSE_SECONDS = 11
UNTIMED_CLOSE_SECONDS = 40
# The bytes written for a request without credentials.
WRITTEN_BYTES = 10

HEAD = """| Attack | By | Ended by | After | Provider p50 | p99 | longest | new connections | Refused | Lost \
| Memory grew | stayed | Written | Processor |
|---|---|---|---|---|---|---|---|---|---|---|---|---|---|"""


def faults(row, attack, timed):
    found = []
    limit = CLOSE_SECONDS if timed else UNTIMED_CLOSE_SECONDS
    if row.outcome.seconds is None or attack.ends and row.outcome.seconds > limit:
        found.append(f"the attacker was not ended in time: {row.outcome.end}")
    # If several attack the passwords at once, users of the service are refused too.
    refusals = {what: count for what, count in row.refusals.items() if timed or not what.startswith(row.kind)}
    if refusals:
        found.append("refused: " + ", ".join(f"{count} × {what}" for what, count in refusals.items()))
    if row.lost:
        found.append("lost: " + ", ".join(row.lost))
    allowed = (attack.megabytes if timed else UNTIMED_GROWTH_MEGABYTES) + (
        PASSWORD_MEGABYTES if row.kind in ("2008", "panel") else 0)
    if row.grown > allowed:
        found.append(f"memory grew by {row.grown:.1f} MB")
    if row.left > LEFT_MEGABYTES:
        found.append(f"{row.left:.1f} MB of memory stayed")
    if row.escaped:
        found.append(f"{row.escaped} processes of its programs go on without their app")
    if timed and attack.prepare and row.program_seconds is None:
        found.append("the neighbour's program did not run meanwhile")
    if timed:
        for name in "kept", "fresh", "service_kept", "service_fresh":
            waiting = getattr(row, name)
            if waiting and waiting.p99 > (PASSWORD_MILLISECONDS if name == "service_fresh" else ANSWER_MILLISECONDS):
                found.append(f"{name.replace('_', ', ')}: waited {waiting.p99:.0f} ms")
    if row.written_each is not None and row.written_each > WRITTEN_BYTES:
        found.append(f"{row.written_each:.0f} bytes written for a request")
    return found


def size(count):
    return f"{count / 1e6:.1f} MB" if count >= 1e5 else f"{count / 1e3:.0f} kB"


def by(row):
    if row.who == "anonymous":
        return "anyone"
    return {"panel": "a browser", "apps": "an app", "keys": "a key"}.get(row.kind, "a provider")


def line(row):
    after = "never" if row.outcome.seconds is None else f"{row.outcome.seconds:.1f} s"
    return "| " + " | ".join([
        row.name, by(row), row.outcome.end, after,
        f"{row.kept.p50:.0f} ms", f"{row.kept.p99:.0f} ms", f"{row.kept.longest:.0f} ms",
        f"{row.fresh.longest:.0f} ms", str(sum(row.refusals.values())), ", ".join(row.lost) or "–",
        f"{row.grown:.1f} MB", f"{row.left:.1f} MB", size(row.written), f"{row.processor:.1f} s"]) + " |"


COSTS = """| Attack | By | Requests | Accepted | Bytes accepted | Written for a request \
| Stored for an accepted byte | Resident for an accepted byte | Events |
|---|---|---|---|---|---|---|---|---|"""


def costs(rows):
    """Yields the disk and memory costs of requests: of strangers without other clients; else with the neighbour's."""
    for row in rows:
        outcome = row.outcome
        if row.written_each is None and not outcome.accepted_bytes:
            continue
        written = row.written / outcome.requests if row.written_each is None else row.written_each
        taken = outcome.accepted_bytes
        yield "| " + " | ".join([
            row.name, by(row), f"{outcome.requests:,}", f"{outcome.accepted:,}", f"{taken:,}",
            f"{written:,.0f} bytes", f"{row.stored / taken:.1f}" if taken else "–", f"{1e6 * row.grown / taken:.1f}" if taken else "–",
            f"{row.events:,}"]) + " |"


def write(path, version, rows, problems):
    """Writes all figures as JSON."""
    with open(path, "w") as file:
        json.dump({"version": version, "attacks": [dataclasses.asdict(row) for row in rows], "faults": problems}, file,
                  indent=1)
        file.write("\n")
