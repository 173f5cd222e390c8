"""A million payloads that are wrong, each in its own way, through TLS: every one refused, and nothing of them kept."""

import argparse
import json
import random
import re
import subprocess
import tempfile
import time

from appliance import APP, Appliance
from bench import resident_megabytes

CONNECTIONS, STREAMS = 10, 100
SEEDS = [
    json.dumps({"aps": {"alert": {"title": "A letter", "body": "It lies in the mailbox."}, "badge": 7}, "own": [1, {}]}),
    json.dumps({"aps": {"alert": "é😀", "sound": {"critical": 1, "name": "bell", "volume": 0.5}}}, ensure_ascii=False),
    json.dumps({"aps": {"content-available": 1}, "numbers": [0, -1.5e300, 18446744073709551616]}),
    '{"aps":{},"deep":' + "[" * 60 + "]" * 60 + "}",
]


def is_refused(payload):
    """What is no JSON object with an object `aps` is PayloadEmpty; so is what Python takes and JSON does not."""
    try:
        text = payload.decode()
        value = json.loads(text, parse_constant=lambda _: 1 / 0)
    except (ValueError, ZeroDivisionError, RecursionError):
        return True
    return not isinstance(value, dict) or not isinstance(value.get("aps"), dict)


def malformed(lots):
    """One payload after the other: cut, doubled, with bytes changed, put in and left out."""
    while True:
        payload = bytearray(lots.choice(SEEDS).encode())
        for _ in range(lots.randint(1, 6)):
            place = lots.randrange(len(payload) + 1)
            match lots.randrange(5):
                case 0: payload[place:] = b""
                case 1: payload[place:place] = bytes(lots.randrange(256) for _ in range(lots.randint(1, 8)))
                case 2: del payload[place:place + lots.randint(1, 16)]
                case 3: payload[place:place + 1] = lots.choice([b'"', b"{", b"[", b"\\u", b"\0", b"\xff", b",", b"1e"])
                case 4: payload[place:place] = payload[:lots.randint(1, 400)]
        if payload and len(payload) <= 4_000 and is_refused(bytes(payload)):
            yield bytes(payload)


def send(url, payload, count, headers):
    with tempfile.NamedTemporaryFile() as body:
        body.write(payload)
        body.flush()
        words = ["h2load", "-n", str(count), "-c", str(CONNECTIONS), "-m", str(STREAMS), "-t", "1", "-d", body.name]
        for header in headers:
            words += ["-H", header]
        output = subprocess.run([*words, url], capture_output=True, text=True, check=True).stdout
    accepted, refused, failed = map(
        int, re.search(r"status codes: (\d+) 2xx, \d+ 3xx, (\d+) 4xx, (\d+) 5xx", output).groups())
    # On a machine that is too busy to shake hands within the server's limit, a connection's share has no answer.
    if accepted or failed or not refused:
        raise SystemExit(f"{refused} of {count} were refused, of payload {payload!r}:\n{output}")
    return refused


def run(total, each, seed):
    lots = random.Random(seed)
    payloads = malformed(lots)
    print(f"{total} malformed payloads, {total // each} different, seed {seed}; "
          f"{CONNECTIONS} connections × {STREAMS} streams, TLS")
    with Appliance() as appliance:
        appliance.install_mailroom()
        pid = appliance.process.pid
        url = f"https://localhost:{appliance.port}/3/device/{appliance.token}"
        signed = 0.0
        sent, warm, started = 0, None, time.monotonic()
        while sent < total:
            if time.monotonic() - signed > 1_800:
                signed = time.monotonic()
                headers = [f"authorization: bearer {appliance.bearer()}", f"apns-topic: {APP}"]
            count = min(each, total - sent)
            before = sent
            sent += send(url, next(payloads), count, headers)
            if sent // (total // 10) > before // (total // 10):
                resident = resident_megabytes(pid)
                print(f"  {sent:9}: {resident:.2f} MB resident, {sent / (time.monotonic() - started):.0f}/s")
                # A tenth warms up: the journal of events is full by then, and every arena has its pages.
                warm = warm or resident
        growth = resident - warm
        print(f"growth after the first {total // 10}: {growth:.2f} MB (less than 1 is wanted)")
        if growth >= 1:
            raise SystemExit(1)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--total", type=int, default=1_000_000)
    parser.add_argument("--each", type=int, default=1_000, help="how often each payload is sent")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    run(arguments.total, arguments.each, arguments.seed)
