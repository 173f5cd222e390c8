"""The mailer's clock, which a test may put in its own hands."""

import asyncio
import datetime
import os
import time
from collections.abc import Callable
from pathlib import Path

# A clock that a test advances gives no notice: it is read this often.
POLL_SECONDS = 0.005
# Sums of floating-point seconds since 1970 are wrong by less than this.
ROUNDING_SECONDS = 0.0001


class Clock:
    """Unix time in seconds from the system, from a file that a test bench keeps up to date, or from a function."""

    def __init__(self, source: "str | os.PathLike[str] | Callable[[], float] | None" = None, ahead: float = 0) -> None:
        """`ahead`: seconds that this clock is wrong by."""
        self.ahead = ahead
        self.is_real = source is None
        if source is None:
            self._read: Callable[[], float] = time.time
        elif callable(source):
            self._read = source
        else:
            path = Path(source)
            self._read = lambda: read_file(path)

    def now(self) -> float:
        return self._read() + self.ahead

    async def until(self, moment: float) -> None:
        """Returns when this clock has reached the moment."""
        while (left := moment - self.now()) > ROUNDING_SECONDS:
            await asyncio.sleep(left if self.is_real else POLL_SECONDS)

    async def sleep(self, seconds: float) -> None:
        await self.until(self.now() + seconds)


def read_file(path: Path) -> float:
    """Reads `2026-01-01 00:00:00` or `@2026-01-01 00:00:00`, as libfaketime does, with or without a fraction, in UTC;
    or Unix seconds."""
    text = path.read_text().strip().removeprefix("@").removesuffix("Z")
    try:
        return float(text)
    except ValueError:
        return datetime.datetime.fromisoformat(text).replace(tzinfo=datetime.UTC).timestamp()
