"""The cost of a push with little and much stored: only memory may grow."""

import contextlib
import json
import os
import statistics
import subprocess
import tempfile

from Benchmarks.measure import h2load, resident_megabytes, scheduled_seconds
from Tests.support.appliance import Appliance
from Tests.support.project import ROOT

PUSH_COST = os.environ.get("PUSH_COST", str(ROOT / ".build/release/push-cost"))
# Apps, and notifications stored of them: none, and all that Notification Center keeps (1,000 an app, 50,000 in all).
CASES = [(10, 0), (10, 10_000), (10_000, 0), (10_000, 50_000)]
# The largest permitted cost, as a multiple of the smallest.
FACTOR = 2
# The app that push-cost makes first.
APP = "com.example.app0"


def fill(appliance, apps, notifications):
    """Makes a state directory with so much in it, and returns what push-cost says of it."""
    return json.loads(subprocess.run(
        [PUSH_COST, "fill", "--apps", str(apps), "--notifications", str(notifications), str(appliance.state)],
        capture_output=True, text=True, check=True).stdout)


def report_factors(name, costs, limit=None):
    """Each case's median in µs a push, and the factor between the dearest and the cheapest."""
    medians = {case: statistics.median(values) for case, values in costs.items()}
    cheapest = min(medians.values())
    print(f"  {name}, µs a push")
    for (apps, stored), cost in medians.items():
        print(f"    {apps:6,} apps, {stored:6,} stored: {cost:7.0f}, ratio {cost / cheapest:.2f}")
    factor = max(medians.values()) / cheapest
    verdict = "" if limit is None else f", {'within' if factor < limit else 'PAST'} the limit of {limit}"
    print(f"    factor {factor:.2f}{verdict}", flush=True)
    return {f"{apps} apps, {stored} stored": cost for (apps, stored), cost in medians.items()}


def core(rounds):
    """The handset and its store by themselves, each push in a commit of its own."""
    with tempfile.TemporaryDirectory() as folder:
        output = subprocess.run(
            [PUSH_COST, "measure", "--rounds", str(rounds), folder], capture_output=True, text=True, check=True).stdout
    lines = [json.loads(line) for line in output.splitlines()]
    result = {}
    for kind, word in (("alert", "a message"), ("update", "a held background update")):
        for key, part in (("core", "the handset alone"), ("coreAndStore", "the handset and its store")):
            costs = {(line["apps"], line["stored"]): [line[key]] for line in lines if line["kind"] == kind}
            result[f"{word}, {part}"] = report_factors(f"{word}, {part}, of processor", costs, FACTOR)
    return result


def writes():
    """Measures the bytes that the store writes for a push, in a commit of its own and in batches, and the processor time."""
    result = {}
    for stored in (0, 50_000):
        with tempfile.TemporaryDirectory() as folder:
            output = subprocess.run(
                [PUSH_COST, "writes", "--apps", "50", "--stored", str(stored), "--commits", "400", folder],
                capture_output=True, text=True, check=True).stdout
        for line in map(json.loads, output.splitlines()):
            result[f"{stored} stored, batches of {line['batch']}"] = line
            print(f"  {stored:6,} stored, batches of {line['batch']:3}: {line['logBytes']:6.0f} bytes of log a push, "
                  f"{line['allBytes']:6.0f} with checkpoints, {line['microseconds']:4.0f} µs of processor", flush=True)
    return result


def appliances(rounds, pushes=1_000):
    """The same through TLS, and what a stored notification takes of memory."""
    elapsed, processor, resident, grown = {}, {}, {}, {}
    with contextlib.ExitStack() as stack:
        running = {}
        for case in CASES:
            appliance = Appliance()
            stack.callback(appliance.folder_handle.cleanup)
            filled = fill(appliance, *case)
            grown[case] = int(filled["grownBytes"])
            appliance.start()
            stack.callback(appliance.stop)
            resident[case] = resident_megabytes(appliance.process.pid, "RssAnon")
            appliance.run("settings", APP, "sound", "off")
            appliance.add_provider(APP)
            appliance.token = filled["token"]
            running[case] = appliance
        for number in range(rounds):
            # There and back: what else the machine is busy with is no case's own.
            for case in CASES[::-1 if number % 2 else 1]:
                appliance = running[case]
                pid, url = appliance.process.pid, f"https://localhost:{appliance.port}/3/device/{appliance.token}"
                headers = [f"authorization: bearer {appliance.bearer()}", f"apns-topic: {APP}", "apns-push-type: alert"]
                used = scheduled_seconds(pid)
                load = h2load(url, 10, 100, pushes, headers)
                processor.setdefault(case, []).append((scheduled_seconds(pid) - used) / pushes * 1e6)
                elapsed.setdefault(case, []).append(1e6 / load.rate)
                if case[1] == 0:
                    appliance.run("center", "--clear")
        result = {
            "processor": report_factors("through TLS, 10×100, of processor", processor, FACTOR),
            # Mostly the disk's time, which it shares with whatever else writes: for information.
            "elapsed": report_factors("through TLS, 10×100, waiting for the disk", elapsed)}
    apps, stored = most = CASES[-1]
    started = (resident[most] - resident[apps, 0]) * 1e6 / stored
    result["notificationBytes"] = {"received": grown[most] / stored, "started": started}
    print(f"  a stored notification: {grown[most] / stored:.0f} bytes of memory as it comes, "
          f"{started:.0f} after a start")
    return result


def growth(rounds):
    return {"core": core(rounds), "appliance": appliances(rounds)}
