"""Negative controls: each loss that the other stories look for is made by hand, and must be found."""

import sqlite3
import uuid

from Tests.Torture.checker import check, check_badge, check_rows
from Tests.Torture.stories.kill import Life
from Tests.Torture.target import Target
from Tests.support.report import Section

GOAL = 1
LIVES = 5
SHARE = 0


def play(torture):
    section = Section("negative controls of the checker")
    with Target(torture.template) as target:
        life = Life(target, torture.random)
        for _ in range(LIVES):
            life.live()
        life.end()
        section.equal("losses before anything is lost", life.losses.count, 0)
        section.at_least("pushes answered", len(life.ledger.answered()), 50)
        path = target.state / "deskbell.sqlite"
        first, second = life.ledger.answered()[-20], life.ledger.answered()[-10]

        change(path, "DELETE FROM notification WHERE push = ?", uuid.UUID(first.id).bytes)
        found = check_rows(life.events, path)
        section.equal("a notification is deleted", found.answered_without_row, [uuid.UUID(first.id).hex])

        change(path, "DELETE FROM event WHERE instr(record, ?) > 0", uuid.UUID(second.id).bytes)
        target.start()
        events = target.events()
        target.kill()
        # Its record may have the events of pushes of the same commit, too.
        section.equal("an event is deleted", second.id in check(life.ledger, events).answered_without_event, True)

    accepted = next(event for event in life.events if event["event"] == "accepted")
    twice = [*life.events, {**accepted, "sequence": life.events[-1]["sequence"] + 1}]
    section.equal("a push is stored twice", check(life.ledger, twice).rung_twice, [accepted["push"].lower()])
    other = {**accepted, "push": str(uuid.uuid4())}
    found = check(life.ledger, life.events, [(other, 0), ({**other, "sequence": 10**9}, 0)])
    section.equal("a number is given to another event", len(found.number_given_twice), 1)
    section.equal("an event was published, and is gone", len(found.published_and_gone), 1)
    badge = check_badge(life.ledger, life.events, {"presentation": {"badge": -1}})
    section.equal("another badge is shown", len(badge.wrong_badge), 1)
    return [section]


def change(path, sql, value):
    database = sqlite3.connect(path)
    database.execute(sql, (value,))
    database.commit()
    # Pages written by another program keep their old checksums, unless it rewrites all of them.
    database.execute("VACUUM")
    database.close()
