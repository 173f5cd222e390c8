"""The instructions of a push, counted by callgrind, compared with those of the tree: a busy machine does not change them.

More than 2 % above the number in instructions.json fails; a change that makes a push cheaper lowers the number there
(--write)."""

import argparse
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from Benchmarks.measure import PAYLOADS, h2load
from Benchmarks.servers import deskbell
from Tests.support.project import DESKBELL, ROOT

RECORDED = Path(__file__).with_suffix(".json")
TOLERANCE = 0.02
BATCH = 100
CALLGRIND = ["valgrind", "--quiet", "--tool=callgrind"]
# Swift's hashes differ in each process otherwise, and with them the collisions in dictionaries.
ENVIRONMENT = {**os.environ, "SWIFT_DETERMINISTIC_HASHING": "1", "DESKBELL_SHARE": str(ROOT)}


def total(path):
    return int(re.search(r"^(?:summary|totals): (\d+)", path.read_text(), re.M).group(1))


def without_debugging_symbols(program, folder):
    """Valgrind cannot read them."""
    copy = folder / Path(program).name
    subprocess.run(["objcopy", "--strip-debug", program, copy], check=True)
    return copy


def control(server, *options):
    """Tells callgrind, in which the server runs."""
    subprocess.run(["callgrind_control", *options, str(server.pid)], check=True, capture_output=True)


def core(folder):
    """The handset and its store, in batches of 100. push-cost is counted with 10 commits and with 40, and the difference is
    what 30 of them cost."""
    program = without_debugging_symbols(ROOT / ".build/release/push-cost", folder)
    counts = []
    for commits in (10, 40):
        out = folder / f"core-{commits}"
        subprocess.run(
            [*CALLGRIND, f"--callgrind-out-file={out}", program, "writes", "--batches", str(BATCH), "--commits",
             str(commits), folder / f"stored-{commits}"], check=True, stdout=subprocess.DEVNULL, env=ENVIRONMENT)
        counts.append(total(out))
    return (counts[1] - counts[0]) / (30 * BATCH)


def daemon(folder, payload, pushes=1_000, windows=5):
    """The whole daemon: pushes of one connection, 100 under way. How they fall into batches varies, so the median counts."""
    program = without_debugging_symbols(DESKBELL, folder)
    out = folder / "daemon"
    launcher = [*CALLGRIND, "--instr-atstart=no", f"--callgrind-out-file={out}"]
    counts = []
    with deskbell(program=program, launcher=launcher, environment=ENVIRONMENT) as server:
        h2load(server.url, 1, BATCH, pushes, server.headers, payload=payload)
        control(server, "--instr=on")
        # Code is translated when it first runs.
        h2load(server.url, 1, BATCH, pushes, server.headers, payload=payload)
        for number in range(1, windows + 1):
            control(server, "--zero")
            h2load(server.url, 1, BATCH, pushes, server.headers, payload=payload)
            control(server, "--dump")
            counts.append(total(Path(f"{out}.{number}")) / pushes)
    return statistics.median(counts)


def processor():
    """The feature by which the C library and BoringSSL choose their routines. Of a processor that has it, valgrind shows
    the same other features to every program, whatever it has."""
    return "avx2" if re.search(r"^flags\s*:.*\bavx2\b", Path("/proc/cpuinfo").read_text(), re.M) else "no avx2"


def measure():
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        found = {"handset and store": core(folder)}
        for name in ("alert, badge, sound", "alert, badge"):
            found[f"daemon: {name}"] = daemon(folder, PAYLOADS[name])
    return {name: round(count) for name, count in found.items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true", help="write the counts to instructions.json")
    options = parser.parse_args()
    recorded = json.loads(RECORDED.read_text())
    if recorded["processor"] != processor() and not options.write:
        print(f"Counted on a processor with {recorded['processor']}; this one has {processor()}: not compared.")
        recorded = {}
    found = measure()
    dearer = []
    for name, count in found.items():
        limit = recorded.get(name)
        change = f"{(count / limit - 1) * 100:+.1f} %" if limit else "new"
        print(f"{count:>9,} instructions a push, {name}: {change} to {limit or 0:,}", flush=True)
        if limit and count > limit * (1 + TOLERANCE):
            dearer.append(name)
    if options.write:
        RECORDED.write_text(json.dumps({"processor": processor(), **found}, indent=2) + "\n")
    elif dearer:
        sys.exit(
            f"A push takes over {TOLERANCE:.0%} more instructions than {RECORDED.relative_to(ROOT)} has: "
            f"{', '.join(dearer)}. Find what it is with callgrind_annotate, or write why the push has to cost more and "
            "record it: make instructions WRITE=1")


if __name__ == "__main__":
    main()
