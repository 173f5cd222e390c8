"""What a push costs, beside a server that stores nothing; what the appliance costs while nothing happens."""

import argparse
import json
import re
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

from appliance import APP, Appliance, free_port

PAYLOAD = json.dumps(
    {"aps": {"alert": {"title": "A letter for you", "body": "It lies in the mailbox at the front door."},
             "badge": 7, "sound": "letter", "thread-id": "front-door"}, "acme": "x" * 40})
SHAPES = [(1, 1, 2_000), (1, 100, 20_000), (10, 100, 20_000)]


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
    import os
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


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--idle-seconds", type=int, default=30)
    arguments = parser.parse_args()
    idle(arguments.idle_seconds)
    throughput(arguments.rounds)
