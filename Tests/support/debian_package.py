"""Queries about a Debian package for tests, and their progress."""

import re
import subprocess
import time


def dependencies(package):
    """Returns the names of the packages that it depends on, the first of each choice."""
    field = subprocess.run(
        ["dpkg-deb", "--field", package, "Depends"], check=True, stdout=subprocess.PIPE, text=True).stdout
    return [re.split(r"[ |(]", choice.strip())[0] for choice in field.split(",")]


class Timetable:
    """A timetable of steps, each with the seconds since the first."""

    def __init__(self):
        self.started = time.monotonic()
        self.lines = []

    def say(self, text):
        line = f"{time.monotonic() - self.started:7.1f} s  {text}"
        self.lines.append(line)
        print(line, flush=True)

    def write(self, path):
        path.write_text("\n".join(self.lines) + "\n")
