"""The times of a test bench: a reset, and a month of pushes on the virtual clock. Prints figures; `python -m
Tests.Clients.bench_figures`, on a machine that does nothing else."""

import argparse
import os
import statistics
import sys
import time
from pathlib import Path
from urllib.parse import urlsplit

import hpack
import jwt

from Tests.support.http2_wire import DATA, END_HEADERS, END_STREAM, GOAWAY, HEADERS, RST_STREAM, Wire, frame
from Tests.support.project import DESKBELL, ROOT

sys.path.insert(0, str(ROOT / "kits/python"))
from pytest_deskbell import Bell, Bench  # noqa: E402

MONTH_SECONDS = 30 * 24 * 60 * 60
APP = "com.example.mail"
PAYLOAD = b'{"aps":{"alert":{"title":"Mail","body":"A letter is in the box."},"badge":%d,"sound":"default"}}'


class Provider:
    """A provider that costs the machine little: one header block for all pushes of an hour, and answers that nobody reads
    as more than their status."""

    def __init__(self, bell):
        self.bell, self.token, self.key = bell, bell.token(APP), Path(bell.key).read_text()
        self.wire = Wire(urlsplit(bell.url).port, bell.ca, timeout=30).greet()
        self.seconds = int(bell.clock())
        self.sent = 0

    def sign(self):
        bearer = jwt.encode({"iss": self.bell.team_id, "iat": self.seconds}, self.key, "ES256", {"kid": self.bell.key_id})
        fields = [(":method", "POST"), (":scheme", "https"), (":authority", "localhost"),
                  (":path", f"/3/device/{self.token}"), ("authorization", f"bearer {bearer}"), ("apns-topic", APP),
                  ("apns-push-type", "alert"), ("apns-priority", "10")]
        # Nothing enters the tables of both ends, so the block is good for each push.
        self.block = self.wire.block([hpack.NeverIndexedHeaderTuple(*field) for field in fields])

    def push(self, count):
        """Sends pushes at once, and returns when all are answered 200."""
        parts = []
        for _ in range(count):
            self.sent += 1
            stream = self.wire.take()
            parts += [frame(HEADERS, END_HEADERS, stream, self.block),
                      frame(DATA, END_STREAM, stream, PAYLOAD % self.sent)]
        self.wire.send(*parts)
        while count:
            answer = self.wire.read()
            if answer is None or answer.kind in (RST_STREAM, GOAWAY):
                raise SystemExit(f"a push was not answered: {answer}")
            if answer.kind == HEADERS:
                status = dict(self.wire.decoder.decode(answer.payload))[":status"]
                if status != "200":
                    raise SystemExit(f"push {self.sent} was answered {status}")
                count -= 1

    def wait(self, seconds):
        """Lets time pass. Signs anew, as a provider must within an hour."""
        self.bell.control.post("/v1/clock/advance", {"seconds": seconds})
        self.seconds += seconds


def month(bench, pushes, steps):
    """Sends pushes over a month, which is gone through in so many steps; returns seconds for all."""
    bell = Bell(bench)
    provider = Provider(bell)
    begun, signed, sent = time.perf_counter(), None, 0
    for step in range(steps):
        provider.wait(MONTH_SECONDS // steps)
        if signed is None or provider.seconds - signed > 50 * 60:
            provider.sign()
            signed = provider.seconds
        due = pushes * (step + 1) // steps
        provider.push(due - sent)
        sent = due
    took = time.perf_counter() - begun
    provider.wire.close()
    assert bell.board.badge == pushes
    return took


def resets(bench, count):
    """Returns the times of resets after one push each, in milliseconds."""
    times = []
    for _ in range(count):
        provider = Provider(Bell(bench))
        provider.sign()
        provider.push(1)
        provider.wire.close()
        begun = time.perf_counter()
        bench.control.post("/v1/bench/reset")
        times.append(1_000 * (time.perf_counter() - begun))
    return sorted(times)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pushes", type=int, default=10_000)
    options = parser.parse_args()
    bench = Bench.start({**os.environ, "DESKBELL": DESKBELL, "DESKBELL_CONTROL": ""})
    try:
        times = resets(bench, 50)
        print(f"a reset: median {statistics.median(times):.1f} ms, longest of {len(times)} {times[-1]:.1f} ms")
        for steps, name in ((30, "a day"), (720, "an hour"), (options.pushes, "a push")):
            took = month(bench, options.pushes, steps)
            print(f"{options.pushes} pushes of a month, one step {name}: {took:.2f} s")
    finally:
        bench.stop()


if __name__ == "__main__":
    main()
