"""Emulated machines that a package is used on: what the package needs, the steps that the guest prints, and their times."""

import re
import subprocess
import threading
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


def run_guest(command, console, seconds, say, look=None, prints_all=True):
    """Runs an emulator, says each step that its guest prints, and keeps the whole console in a file. Returns true if the
    guest has passed in time.

    `look`: called with the rest of a line LOOK; its result is what the guest reads then. `prints_all`: also says what the
    guest prints beside its steps."""
    machine = subprocess.Popen(
        command, stdin=subprocess.PIPE if look else subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        text=True, errors="replace")
    is_late = threading.Event()

    def stop():
        is_late.set()
        machine.kill()

    alarm = threading.Timer(seconds, stop)
    alarm.start()
    passed = False
    with open(console, "w") as kept:
        for line in machine.stdout:
            line = line.strip()
            kept.write(line + "\n")
            kind, _, rest = line.partition(" ")
            if kind == "STEP":
                say(rest)
            elif kind == "NOTE":
                say(f"    {rest}")
            elif kind == "LOOK" and look:
                machine.stdin.write(look(rest) + "\n")
                machine.stdin.flush()
            elif line == "PASSED":
                passed = True
            elif "Kernel panic" in line:
                say(line)
                machine.kill()
            elif line and not passed and (prints_all or kind == "FAILED"):
                say(f"    | {line}")
    machine.wait()
    alarm.cancel()
    if is_late.is_set():
        say(f"no end after {seconds / 60:g} minutes")
    return passed and not is_late.is_set()
