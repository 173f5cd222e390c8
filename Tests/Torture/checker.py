"""The conditions that a killed daemon must meet, checked with the ledger of its provider's answers."""

import sqlite3
from collections import Counter
from dataclasses import dataclass, field

# Reports of drivers and refusals do not wait for the disk: a power cut may remove them, but never gives their numbers
# to other events (ARCHITECTURE.md).
NOT_DURABLE = {"refused", "lamp", "display", "sound-started", "sound-ended", "device-lost", "device-back", "fault-struck"}
# Notification Center's limit for one app.
LISTED = 1_000


@dataclass
class Losses:
    """Lists of losses, one for each kind. All are empty if nothing was lost."""

    answered_without_event: list = field(default_factory=list)
    answered_without_row: list = field(default_factory=list)
    rung_twice: list = field(default_factory=list)
    never_sent: list = field(default_factory=list)
    numbers_not_ascending: list = field(default_factory=list)
    published_and_gone: list = field(default_factory=list)
    number_given_twice: list = field(default_factory=list)
    wrong_badge: list = field(default_factory=list)
    # Answered 503, and stored: no loss, as the client sends it again and it counts once.
    refused_and_stored: int = 0
    other: list = field(default_factory=list)

    def add(self, other):
        for name, value in vars(other).items():
            setattr(self, name, getattr(self, name) + value)

    def report(self, section):
        for name, value in vars(self).items():
            words = name.replace("_", " ")
            if isinstance(value, list):
                section.none(words, value)
            elif value:
                section.note(words, value)

    @property
    def count(self):
        return sum(len(value) for value in vars(self).values() if isinstance(value, list))


def check(ledger, events, seen=(), before=None):
    """Compares all events of a daemon with the ledger.

    - events: the daemon's whole journal of events.
    - seen: the events read by a follower: (event, length of the trace).
    - before: the length of that trace when the power was cut; later events never happened.
    """
    losses = Losses()
    numbers = [event["sequence"] for event in events]
    losses.numbers_not_ascending += [one for one, other in zip(numbers[1:], numbers) if one <= other]
    accepted = Counter(event["push"].lower() for event in events if event["event"] == "accepted")
    presented = Counter(event["push"].lower() for event in events if event["event"] == "presented")
    sounds = Counter(event["push"].lower() for event in events if event["event"] == "sound-started" and "push" in event)
    losses.answered_without_event += [
        push.id for push in ledger.answered(before) if not accepted[push.id] or not presented[push.id]]
    losses.rung_twice += [
        push for counts in (accepted, presented, sounds) for push, count in counts.items() if count > 1]
    losses.never_sent += [push for push in accepted if push not in ledger.pushes]
    losses.refused_and_stored = sum(
        1 for push in ledger.pushes.values() if push.statuses and push.answered is None and accepted[push.id])
    by_number = {event["sequence"]: event for event in events}
    for event, position in seen:
        if before is not None and position > before:
            continue
        found = by_number.get(event["sequence"])
        if found is None and event["event"] not in NOT_DURABLE:
            losses.published_and_gone.append(event)
        elif found is not None and found != event:
            losses.number_given_twice.append((event, found))
    return losses


def check_badge(ledger, events, state):
    """Checks that the badge is that of the last push with one. No push may be in progress."""
    badges = [ledger.pushes[event["push"].lower()].badge for event in events
              if event["event"] == "accepted" and event["push"].lower() in ledger.pushes]
    expected = next((badge for badge in reversed(badges) if badge), 0)
    shown = state["presentation"]["badge"]
    return Losses(wrong_badge=[] if shown == expected else [f"{shown} instead of {expected}"])


def check_rows(events, database):
    """Checks that the newest accepted pushes have their notifications, in order. Nothing else may use the database."""
    losses = Losses()
    connection = sqlite3.connect(f"file:{database}?mode=ro", uri=True)
    rows = [bytes(push)[:16].hex() for push, in connection.execute("SELECT push FROM notification ORDER BY key")]
    if connection.execute("PRAGMA integrity_check").fetchone() != ("ok",):
        losses.other.append("SQLite finds the database damaged")
    connection.close()
    order = [event["push"].lower().replace("-", "") for event in events if event["event"] == "accepted"][-LISTED:]
    if rows != order:
        known = set(rows)
        losses.answered_without_row += [push for push in order if push not in known] or ["rows in another order"]
    return losses
