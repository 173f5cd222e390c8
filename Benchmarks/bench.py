"""What a push costs, beside a server that stores nothing, and with much stored beside little; what the appliance costs
while nothing happens."""

import argparse
import contextlib
import json
import os
import re
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

from appliance import APP, ROOT, Appliance, free_port

PAYLOAD = json.dumps(
    {"aps": {"alert": {"title": "A letter for you", "body": "It lies in the mailbox at the front door."},
             "badge": 7, "sound": "letter", "thread-id": "front-door"}, "acme": "x" * 40})
SHAPES = [(1, 1, 2_000), (1, 100, 20_000), (10, 100, 20_000)]
PUSH_COST = os.environ.get("PUSH_COST", str(ROOT / ".build/release/push-cost"))
# Apps, and notifications stored of them: none, and all that Notification Center keeps (1,000 an app, 50,000 in all).
STORED_CASES = [(10, 0), (10, 10_000), (10_000, 0), (10_000, 50_000)]
# What the dearest of them may cost, as a multiple of the cheapest.
STORED_FACTOR = 2
# The app that push-cost makes first.
STORED_APP = "com.example.app0"


def h2load(url, connections, streams, requests, headers=()):
    with tempfile.NamedTemporaryFile("w") as body:
        body.write(PAYLOAD)
        body.flush()
        words = ["h2load", "-n", requests, "-c", connections, "-m", streams, "-t", 1, "-d", body.name]
        for header in headers:
            words += ["-H", header]
        output = subprocess.run([*map(str, words), url], capture_output=True, text=True, check=True).stdout
    rate = float(re.search(r"finished in .*?, ([\d.]+) req/s", output).group(1))
    good = int(re.search(r"status codes: (\d+) 2xx", output).group(1))
    if good != requests:
        raise SystemExit(f"only {good} of {requests} were answered 2xx:\n{output}")
    return rate


def processor_seconds(pid):
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / 100


def scheduled_seconds(pid):
    """Of all threads, in nanoseconds' resolution; of those that have ended, nothing."""
    return sum(int(file.read_text().split()[0]) for file in Path(f"/proc/{pid}/task").glob("*/schedstat")) / 1e9


def resident_megabytes(pid, field="VmRSS"):
    return int(re.search(rf"{field}:\s+(\d+) kB", Path(f"/proc/{pid}/status").read_text()).group(1)) / 1000


def wake_ups(pid):
    """Of each thread, how often it has waited and been woken."""
    counts = {}
    for status in Path(f"/proc/{pid}/task").glob("*/status"):
        counts[status.parent.name] = int(
            re.search(r"^voluntary_ctxt_switches:\s+(\d+)", status.read_text(), re.M).group(1))
    return counts


def idle(seconds):
    with Appliance() as appliance:
        appliance.install_mailroom()
        pid = appliance.process.pid
        # The timers of the last command's connection are over by then.
        time.sleep(15)
        before = wake_ups(pid)
        time.sleep(seconds)
        woken = sum(count - before.get(thread, 0) for thread, count in wake_ups(pid).items())
        print(f"idle, dark: {woken} wake-ups in {seconds} s, {len(before)} threads, "
              f"{resident_megabytes(pid):.1f} MB resident, "
              f"{resident_megabytes(pid, 'RssAnon'):.1f} MB of them not the program's file")


def commits(folder, count=50):
    """The disk's own pace: appending a page and waiting for it."""
    path, page = Path(folder) / "probe", b"x" * 4096
    descriptor = os.open(path, os.O_CREAT | os.O_WRONLY, 0o600)
    started = time.monotonic()
    for _ in range(count):
        os.write(descriptor, page)
        os.fdatasync(descriptor)
    os.close(descriptor)
    path.unlink()
    return count / (time.monotonic() - started)


def unlimited(folder):
    """A settings file without the limit that a single provider would soon meet."""
    path = Path(folder) / "settings.yaml"
    path.write_text("limits: { requests-per-second: 0 }\n")
    return path


def throughput(rounds):
    with tempfile.TemporaryDirectory() as folder, Appliance("--config", unlimited(folder)) as appliance:
        appliance.install_mailroom()
        # Quiet, so that what is measured is the push, and not the writing of a WAV file for each.
        appliance.run("settings", APP, "sound", "off")
        root = Path(folder) / "3/device"
        root.mkdir(parents=True)
        (root / appliance.token).write_text("")
        port = free_port()
        reference = subprocess.Popen(
            ["nghttpd", "-d", folder, str(port), str(appliance.state / "tls/server-key.pem"),
             str(appliance.state / "tls/server.pem")], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            path = f"/3/device/{appliance.token}"
            headers = [f"authorization: bearer {appliance.bearer()}", f"apns-topic: {APP}", "apns-push-type: alert"]
            ours, theirs = f"https://localhost:{appliance.port}{path}", f"https://localhost:{port}{path}"
            pid = appliance.process.pid
            print(f"this disk: {commits(folder):.0f} synchronous writes of a page a second")
            print(f"push of {len(PAYLOAD)} bytes, TLS; connections × streams")
            for connections, streams, requests in SHAPES:
                rates, references, processor = [], [], []
                for _ in range(rounds):
                    used = processor_seconds(pid)
                    rates.append(h2load(ours, connections, streams, requests, headers))
                    processor.append((processor_seconds(pid) - used) / requests * 1e6)
                    references.append(h2load(theirs, connections, streams, requests))
                rate, other = statistics.median(rates), statistics.median(references)
                print(f"  {connections:2} × {streams:3}: {rate:8.0f}/s, nghttpd {other:8.0f}/s, "
                      f"ratio {rate / other:.3f}, {statistics.median(processor):.0f} µs of processor a push")
            print(f"peak: {resident_megabytes(pid, 'VmHWM'):.1f} MB resident")
        finally:
            reference.kill()
            reference.wait()


def report_factors(name, costs, unit, limit=None):
    """Each case's median, and the factor between the dearest and the cheapest."""
    medians = {case: statistics.median(values) for case, values in costs.items()}
    cheapest = min(medians.values())
    print(f"{name}, {unit} a push")
    for (apps, stored), cost in medians.items():
        print(f"  {apps:6,} apps, {stored:6,} stored: {cost:7.0f}, ratio {cost / cheapest:.2f}")
    factor = max(medians.values()) / cheapest
    verdict = "" if limit is None else f", {'within' if factor < limit else 'PAST'} the limit of {limit}"
    print(f"  factor {factor:.2f}{verdict}")


def stored_core(rounds):
    """The handset and its store by themselves, each push in a commit of its own."""
    with tempfile.TemporaryDirectory() as folder:
        output = subprocess.run(
            [PUSH_COST, "measure", "--rounds", str(rounds), folder], capture_output=True, text=True, check=True).stdout
    lines = [json.loads(line) for line in output.splitlines()]
    for kind, word in (("alert", "a message"), ("update", "a held background update")):
        for key, part in (("core", "the handset alone"), ("coreAndStore", "the handset and its store")):
            costs = {(line["apps"], line["stored"]): [line[key]] for line in lines if line["kind"] == kind}
            report_factors(f"{word}, {part}", costs, "µs of processor", STORED_FACTOR)


def stored_appliances(rounds, pushes=1_000):
    """The same through TLS, and what a stored notification takes of memory."""
    elapsed, processor, resident, grown = {}, {}, {}, {}
    with contextlib.ExitStack() as stack:
        appliances = {}
        for case in STORED_CASES:
            appliance = Appliance()
            stack.callback(appliance.folder_handle.cleanup)
            filled = json.loads(subprocess.run(
                [PUSH_COST, "fill", "--apps", str(case[0]), "--notifications", str(case[1]), str(appliance.state)],
                capture_output=True, text=True, check=True).stdout)
            grown[case] = int(filled["grownBytes"])
            appliance.start()
            stack.callback(appliance.stop)
            resident[case] = resident_megabytes(appliance.process.pid, "RssAnon")
            appliance.run("settings", STORED_APP, "sound", "off")
            appliance.add_provider(STORED_APP)
            appliance.token = filled["token"]
            appliances[case] = appliance
        for number in range(rounds):
            # There and back: what else the machine is busy with is no case's own.
            for case in STORED_CASES[::-1 if number % 2 else 1]:
                appliance = appliances[case]
                pid, url = appliance.process.pid, f"https://localhost:{appliance.port}/3/device/{appliance.token}"
                headers = [
                    f"authorization: bearer {appliance.bearer()}", f"apns-topic: {STORED_APP}", "apns-push-type: alert"]
                used = scheduled_seconds(pid)
                rate = h2load(url, 10, 100, pushes, headers)
                processor.setdefault(case, []).append((scheduled_seconds(pid) - used) / pushes * 1e6)
                elapsed.setdefault(case, []).append(1e6 / rate)
                if case[1] == 0:
                    appliance.run("center", "--clear")
        report_factors("through TLS, 10 × 100", processor, "µs of processor", STORED_FACTOR)
        # Mostly the disk's time, which it shares with whatever else writes: for information.
        report_factors("through TLS, 10 × 100, waiting for the disk", elapsed, "µs")
    apps, stored = most = STORED_CASES[-1]
    started = (resident[most] - resident[apps, 0]) * 1e6 / stored
    print(f"memory of a stored notification: {grown[most] / stored:.0f} bytes as they come, {started:.0f} after a start")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--idle-seconds", type=int, default=30)
    arguments = parser.parse_args()
    idle(arguments.idle_seconds)
    throughput(arguments.rounds)
    stored_core(max(arguments.rounds, 5))
    stored_appliances(max(arguments.rounds, 7))
