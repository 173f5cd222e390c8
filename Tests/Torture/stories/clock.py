"""The wall clock is set 15 years ahead and back, and to 1970, while the daemon runs and while it is stopped.

Uptime continues. Pushes are answered at each of these times; the client does not compare the certificate with its own
clock. Pushes answered before are there afterwards, and repeated ones count once.
"""

import time

from Tests.Torture.checker import Losses
from Tests.Torture.load import send_all
from Tests.Torture.stories.kill import Life
from Tests.Torture.target import DidNotStart, Target
from Tests.support.report import Section

GOAL = 60
SHARE = 0.05
YEARS_15 = 15 * 365 * 86_400
# Before 2020 a clock was never set (`Policy.earliestWallTime`).
TIMES = {"15 years ahead": YEARS_15, "15 years back": -YEARS_15, "1970": None}
PUSHES = 20


def play(torture):
    section, total, steps, answers = Section("the wall clock is set"), Losses(), 0, {}
    while torture.goes_on(steps, GOAL):
        with Target(torture.template, library=torture.library) as target:
            life = Life(target, torture.random)
            for name, offset in TIMES.items():
                offset = -int(time.time()) if offset is None else offset
                for is_running in (True, False):
                    key = f"{name}, while it {'runs' if is_running else 'is stopped'}"
                    answers.setdefault(key, []).append(step(target, life, offset, is_running))
                    steps += 2
                    torture.progress(steps, GOAL, total)
            target.start()
            life.kill()
            total.add(life.end())
    section.at_least("steps of the clock", steps, torture.goal(GOAL))
    for key, results in answers.items():
        section.note(key, ", ".join(sorted({there for there, _ in results})))
        section.equal(f"{key}; answers when it is right again", sorted({back for _, back in results}), ["200"])
    total.report(section)
    return [section]


def step(target, life, offset, is_running):
    """Sets the clock and back; returns the pushes' answers at that time, and afterwards."""
    def pushed(seconds):
        target.authorization = target.bearer(iat=int(time.time()) + seconds)
        is_at = target.ask("/v1/state")["wallMicroseconds"] / 1e6 - time.time()
        if abs(is_at - seconds) > 600:
            return f"the daemon's clock is {is_at:.0f} s ahead, not {seconds} s"
        pushes = [life.ledger.new() for _ in range(PUSHES)] + life.ledger.unanswered()[:PUSHES]
        return words(send_all(target, pushes, checks_time=False))

    def restarted():
        try:
            target.start()
        except DidNotStart as error:
            return f"did not start: {error.said}"
        return None

    target.start()
    life.catch_up()
    pushed(0)
    if is_running:
        target.shim.step_clock(offset)
        there = pushed(offset)
        life.catch_up()
        target.shim.step_clock(0)
    else:
        target.kill()
        target.shim.step_clock(offset)
        there = restarted()
        if there is None:
            there = pushed(offset)
            life.kill()
        target.shim.step_clock(0)
        target.start()
    back = pushed(0)
    target.kill()
    return there, back


def words(statuses):
    return " ".join(str(status) for status in sorted(set(statuses)))
