"""The cost of a push: beside a plain Go server that stores the same as durably, beside nghttpd's static answer and the
disk's own pace; what it writes; what a start and an idle appliance cost. Rates are compared within one run.

Writes a table, and $RESULTS (.build/bench/results.json)."""

import argparse
import contextlib
import itertools
import json
import os
import platform
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

from Benchmarks import handsets, metrics, mosquitto, stored
from Benchmarks.measure import (
    PAYLOAD, PAYLOADS, disk_wait, h2load, resident_megabytes, scheduled_seconds, start, wake_ups)
from Benchmarks.servers import BUILT, build, deskbell, go, nghttpd
from Tests.support.appliance import Appliance
from Tests.support.project import DESKBELL

# Connections, streams of each, requests.
SHAPES = [(1, 1, 2_000), (1, 100, 20_000), (10, 100, 20_000)]
SLOW_DISK_MICROSECONDS = 15_000


def name(shape):
    return f"{shape[0]}×{shape[1]}"


def measure(server, shape, payload=PAYLOAD):
    connections, streams, requests = shape
    used = scheduled_seconds(server.pid)
    load = h2load(server.url, connections, streams, requests, server.headers, latencies=True, payload=payload)
    return {
        "rate": load.rate, "processor": (scheduled_seconds(server.pid) - used) / requests * 1e6,
        "p50": load.percentile(50), "p99": load.percentile(99)}


def median(rounds):
    return {key: statistics.median(one[key] for one in rounds) for key in rounds[0]}


def version(program):
    return subprocess.run([program, "--version"], capture_output=True, text=True, check=True).stdout.strip()


def programs(before):
    """Returns this program and an earlier one, if any, by their names in the tables."""
    return {"Deskbell": DESKBELL} | ({version(before): before} if before else {})


def alternating(servers, number):
    """There and back: what else the machine is busy with is no server's own."""
    return servers[::-1] if number % 2 else servers


def contest(rounds, before):
    """Requests a second and µs of processor a request, of each server in turn."""
    with contextlib.ExitStack() as stack:
        daemons = [stack.enter_context(deskbell(program=program, name=label))
                   for label, program in programs(before).items()]
        same, static = stack.enter_context(go(daemons[0])), stack.enter_context(nghttpd(daemons[0]))
        folder = stack.enter_context(tempfile.TemporaryDirectory())
        measured, waits = {}, []
        for number in range(rounds):
            print(f"  round {number + 1} of {rounds}", flush=True)
            waits.append(disk_wait(folder))
            for kind, payload in PAYLOADS.items():
                for shape in SHAPES:
                    for server in alternating([*daemons, same] + ([static] if payload == PAYLOAD else []), number):
                        figures = measured.setdefault(kind, {}).setdefault(name(shape), {})
                        figures.setdefault(server.name, []).append(measure(server, shape, payload))
        result = {
            "diskWait": statistics.median(waits),
            "kinds": {
                kind: {shape: {server: median(rounds) for server, rounds in figures.items()}
                       for shape, figures in shapes.items()}
                for kind, shapes in measured.items()},
            "resident": {
                server.name: {"peak": resident_megabytes(server.pid, "VmHWM")} for server in [*daemons, same]}}
    print(f"push over TLS, {rounds} rounds, medians; one wait for the disk: {result['diskWait']:.0f} µs")
    for kind, shapes in result["kinds"].items():
        print(f"  {kind} ({len(PAYLOADS[kind])} bytes)")
        for shape, figures in shapes.items():
            ours = figures["Deskbell"]
            for server, figure in sorted(figures.items(), key=lambda item: item[0] != "Deskbell"):
                shares = "" if server == "Deskbell" else (
                    f"  Deskbell: {ours['rate'] / figure['rate']:.2f} of its rate, "
                    f"{ours['processor'] / figure['processor']:.2f} of its processor")
                print(f"    {shape:7} {server:14} {figure['rate']:9.0f}/s  {figure['processor']:6.1f} µs of processor  "
                      f"p50 {figure['p50']:6.0f} µs  p99 {figure['p99']:6.0f} µs{shares}")
    for server, figure in result["resident"].items():
        print(f"  resident, {server}: " + ", ".join(f"{value:.1f} MB {key}" for key, value in figure.items()))
    return result


def lists(rounds, before):
    """The common push for ten seconds, to a desk that nobody clears and to one that is cleared; with and without a card."""
    seconds, events, streams = 10, 100_000, 100
    result = {}
    with contextlib.ExitStack() as stack:
        cases = {}
        for label, program in programs(before).items():
            for filled, card in itertools.product([False, True], [False, True]):
                key = f"{label}, {'full' if filled else 'empty'} lists, {'a' if card else 'no'} card"
                cases[key] = stack.enter_context(deskbell(program=program, name=key, card=card)), filled
        for server, filled in cases.values():
            if filled:
                h2load(server.url, 10, streams, events, server.headers)
        measured = {key: [] for key in cases}
        for number in range(rounds):
            print(f"  round {number + 1} of {rounds}", flush=True)
            for key in alternating(list(cases), number):
                server, filled = cases[key]
                if not filled:
                    server.appliance.run("center", "--clear")
                used = scheduled_seconds(server.pid)
                load = h2load(server.url, 1, streams, headers=server.headers, seconds=seconds)
                spent = scheduled_seconds(server.pid) - used
                measured[key].append({"rate": load.rate, "processor": spent / load.count * 1e6})
        for key, figures in measured.items():
            result[key] = median(figures)
            print(f"  {key:45} {result[key]['rate']:9.0f}/s  {result[key]['processor']:6.1f} µs of processor")
    return result


def disk():
    """Waits for the disk and bytes written, a push; and with a slow SD card."""
    result = {}
    for label, delay, shapes in [
            ("this disk", 0, [(1, 1, 1_000), (1, 100, 10_000), (10, 100, 10_000)]),
            ("15 ms a wait", SLOW_DISK_MICROSECONDS, [(10, 100, 20_000)])]:
        with deskbell(counting=True, delay_microseconds=delay) as ours, \
                go(ours, counting=True, delay_microseconds=delay) as same:
            for shape in shapes:
                for server in (ours, same):
                    waits, written, _ = server.disk.read()
                    load = h2load(server.url, *shape, server.headers)
                    waits_after, written_after, _ = server.disk.read()
                    figure = {
                        "bytes": (written_after - written) / shape[2],
                        "pushesPerWait": shape[2] / (waits_after - waits), "rate": load.rate}
                    result.setdefault(label, {}).setdefault(name(shape), {})[server.name] = figure
                    print(f"  {label}, {name(shape):7} {server.name:9} {figure['bytes']:8.0f} bytes a push, "
                          f"{figure['pushesPerWait']:6.1f} pushes a wait, {load.rate:7.0f}/s", flush=True)
    return result


def broker():
    with deskbell() as ours:
        return mosquitto.compare(ours.appliance)


def starts(rounds):
    """From the start of the process to ready, with nothing stored, and with all that Notification Center keeps: ms, and the
    resident MB then."""
    result = {}
    for label, notifications in [("empty", 0), ("50,000 stored", 50_000)]:
        appliance = Appliance()
        with appliance.folder_handle:
            stored.fill(appliance, 50, notifications)
            # The first start makes certificates.
            start(appliance)
            seconds, resident = zip(*(start(appliance) for _ in range(rounds)))
            result[label] = {"start": statistics.median(seconds) * 1000, "resident": statistics.median(resident)}
            print("  start, {}: {start:.0f} ms, {resident:.1f} MB".format(label, **result[label]), flush=True)
    return result


def growth(rounds):
    """µs of processor a push, over apps and notifications, connections, and handsets."""
    result = stored.growth(rounds)
    with deskbell() as server:
        shapes = [(1, 100, 10_000), (10, 10, 10_000), (50, 2, 10_000)]
        measured = {shape: [] for shape in shapes}
        for _ in range(rounds):
            for shape in shapes:
                measured[shape].append(measure(server, shape)["processor"])
    result["connections"] = {name(shape): statistics.median(costs) for shape, costs in measured.items()}
    for shape, cost in result["connections"].items():
        print(f"  {shape:7} {cost:6.1f} µs a push", flush=True)
    result["handsets"] = {}
    for count in (1, 50, 500):
        daemon = handsets.Daemon(count)
        try:
            cost = statistics.median(daemon.push(5_000, 100) for _ in range(rounds))
            result["handsets"][count] = {"processor": cost, "resident": daemon.resident(),
                                         "start": statistics.median(daemon.starts) * 1000}
        finally:
            daemon.stop()
        print(f"  {count:3} handsets: {cost:6.1f} µs a push, {result['handsets'][count]['resident']:.1f} MB, "
              f"start {result['handsets'][count]['start']:.0f} ms", flush=True)
    return result


def idle(seconds):
    with Appliance() as appliance:
        appliance.install_mailroom()
        pid = appliance.process.pid
        # The timers of the last command's connection are over by then.
        time.sleep(15)
        before = wake_ups(pid)
        time.sleep(seconds)
        woken = sum(count - before.get(thread, 0) for thread, count in wake_ups(pid).items())
        result = {
            "wakeUps": woken, "seconds": seconds, "threads": len(before), "resident": resident_megabytes(pid),
            "anonymous": resident_megabytes(pid, "RssAnon")}
        print(f"  idle, dark: {woken} wake-ups in {seconds} s, {len(before)} threads, {result['resident']:.1f} MB "
              f"resident, {result['anonymous']:.1f} MB of them not the program's file")
    return result


def machine():
    processor = next(
        (line.split(":", 1)[1].strip() for line in Path("/proc/cpuinfo").read_text().splitlines()
         if line.startswith("model name")), platform.machine())
    return {
        "processor": processor, "cores": os.cpu_count(), "kernel": platform.release(), "version": version(DESKBELL),
        "date": time.strftime("%Y-%m-%d"), "program": os.stat(DESKBELL).st_size}


PARTS = {
    "contest": lambda options: contest(options.rounds, options.before),
    "lists": lambda options: lists(options.rounds, options.before),
    "disk": lambda options: disk(),
    "broker": lambda options: broker(),
    "starts": lambda options: starts(options.rounds),
    "writes": lambda options: stored.writes(),
    "idle": lambda options: idle(options.idle_seconds),
    "metrics": lambda options: metrics.scrape(options.rounds),
    "growth": lambda options: growth(max(options.rounds, 5)),
}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("parts", nargs="*", help=f"some of: {', '.join(PARTS)}; all where none is named")
    parser.add_argument(
        "--before", default=os.environ.get("BEFORE"), help="the program of the last release, measured in the same run")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--idle-seconds", type=int, default=30)
    options = parser.parse_args()
    for part in options.parts:
        if part not in PARTS:
            parser.error(f"there is no part '{part}'; there are {', '.join(PARTS)}")
    build()
    results = {"machine": machine()}
    for part in options.parts or PARTS:
        print(f"{part}:", flush=True)
        results[part] = PARTS[part](options)
    path = Path(os.environ.get("RESULTS", BUILT / "results.json"))
    path.write_text(json.dumps(results, indent=2, ensure_ascii=False) + "\n")
    print(f"written: {path}")


if __name__ == "__main__":
    main()
