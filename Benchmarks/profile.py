"""The processor time of a push, by modules and their functions, from samples of a running Deskbell.

A sample belongs to the innermost function of ours on its stack, with all that the runtime, a library and the kernel do for
it. Needs perf (linux-perf), and the right to use it."""

import argparse
import collections
import re
import signal
import subprocess
import tempfile
import time

from Benchmarks.measure import h2load, scheduled_seconds
from Benchmarks.servers import deskbell

MODULES = (
    "AppLink Board Clocks DeskbellDaemon HTTP2Session HTTP HandsetCore InputRecording HandsetStore "
    "PushPort ServerIdentity Speaker").split()
PREFIXES = {f"$s{len(module)}{module}": module for module in MODULES}
LIBRARIES = (("NIOSSL", "TLS"), ("NIO", "NIO"))


def module_of(symbol):
    return next((module for prefix, module in PREFIXES.items() if symbol.startswith(prefix)), None)


def stacks(path):
    """Each sample's symbols, innermost first."""
    text = subprocess.run(
        ["perf", "script", "-i", path, "-F", "comm,ip,sym"], capture_output=True, text=True, check=True).stdout
    for sample in text.split("\n\n"):
        lines = sample.strip("\n").split("\n")
        if len(lines) > 1:
            yield [line.split(maxsplit=1)[1] if len(line.split()) > 1 else "?" for line in lines[1:]]


def demangled(symbols):
    symbols = list(symbols)
    output = subprocess.run(
        ["swift", "demangle", "--compact", "--simplified"], input="\n".join(symbols), capture_output=True, text=True,
        check=True).stdout.splitlines()
    return dict(zip(symbols, output))


def record(requests, streams):
    """The samples, and µs of processor a push."""
    with deskbell() as server, tempfile.TemporaryDirectory() as folder:
        h2load(server.url, 1, streams, requests // 4, server.headers)
        path = f"{folder}/perf.data"
        with subprocess.Popen(
                ["perf", "record", "-e", "cpu-clock", "-F", "4999", "-g", "-p", str(server.pid), "-o", path],
                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as recorder:
            # It says nothing when it has begun.
            time.sleep(1)
            used = scheduled_seconds(server.pid)
            h2load(server.url, 1, streams, requests, server.headers)
            cost = (scheduled_seconds(server.pid) - used) / requests * 1e6
            recorder.send_signal(signal.SIGINT)
        return list(stacks(path)), cost


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--requests", type=int, default=20_000)
    parser.add_argument("--streams", type=int, default=100, help="of one connection")
    parser.add_argument("--functions", type=int, default=30, help="how many to list")
    options = parser.parse_args()
    samples, cost = record(options.requests, options.streams)
    modules, functions = collections.Counter(), collections.Counter()
    for stack in samples:
        own = next((symbol for symbol in stack if module_of(symbol)), None)
        library = next((name for key, name in LIBRARIES if any(re.match(rf"\$s\d+{key}", one) for one in stack)), None)
        # Frames of TLS and NIO between two functions of ours count as theirs.
        nearest = next((symbol for symbol in stack if module_of(symbol) or re.match(r"\$s\d+NIO", symbol)), None)
        if own and own == nearest:
            modules[module_of(own)] += 1
            functions[own] += 1
        else:
            modules[library or "threads, kernel"] += 1
    share = cost / max(len(samples), 1)
    print(f"{cost:.1f} µs of processor a push, 1 × {options.streams}, {len(samples)} samples")
    for module, count in modules.most_common():
        print(f"  {count * share:6.1f} µs  {module}")
    print("functions:")
    names = demangled(functions)
    for symbol, count in functions.most_common(options.functions):
        print(f"  {count * share:6.2f} µs  {module_of(symbol)}: {names[symbol][:110]}")


if __name__ == "__main__":
    main()
