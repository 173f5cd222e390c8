"""Lengths of time, as tests write them."""

import datetime
import re

Time = float | int | str | datetime.timedelta
UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3_600.0, "d": 86_400.0}


def seconds(time: Time) -> float:
    """Returns the seconds of a number of seconds, a timedelta, or a text such as `500ms`, `2s` or `1h30m`."""
    if isinstance(time, datetime.timedelta):
        return time.total_seconds()
    if not isinstance(time, str):
        return float(time)
    parts = re.findall(r"(\d+(?:\.\d+)?)(ms|s|m|h|d)", time)
    if not parts or "".join(number + unit for number, unit in parts) != time:
        raise ValueError(f"'{time}' is no length of time; write 500ms, 2s, 10m, 1h30m or a number of seconds")
    return sum(float(number) * UNITS[unit] for number, unit in parts)


def text(time: float) -> str:
    """Returns seconds as a text: `0.003 s`, `2 s`, `12 m`, `1 h 30 m`."""
    if time < 120:
        return f"{round(time, 3):g} s"
    minutes, rest = divmod(round(time), 60)
    hours, minutes = divmod(minutes, 60)
    parts = [(hours, "h"), (minutes, "m"), (rest, "s")]
    return " ".join(f"{number} {unit}" for number, unit in parts if number)
