"""The clock of the bench, for the test and for the provider under test."""

import math
import os
import threading
import time
from pathlib import Path

from pytest_deskbell.control import Control
from pytest_deskbell.times import Time, seconds


class Clock(os.PathLike[str]):
    """The handset's clock, which only the test moves.

    A provider takes it in one of three ways: as a function that returns Unix seconds, `clock()`; as the path of a file
    that has the time, `str(clock)` or `os.fspath(clock)`; or by `time()` and `sleep()` in place of those of `time`.
    """

    def __init__(self, control: Control, file: str) -> None:
        self._control, self.file = control, Path(file)
        self._moved = threading.Condition()
        self._now = 0.0
        self.refresh()

    def __call__(self) -> float:
        """Returns the time in Unix seconds. It asks nobody, so it may be called often."""
        return self._now

    time = __call__

    def __fspath__(self) -> str:
        return str(self.file)

    __str__ = __fspath__

    def __repr__(self) -> str:
        return f"<Clock {time.strftime('%Y-%m-%d %H:%M:%S', time.gmtime(self._now))} UTC>"

    def advance(self, by: Time) -> None:
        """Advances the clock by whole seconds, at least one. All that falls due happens first, at its own moment."""
        length = math.ceil(round(seconds(by), 6))
        if length < 1:
            raise ValueError(f"the clock advances by at least a second, not by {by!r}")
        self._set(self._control.post("/v1/clock/advance", {"seconds": length})["wallMicroseconds"])

    def sleep(self, length: Time) -> None:
        """Returns when the test has advanced the clock so far."""
        end = self._now + seconds(length)
        with self._moved:
            self._moved.wait_for(lambda: self._now >= end)

    def refresh(self) -> None:
        """Reads the time anew: someone else may have moved the clock."""
        self._set(self._control.get("/v1/clock")["wallMicroseconds"])

    def _set(self, microseconds: int) -> None:
        with self._moved:
            self._now = microseconds / 1e6
            self._moved.notify_all()
