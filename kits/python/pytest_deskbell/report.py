"""The sections of the report of a test that failed."""

from collections.abc import Callable, Iterator
from typing import Any

from pytest_deskbell.bell import Bell, Fault
from pytest_deskbell.requests import clock_time, columns

# Older rows are left out and counted.
ROWS = 60
# Keys of an event that its row has already.
ROW_KEYS = {"sequence", "event", "app", "uptimeMicroseconds", "wallMicroseconds", "realMicroseconds", "handset"}


def sections(bell: Bell) -> Iterator[tuple[str, str]]:
    """The sections that have something to say, each with its title."""
    parts: list[tuple[str, Callable[[Bell], str]]] = [
        ("requests", requests), ("faults", faults), ("pushes", explanations), ("lint", lint), ("events", events)]
    for title, write in parts:
        try:
            text = write(bell)
        except Exception as error:
            # The test has failed; this must not hide why.
            text = f"cannot be read: {error}"
        if text:
            yield f"bell: {title}", text
    for program in bell.programs:
        if output := program.output:
            status = program.process.poll()
            yield program.name, output + (f"(it exited with {status})" if status is not None else "")


def requests(bell: Bell) -> str:
    found = bell.requests()
    return newest(found.table().splitlines()) if found else "the provider sent no request"


def faults(bell: Bell) -> str:
    return "\n".join(f"{fault!r}: {hits(fault)}" for fault in bell.faults())


def hits(fault: Fault) -> str:
    count = int(fault.raw["hits"])
    return {0: "never struck", 1: "struck once", 2: "struck twice"}.get(count, f"struck {count} times")


def explanations(bell: Bell) -> str:
    ids = dict.fromkeys(event["push"] for event in bell.events() if event.get("push"))
    return newest([f"{identifier}: {bell.explain(identifier)}" for identifier in list(ids)[-ROWS:]])


def lint(bell: Bell) -> str:
    return newest([repr(finding) for finding in bell.lint()])


def events(bell: Bell) -> str:
    rows = [row(event) for event in bell.events()]
    return newest(columns(rows).splitlines()) if rows else ""


def row(event: dict[str, Any]) -> list[str]:
    more = "  ".join(
        f"{key}={f'{value[:8]}…' if key == 'push' else value}" for key, value in event.items() if key not in ROW_KEYS)
    return [str(event["sequence"]), clock_time(event), event["event"], event.get("app", ""), more]


def newest(rows: list[str]) -> str:
    left = len(rows) - ROWS
    return "\n".join([f"({left} before these)", *rows[-ROWS:]] if left > 0 else rows)
