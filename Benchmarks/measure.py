"""How a server's pace, processor time, memory, wake-ups and start are measured."""

import os
import re
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

# The push that nearly everybody sends.
PAYLOAD = (
    '{"aps":{"alert":{"title":"A letter for you","body":"It lies in the mailbox at the front door."},"badge":7,'
    '"sound":"letter","thread-id":"front-door"},"acme":"' + "x" * 40 + '"}')
PAYLOADS = {
    "alert, badge, sound": PAYLOAD,
    "alert, badge": PAYLOAD.replace('"sound":"letter",', ""),
    "badge": '{"aps":{"badge":7}}',
}


class Load:
    """The measurements of h2load."""

    def __init__(self, rate, latencies, count):
        self.rate, self.count = rate, count
        # µs, sorted; empty where they were not asked for.
        self.latencies = latencies

    def percentile(self, percent):
        return self.latencies[len(self.latencies) * percent // 100]


def h2load(url, connections, streams, requests=None, headers=(), latencies=False, payload=PAYLOAD, seconds=None):
    """Sends a number of requests, or as many as are answered in some seconds."""
    with tempfile.TemporaryDirectory() as folder:
        body, log = Path(folder) / "body", Path(folder) / "log"
        body.write_text(payload)
        words = ["h2load", "-c", connections, "-m", streams, "-t", 1, "-d", body]
        words += ["-D", seconds] if seconds else ["-n", requests]
        if latencies:
            words.append(f"--log-file={log}")
        for header in headers:
            words += ["-H", header]
        output = subprocess.run([*map(str, words), url], capture_output=True, text=True, check=True).stdout
        times = sorted(int(line.split()[2]) for line in log.read_text().splitlines()) if latencies else []
    rate = float(re.search(r"finished in .*?, ([\d.]+) req/s", output).group(1))
    good, *bad = map(int, re.search(r"status codes: (\d+) 2xx, (\d+) 3xx, (\d+) 4xx, (\d+) 5xx", output).groups())
    if sum(bad) > 0 or good == 0 or requests not in (None, good):
        raise SystemExit(f"only {good} of {requests or good + sum(bad)} were answered 2xx:\n{output}")
    return Load(rate, times, good)


def scheduled_seconds(pid):
    """Returns the processor time of all running threads, in seconds; the kernel counts nanoseconds."""
    return sum(int(file.read_text().split()[0]) for file in Path(f"/proc/{pid}/task").glob("*/schedstat")) / 1e9


def resident_megabytes(pid, field="VmRSS"):
    return int(re.search(rf"{field}:\s+(\d+) kB", Path(f"/proc/{pid}/status").read_text()).group(1)) / 1000


def wake_ups(pid):
    """Returns the number of waits of each thread."""
    counts = {}
    for status in Path(f"/proc/{pid}/task").glob("*/status"):
        counts[status.parent.name] = int(
            re.search(r"^voluntary_ctxt_switches:\s+(\d+)", status.read_text(), re.M).group(1))
    return counts


def start(appliance):
    """Returns the seconds from the start of the process to the line that says that it is ready, and the resident MB at that
    line. It is stopped again."""
    words = [appliance.program, "serve", "--state", str(appliance.state), "--listen", "127.0.0.1:0", *appliance.options]
    started = time.monotonic()
    with subprocess.Popen(
            words, env=appliance.environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE, text=True) as process:
        for line in process.stderr:
            if "ready:" in line:
                break
        seconds, resident = time.monotonic() - started, resident_megabytes(process.pid)
        process.terminate()
        process.stderr.read()
    return seconds, resident


def disk_wait(folder, count=100):
    """The disk's own pace: µs to append a page and wait for it, the median."""
    path, page, times = Path(folder) / "probe", b"x" * 4096, []
    descriptor = os.open(path, os.O_CREAT | os.O_WRONLY, 0o600)
    for _ in range(count):
        started = time.monotonic_ns()
        os.write(descriptor, page)
        os.fdatasync(descriptor)
        times.append((time.monotonic_ns() - started) / 1000)
    os.close(descriptor)
    path.unlink()
    return statistics.median(times)
