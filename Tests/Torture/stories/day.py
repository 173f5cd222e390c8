"""24 hours on the virtual clock, each with pushes as fast as possible, and a restart or a kill after each.

Memory, descriptors and the database are at the end as after the first hour. In a whole run the first hour fills the
journal of events, which reaches its limit last.
"""

from Tests.Torture.checker import Losses, check
from Tests.Torture.load import Ledger, Pusher
from Tests.Torture.target import Target
from Tests.support.report import Section
from Tests.support.usage import descriptors, kilobytes

GOAL = 24
SHARE = 0.1
# Enough to fill the journal of events, which keeps 100,000; each push has two or more.
FIRST_HOUR = 45_000
HOUR = 4_000
# Relative to the figures after the first hour.
GROWTH = 1.05
MEGABYTES = 1.5


def play(torture):
    section, total, hours, after = Section("a day on the virtual clock"), Losses(), 0, []
    is_whole = torture.goal(GOAL) == GOAL
    with Target(torture.template, "--clock", "virtual") as target:
        while hours < max(2, torture.goal(GOAL)):
            target.start()
            count = FIRST_HOUR if is_whole and hours == 0 else HOUR if is_whole else HOUR // 4
            for _ in range(0, count, HOUR):
                total.add(push(torture, target, min(count, HOUR)))
            after.append(measured(target))
            target.run("clock", "advance", "1h")
            if torture.random.random() < 0.5:
                target.kill()
            else:
                target.stop()
            for path in target.sounds.glob("*.wav"):
                path.unlink()
            hours += 1
            torture.progress(hours, GOAL, total)
    first, last = after[0], after[-1]
    section.note("hours", hours)
    section.at_most(f"megabytes of its own memory, of {first[0]:.1f} after the first hour", last[0],
                    first[0] * GROWTH + MEGABYTES)
    section.at_most(f"descriptors, of {first[1]}", last[1], first[1])
    if is_whole:
        section.at_most(f"megabytes of database, of {first[2]:.1f}", last[2], first[2] * GROWTH)
    total.report(section)
    return [section]


def push(torture, target, count):
    """Sends `count` pushes, all answered; returns the losses."""
    ledger, begun = Ledger(torture.random), target.ask("/v1/state")["lastEvent"]
    pusher = Pusher(target, ledger, 100)
    pusher.wait(count)
    pusher.stop()
    losses = check(ledger, target.events(begun))
    if pusher.answers < count:
        losses.other.append(f"the connection ended after {pusher.answers} of {count} pushes")
    return losses


def measured(target):
    """Returns megabytes of memory, descriptors, and megabytes of the database and its log. Not of the program's file: its
    pages are given back whenever it is quiet."""
    pid = target.process.pid
    files = [path for path in target.state.glob("deskbell.sqlite*") if not path.name.endswith("-shm")]
    stored = sum(path.stat().st_size for path in files)
    return kilobytes(pid, "RssAnon") / 1024, descriptors(pid), stored / 1e6
