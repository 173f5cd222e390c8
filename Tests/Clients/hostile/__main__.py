"""Attacks the release binary, and measures the effect on another provider: `make test-hostile`."""

import argparse
import os
import signal
import subprocess
import sys

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("names", nargs="*", help="kinds, or parts of the names of attacks; all where there are none")
parser.add_argument("--untimed", action="store_true", help="do not hold the provider's waiting to its bound")
parser.add_argument("--seconds", type=float, default=1.5, help="how long an attack goes on that nothing ends")
parser.add_argument(
    "--long", type=float, default=0, metavar="SECONDS",
    help="also measure, for so long, what each request of a stranger has written; 60 or more, as the first cost most")
parser.add_argument("--who", choices=["anonymous", "credentials"], help="only attacks that are made so")
parser.add_argument("--binary", help="another binary of the daemon, for a comparison")
parser.add_argument("--json", help="a file for all figures")
arguments = parser.parse_args()
if arguments.binary:
    # Loading Tests.support.project reads this.
    os.environ["DESKBELL"] = os.path.abspath(arguments.binary)

from Tests.Clients.hostile import report  # noqa: E402
from Tests.Clients.hostile.run import run_all  # noqa: E402
from Tests.support.project import DESKBELL  # noqa: E402

# SIGTERM too must end the daemon and the attackers and remove their folder.
signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
rows, problems = run_all(arguments.names, not arguments.untimed, arguments.seconds, arguments.who, arguments.long)
if not arguments.untimed:
    print(report.COSTS, *report.costs(rows), sep="\n", flush=True)
if arguments.json:
    version = subprocess.run([DESKBELL, "--version"], capture_output=True, text=True, check=True).stdout.strip()
    report.write(arguments.json, version, rows, problems)
for problem in problems:
    print(problem, file=sys.stderr)
sys.exit(1 if problems else 0)
