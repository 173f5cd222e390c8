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
        self._control = control
        # The file that has the time; None if the bench has none.
        self.file = Path(file) if file else None
        self._moved = threading.Condition()
        self._now = 0.0
        # False for a bench that was started with the system's clock: nobody moves it.
        self.is_virtual = True
        self.refresh()

    def __call__(self) -> float:
        """Returns the time in Unix seconds. It sends no request, so it may be called often."""
        return self._now if self.is_virtual else time.time()

    time = __call__

    def __fspath__(self) -> str:
        if self.file is None:
            raise ValueError("this bench has no file with the time: start it with a virtual clock")
        return str(self.file)

    __str__ = __fspath__

    def __repr__(self) -> str:
        return f"<Clock {time.strftime('%Y-%m-%d %H:%M:%S', time.gmtime(self()))} UTC>"

    def advance(self, by: Time) -> None:
        """Advances the clock by whole seconds, at least one. All that falls due happens first, at its own moment."""
        length = math.ceil(round(seconds(by), 6))
        if length < 1:
            raise ValueError(f"the clock advances by at least a second, not by {by!r}")
        self._set(self._control.post("/v1/clock/advance", {"seconds": length})["wallMicroseconds"])

    def sleep(self, length: Time) -> None:
        """Returns when the test has advanced the clock so far."""
        if not self.is_virtual:
            return time.sleep(seconds(length))
        with self._moved:
            end = self._now + seconds(length)
            # Sums of floating-point seconds since 1970 are wrong by less than 0.1 ms.
            self._moved.wait_for(lambda: self._now > end - 0.0001)

    def refresh(self) -> None:
        """Reads the time anew, if another program has moved the clock."""
        report = self._control.get("/v1/clock")
        self.is_virtual = report["clock"] == "virtual"
        self._set(report["wallMicroseconds"])

    def _set(self, microseconds: int) -> None:
        with self._moved:
            self._now = microseconds / 1e6
            self._moved.notify_all()
