"""The virtual board: the daemon as shipped, on a real kernel with simulated lines and a loop-back sound card, in an
emulator with its own time.

    python3 -m Tests.Hardware.run   every scenario, twice; the two runs have to agree in every byte
    … --once [NAME …]               these scenarios (all of them), once
    … --read                        measures the results of the last run again

The daemon is .build/release/deskbell, or $DESKBELL. The report goes to .build/hardware/report.txt and to standard
output; the exit code is 1 if a goal is missed.
"""

import argparse
import fcntl
import filecmp
import importlib
import itertools
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from Tests.Hardware import boards as board_files, image, line_trace, machine
from Tests.support import report
from Tests.support.project import ROOT

HERE = Path(__file__).resolve().parent
CACHE = ROOT / ".build/hardware"
SCENARIOS = [
    "probe", "boards", "pushes", "lights", "countdown", "sound", "ducking", "music", "scan", "vanish", "buttons",
    "answering", "setup", "idle"]


class Run:
    """The results of one run."""

    def __init__(self, folder, boards, lights):
        self.folder, self.boards, self.lights = folder, boards, lights
        self.numbers = {name: line_trace.event_number((folder / f"{name}.format").read_text())
                        for name in ("gpio_value", "gpio_direction", "print")}

    def bytes(self, scenario, name):
        return (self.folder / scenario / name).read_bytes()

    def text(self, scenario, name):
        return (self.folder / scenario / name).read_text()

    def events(self, scenario, name=None):
        lines = self.text(scenario, f"{name or scenario}.events").splitlines()
        return [json.loads(line) for line in lines]

    def trace(self, scenario):
        return line_trace.read(self.bytes(scenario, "trace"), self.numbers)

    def failures(self, scenario):
        path = self.folder / scenario / "failures"
        return path.read_text().splitlines() if path.exists() else []

    def line(self, board, part="lamp", key="line"):
        """Returns a line of one of the board's devices, as the trace names it."""
        board = self.boards.get(board) or self.lights[board]
        return board["lines"][str(board[part][key])]

    def section(self, scenario, title):
        """Returns a section of the report that begins with the scenario's faults."""
        section = report.Section(title)
        section.none("faults", self.failures(scenario))
        return section


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--once", action="store_true", help="one run, compared with none")
    parser.add_argument("--read", action="store_true", help="no run: the last one's files")
    parser.add_argument("scenarios", nargs="*", metavar="NAME", help=f"of {', '.join(SCENARIOS)}")
    options = parser.parse_args()
    unknown = [name for name in options.scenarios if name not in SCENARIOS]
    if unknown:
        parser.error(f"no scenario '{unknown[0]}': there are {', '.join(SCENARIOS)}")
    deskbell = Path(os.environ.get("DESKBELL", ROOT / ".build/release/deskbell"))
    if not deskbell.exists():
        sys.exit(f"{deskbell} is missing: run make build")
    boards = board_files.read(deskbell, ROOT / "board-configs")
    lights = board_files.read(deskbell, HERE / "guest/boards")
    scenarios = [name for name in SCENARIOS if not options.scenarios or name in options.scenarios]
    CACHE.mkdir(parents=True, exist_ok=True)
    lock = open(CACHE / "lock", "w")
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        sys.exit(f"another run is using {CACHE}: wait for it, or end it")
    folders = [CACHE / "runs" / str(number) for number in range(1, 2 if options.once or options.read else 3)]
    if not options.read:
        play(deskbell, boards | lights, scenarios, folders)

    run = Run(folders[0] / "out", boards, lights)
    sections = [section for name in scenarios for section in measure(name, run)]
    sections.append(whole(run, folders))
    text = report.text(sections)
    (CACHE / "report.txt").write_text(text)
    print(text)
    missed = report.missed(sections)
    for line in missed:
        print(f"missed: {line}", file=sys.stderr)
    sys.exit(1 if missed else 0)


def play(deskbell, boards, scenarios, folders):
    """Runs the boards, at once if there is a core for each."""
    kernel = Path(subprocess.run([HERE / "kernel.sh"], check=True, stdout=subprocess.PIPE, text=True).stdout.strip())
    begun = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="deskbell-board-") as work:
        built = image.build(deskbell, kernel, boards, scenarios, Path(work))
        at_once = len(os.sched_getaffinity(0))
        for first in range(0, len(folders), at_once):
            play_at_once(kernel, built, folders[first:first + at_once])
    # The load of this machine: it interrupted programs that were not done.
    taken = resource.getrusage(resource.RUSAGE_CHILDREN).ru_nivcsw
    print(f"== {len(folders)} run(s) in {time.monotonic() - begun:.0f} s, interrupted {taken:,} times; "
          f"load {os.getloadavg()[0]:.1f}", flush=True)


def play_at_once(kernel, built, folders):
    machines = []
    try:
        for core, folder in zip(sorted(os.sched_getaffinity(0)), folders):
            machines.append(machine.start(kernel, built, folder, core))
        for running, folder in zip(machines, folders):
            machine.finish(running, folder)
    except machine.MachineError as error:
        sys.exit(f"the virtual board: {error}")
    finally:
        for running in machines:
            if running.poll() is None:
                running.kill()
                running.wait()


def measure(name, run):
    """Returns a scenario's sections of the report. Missing results are a missed goal, not a stack trace."""
    try:
        sections = importlib.import_module(f"Tests.Hardware.checks.{name}").check(run)
        return sections if isinstance(sections, list) else [sections]
    except (OSError, LookupError, ValueError, AttributeError, ArithmeticError, line_trace.TraceError) as error:
        section = report.Section(name)
        section.none("what it left", run.failures(name) + [f"{type(error).__name__}: {error}"])
        return [section]


def whole(run, folders):
    section = report.Section("The runs")
    section.note("kernel", run.folder.joinpath("kernel").read_text().strip())
    section.note("clock", run.folder.joinpath("clocksource").read_text().strip())
    left = run.folder / "failures"
    section.none("faults", left.read_text().splitlines() if left.exists() else [])
    if len(folders) > 1:
        different = differing(*folders)
        section.none("differences of the two runs, the kernel's time stamps among them", different)
        if different:
            section.note("the traces go apart", first_difference(folders, run))
    return section


def differing(one, other):
    """Returns the files that are not the same, byte for byte."""
    names = [{path.relative_to(folder / "out") for path in (folder / "out").rglob("*") if path.is_file()}
             for folder in (one, other)]
    return sorted(str(name) for name in names[0] | names[1]
                  if name not in names[0] & names[1]
                  or not filecmp.cmp(one / "out" / name, other / "out" / name, shallow=False))


def first_difference(folders, run):
    """Returns the first place where the runs differ, to find what the board does not determine."""
    for line in run.folder.joinpath("timetable").read_text().splitlines():
        scenario = line.split()[0]
        paths = [folder / "out" / scenario / "trace" for folder in folders]
        if not all(path.exists() for path in paths):
            continue
        for one, other in itertools.zip_longest(*(line_trace.records(path.read_bytes()) for path in paths)):
            if one != other:
                return f"in {scenario} at {(one or other)[0] / 1e9:.6f} s"
    return "nowhere"


if __name__ == "__main__":
    main()
