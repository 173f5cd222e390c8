"""Waiting for a provider, in real time or while the clock advances."""

import time
from collections.abc import Callable

from pytest_deskbell.clock import Clock

# The real time that a provider has to act: at first, after each step of the clock or each sign of life, and at the end if
# it should not act any more.
FIRST_SECONDS, STEP_SECONDS, QUIET_SECONDS, POLL_SECONDS = 0.3, 0.02, 0.1, 0.002


def wait(is_enough: Callable[[], bool], timeout: float) -> bool:
    """Waits in real time. Returns false if the time was over first."""
    end = time.monotonic() + timeout
    while not is_enough():
        if time.monotonic() >= end:
            return False
        time.sleep(POLL_SECONDS)
    return True


def advance(
    clock: Clock, limit: float, is_enough: Callable[[], bool], progress: Callable[[], object], *, growth: float = 0.25,
    last: float = FIRST_SECONDS,
) -> bool:
    """Advances the clock in steps, by at most `limit` seconds. Returns false if that was not enough.

    A provider that shows progress gets time for more before the next step. A step is a second, or a share of what has
    passed, `growth`: so an hour is short, and pauses that a provider doubles are measured well. After the last step it
    has `last` seconds of real time."""

    def acts(length: float) -> bool:
        end, last = time.monotonic() + length, progress()
        while not is_enough():
            if (now := progress()) != last:
                end, last = time.monotonic() + STEP_SECONDS, now
            if time.monotonic() >= end:
                return False
            time.sleep(POLL_SECONDS)
        return True

    advanced = 0.0
    if acts(STEP_SECONDS if progress() else FIRST_SECONDS):
        return True
    while advanced < limit:
        step = min(max(1.0, advanced * growth // 1), limit - advanced)
        clock.advance(step)
        advanced += step
        if acts(STEP_SECONDS):
            return True
    return acts(last)
