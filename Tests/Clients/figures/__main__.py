"""Compares figures of programs: the cost of an attack or a client for each of them.

    .build/clients/bin/python -m Tests.Clients.figures /path/to/released/deskbell .build/release/deskbell

prints a table with a column for each program. Each file beside this one measures one figure; parts of their names choose
some: --only refusals. A program needs the folders Sounds and board-configs of its release above it.
"""

import argparse
import importlib
import os
import subprocess
import sys
from pathlib import Path

from Tests.support.appliance import Appliance

HERE = Path(__file__).resolve().parent


def measure(program, name):
    """Returns one figure of one program, in a process of its own: importing Tests.support.project chooses the program."""
    done = subprocess.run(
        [sys.executable, "-m", "Tests.Clients.figures", "--one", name], env={**os.environ, "DESKBELL": str(program)},
        capture_output=True, text=True, timeout=300)
    rows = [line.split("\t") for line in done.stdout.splitlines() if "\t" in line]
    return rows or [[name, f"failed: {(done.stderr.strip().splitlines() or ['no output'])[-1]}"]]


def measure_here(name):
    module = importlib.import_module(f"Tests.Clients.figures.{name}")
    with Appliance(*getattr(module, "OPTIONS", [])) as appliance:
        for what, value in module.measure(appliance):
            print(f"{what}\t{value}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("programs", nargs="*", type=Path, help="the deskbell programs, the oldest first")
    parser.add_argument("--only", action="append", default=[], help="part of the name of a figure; may be repeated")
    parser.add_argument("--one", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.one:
        return measure_here(arguments.one)
    if not arguments.programs:
        parser.error("name at least one program")
    versions = [subprocess.run([program, "--version"], capture_output=True, text=True, check=True).stdout.strip()
                for program in arguments.programs]
    print(f"| Figure | {' | '.join(versions)} |\n|---|{'---|' * len(versions)}", flush=True)
    for path in sorted(HERE.glob("[a-z]*.py")):
        if arguments.only and not any(part in path.stem for part in arguments.only):
            continue
        columns = [dict(measure(program.resolve(), path.stem)) for program in arguments.programs]
        for what in dict.fromkeys(what for column in columns for what in column):
            print(f"| {what} | {' | '.join(column.get(what, '–') for column in columns)} |", flush=True)


if __name__ == "__main__":
    main()
