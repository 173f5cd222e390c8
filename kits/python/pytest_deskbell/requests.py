"""The requests of the provider, as the bench recorded them."""

import json
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, overload

from pytest_deskbell.times import Time, seconds, text
from pytest_deskbell.waiting import FIRST_SECONDS, QUIET_SECONDS

if TYPE_CHECKING:
    from pytest_deskbell.bell import Bell

# The words of `same` beside the names of header fields.
FIELDS = {"payload": "payload", "token": "token", "app": "app", "path": "path", "connection": "connection"}


class Request:
    """A request. `raw` has everything that was recorded, under the names of the control API."""

    def __init__(self, raw: Mapping[str, Any]) -> None:
        self.raw = raw
        self.number: int = raw["request"]
        self.connection: int = raw["connection"]
        self.stream: int | None = raw.get("stream")
        self.method: str = raw["method"]
        self.path: str = raw["path"]
        self.app: str | None = raw.get("app")
        self.token: str | None = raw.get("token")
        # The push's identifier, as answered, or as sent.
        self.push: str | None = raw.get("push")
        # The handset's uptime in seconds.
        self.uptime: float = raw["uptimeMicroseconds"] / 1e6
        answer = raw.get("answer") or {}
        # None while there is no answer, and if it ended without one: `end` says how.
        self.status: int | None = answer.get("status")
        self.reason: str | None = answer.get("reason")
        # The origin of the answer: handset, limit or fault; and the fault's name.
        self.by: str | None = answer.get("by")
        self.fault: str | None = answer.get("fault")
        self.end: str | None = raw.get("end")
        self.lint: list[str] = list(raw.get("lint", []))

    @property
    def headers(self) -> dict[str, str]:
        """The header fields by their names in lower case; the last one of several."""
        return {name.lower(): value for name, value in self.raw["headers"]}

    @property
    def payload(self) -> str | None:
        return self.raw.get("payload")

    @property
    def json(self) -> Any:
        """The payload's value. Throws ValueError if it is no JSON."""
        return json.loads(self.payload or "")

    @property
    def is_over(self) -> bool:
        return self.status is not None or self.end is not None

    def value(self, name: str) -> object:
        return self.raw.get(FIELDS[name]) if name in FIELDS else self.headers.get(name.lower())

    def __str__(self) -> str:
        return "  ".join(self.cells()).rstrip()

    __repr__ = __str__

    def cells(self) -> list[str]:
        """The cells of its row in a table."""
        priority = self.raw.get("priority")
        kind = " ".join(filter(None, [self.raw.get("pushType"), f"p{priority}" if priority else None]))
        outcome = f"{self.status} {self.reason or ''}".strip() if self.status else self.end or "no answer yet"
        if self.fault:
            outcome += f" (fault {self.fault})"
        elif self.by == "limit":
            outcome += " (limit)"
        identifier = self.push or self.headers.get("apns-id")
        return [
            f"#{self.number}", clock_time(self.raw), f"c{self.connection}", self.app or self.path, kind,
            f"id {identifier[:8]}…" if identifier else "no id", outcome, " ".join(self.lint)]


class Requests(Sequence[Request]):
    """Requests in the order of their arrival. It does not change: `wait_for` returns another."""

    def __init__(self, bell: "Bell", filters: Mapping[str, object], requests: Sequence[Request]) -> None:
        self._bell, self._filters, self._requests = bell, filters, tuple(requests)

    @overload
    def __getitem__(self, index: int) -> Request: ...
    @overload
    def __getitem__(self, index: slice) -> "Requests": ...
    def __getitem__(self, index: int | slice) -> "Request | Requests":
        if isinstance(index, slice):
            return Requests(self._bell, self._filters, self._requests[index])
        return self._requests[index]

    def __len__(self) -> int:
        return len(self._requests)

    def __iter__(self) -> Iterator[Request]:
        return iter(self._requests)

    def __repr__(self) -> str:
        return f"<{requests(len(self))}{self._of()}>"

    def table(self) -> str:
        """The requests as a table, one a line."""
        return columns([request.cells() for request in self])

    @property
    def statuses(self) -> "Statuses":
        """The status of each answer; None for a request without one."""
        return Statuses(self)

    @property
    def gaps(self) -> "list[Gap]":
        """The seconds between each request and the one before, by the handset's clock."""
        return [Gap(before, after) for before, after in zip(self, self._requests[1:], strict=False)]

    @property
    def connections(self) -> "Count":
        """The number of connections that they came over."""
        return Count(self)

    def same(self, *names: str) -> "Same":
        """True if all have the same values of these header fields; `payload` and `token` are names too."""
        return Same(self, names)

    def wait_for(self, count: int, *, advancing: Time | None = None, timeout: Time = 10) -> "Requests":
        """Returns the requests as soon as there are so many, each with its answer or its end.

        With `advancing`, the clock advances meanwhile, in steps, by at most this time. Without it, `timeout` is the
        real time to wait. Throws AssertionError."""
        __tracebackhide__ = True
        found = self._follow(count, advancing, timeout)
        if not found._has(count):
            raise AssertionError(found._missing(count, advancing, timeout))
        return found

    def exactly(self, count: int, *, advancing: Time) -> "Requests":
        """Advances the clock by this time, in steps, and returns the requests. Throws AssertionError if there are more
        or fewer."""
        __tracebackhide__ = True
        found = self._follow(count + 1, advancing, 10, growth=1, last=QUIET_SECONDS)
        if len(found) > count:
            raise AssertionError(
                f"{requests(count)} expected{found._of()}, {len(found)} came while the clock advanced by "
                f"{text(seconds(advancing))}; the first too many is #{found[count].number}{found._indented()}")
        if not found._has(count):
            raise AssertionError(found._missing(count, advancing, 10))
        return found

    def _follow(self, count: int, advancing: Time | None, timeout: Time, *, growth: float = 0.25,
                last: float = FIRST_SECONDS) -> "Requests":
        """Returns the requests once there are so many, or the time is over."""
        bell = self._bell
        found = bell.requests(**self._filters)

        def is_enough() -> bool:
            nonlocal found
            found = bell.requests(**self._filters)
            return found._has(count)

        bell.wait(is_enough, lambda: found._progress(), advancing, timeout, growth=growth, last=last)
        return found

    def _progress(self) -> int:
        """A number that grows with each request and each answer."""
        return len(self) + sum(request.is_over for request in self)

    def _has(self, count: int) -> bool:
        return len(self) >= count and all(request.is_over for request in self)

    def _missing(self, count: int, advancing: Time | None, timeout: Time) -> str:
        open_ = [f"#{request.number}" for request in self if not request.is_over]
        when = (f"in {text(seconds(timeout))}" if advancing is None
                else f"while the clock advanced by {text(seconds(advancing))}")
        what = (f"{', '.join(open_)} had no answer" if len(self) >= count
                else f"{requests(count)} expected{self._of()}, {len(self) or 'none'} came")
        return f"{what} {when}{self._indented()}"

    def _of(self) -> str:
        return "".join(f" of {name} {value}" for name, value in self._filters.items() if value is not None)

    def _indented(self) -> str:
        return "".join(f"\n  {line}" for line in self.table().splitlines())


class Statuses(list[int | None]):
    """The statuses of requests, whose comparison explains itself."""

    def __init__(self, of: Requests) -> None:
        super().__init__(request.status for request in of)
        self._of = of

    def explain(self, expected: Sequence[object]) -> list[str]:
        """The lines of a failed comparison."""
        lines = [f"answers are {listed(self)}, expected {listed(expected)}"]
        rows = self._of.table().splitlines()
        for place, row in enumerate(rows):
            if place >= len(expected):
                lines.append(f"  {row}   <- no request was expected")
            else:
                wanted = expected[place]
                lines.append(f"  {row}" + (f"   <- expected {wanted}" if wanted != self[place] else ""))
        lines += [f"  no request #{place + 1} came, expected {wanted}" for place, wanted in enumerate(expected)
                  if place >= len(rows)]
        return lines


class Gap(float):
    """The seconds between two requests."""

    _text: str

    def __new__(cls, before: Request, after: Request) -> "Gap":
        self = super().__new__(cls, round(after.uptime - before.uptime, 6))
        self._text = f"#{before.number} to #{after.number}"
        return self

    def __repr__(self) -> str:
        return f"{text(float(self))} from {self._text}"

    def __reduce__(self) -> tuple[type[float], tuple[float]]:
        return float, (float(self),)


class Count(int):
    """The number of connections."""

    _of: Requests

    def __new__(cls, of: Requests) -> "Count":
        self = super().__new__(cls, len({request.connection for request in of}))
        self._of = of
        return self

    def explain(self, expected: object) -> list[str]:
        """The lines of a failed comparison."""
        by: dict[int, list[str]] = {}
        for request in self._of:
            by.setdefault(request.connection, []).append(f"#{request.number}")
        return [f"the requests came over {int(self)} connections, expected {expected}",
                *(f"  c{connection}: {' '.join(numbers)}" for connection, numbers in by.items())]

    def __reduce__(self) -> tuple[type[int], tuple[int]]:
        return int, (int(self),)


class Same:
    """The answer of `Requests.same`: true, or the difference."""

    def __init__(self, of: Requests, names: Sequence[str]) -> None:
        self._differences: list[str] = []
        for name in names:
            values = [(request, request.value(name)) for request in of]
            if len({repr(value) for _, value in values}) > 1:
                self._differences.append(f"{name} differs: " + ", ".join(
                    f"#{request.number} {'none' if value is None else value}" for request, value in values))
            elif values and values[0][1] is None:
                self._differences.append(f"no request has {name}")

    def __bool__(self) -> bool:
        return not self._differences

    def __repr__(self) -> str:
        return "; ".join(self._differences) or "same"


def columns(rows: list[list[str]]) -> str:
    """Aligns rows of cells; columns that are empty are left out."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True) if width).rstrip() for row in rows)


def clock_time(raw: Mapping[str, Any]) -> str:
    """The handset's time of day, in UTC."""
    micros = raw.get("wallMicroseconds", raw["uptimeMicroseconds"])
    return time.strftime("%H:%M:%S", time.gmtime(micros // 1_000_000)) + f".{micros // 1000 % 1000:03}"


def requests(count: int) -> str:
    return "1 request" if count == 1 else f"{count} requests"


def listed(values: Sequence[object]) -> str:
    return ", ".join("none" if value is None else str(value) for value in values) or "none"
