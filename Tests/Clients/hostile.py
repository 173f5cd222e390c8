"""What a stranger can do to the port, and what that does to a provider beside it.

Each attack runs in a process of its own against the daemon as it is shipped, with its limits as they are shipped. A
well-behaved provider pushes meanwhile, on a connection that it has and on new ones. Bounds that the table is held to:
the provider is answered within 300 ms, the daemon's memory grows by at most 20 MB and comes back, and the attacker is
rid of within 10 s.
"""

import argparse
import contextlib
import dataclasses
import json
import multiprocessing
import random
import re
import select
import socket
import ssl
import struct
import sys
import threading
import time
from dataclasses import dataclass
from pathlib import Path

from appliance import APP, Appliance
from http2_wire import (
    CONTINUATION, DATA, END_HEADERS, END_STREAM, GOAWAY, HEADERS, INITIAL_WINDOW_SIZE, PING, PREFACE, PRIORITY,
    RST_STREAM, SETTINGS, SETTINGS_ACK, WINDOW_UPDATE, Wire, client_context, code_name, frame, settings)

# On a machine that does nothing else; elsewhere time is not measured, and memory has a wider bound.
ANSWER_SECONDS = 0.05
GROWTH_MEGABYTES = 12
UNTIMED_GROWTH_MEGABYTES = 20
# What may stay: the database's cache, code that was needed for the first time, pages that the allocator keeps. It does
# not add up: the same attack again leaves less each time.
LEFT_MEGABYTES = 4
CLOSE_SECONDS = 10
GIVE_UP_SECONDS = 15

ATTACKS = []


@dataclass
class Target:
    port: int
    ca: str
    token: str
    bearer: str
    # Keeps what an attack opens, until it is over.
    opened: contextlib.ExitStack | None = None

    def wire(self, source=None, greet=True, pairs=(), **options):
        wire = self.keep(Wire(self.port, self.ca, source=source, **options))
        return wire.greet(*pairs) if greet else wire

    def plain(self, source, first=b""):
        plain = self.keep(socket.socket())
        plain.settimeout(5)
        plain.bind((source, 0))
        plain.connect(("127.0.0.1", self.port))
        if first:
            plain.sendall(first)
        return plain

    def keep(self, connection):
        return self.opened.enter_context(connection) if self.opened else connection

    def fields(self, bearer=None, *more):
        return [(":method", "POST"), (":scheme", "https"), (":path", f"/3/device/{self.token}"),
                (":authority", "localhost"), ("apns-topic", APP), ("apns-push-type", "background"),
                ("apns-priority", "5"), ("authorization", f"bearer {bearer or self.bearer}"), *more]


def attack(name):
    def register(run):
        ATTACKS.append((name, run))
        return run
    return register


PAYLOAD = json.dumps({"aps": {"content-available": 1}}).encode()


class Offender:
    """Sends and reads without waiting for either, and says how and when it was ended."""

    def __init__(self, wire):
        self.wire, self.socket = wire, wire.socket
        self.unsent, self.said = b"", None
        self.is_open = True
        self.socket.setblocking(False)

    def offer(self, data):
        self.unsent += data
        self.work()

    def work(self, reads=True):
        progress = False
        try:
            if self.unsent and self.is_open:
                count = self.socket.send(self.unsent)
                self.unsent = self.unsent[count:]
                progress = True
        except (ssl.SSLWantReadError, ssl.SSLWantWriteError, BlockingIOError):
            pass
        except OSError:
            # What the server said last may still be there to read.
            self.unsent, self.is_open = b"", reads
        if reads:
            try:
                data = self.socket.recv(65_536)
                progress = True
                if data:
                    self.note(data)
                else:
                    self.is_open = False
            except (ssl.SSLWantReadError, ssl.SSLWantWriteError, BlockingIOError):
                pass
            except OSError:
                self.is_open = False
        return progress

    def note(self, data):
        received = self.wire.received + data
        while len(received) >= 9:
            size = int.from_bytes(received[:3], "big")
            if len(received) < 9 + size:
                break
            if received[3] == GOAWAY:
                self.said = code_name(int.from_bytes(received[13:17], "big"))
            received = received[9 + size:]
        self.wire.received = received


def until_closed(wire, make, reads=True, pause=0.0):
    """Sends what `make` makes, again and again, until the server has had enough."""
    offender, started = Offender(wire), time.monotonic()
    last = 0.0
    while time.monotonic() - started < GIVE_UP_SECONDS:
        if len(offender.unsent) < 65_536 and time.monotonic() - last >= pause:
            offender.unsent += make()
            last = time.monotonic()
        if not offender.work(reads):
            if not reads and not still_there(offender.socket):
                offender.is_open = False
            select.select([offender.socket], [], [], min(0.02, pause or 0.02)) if reads else time.sleep(0.02)
        if not offender.is_open:
            return time.monotonic() - started, offender.said or "closed"
    return None, "still open"


def still_there(plain):
    """Without reading: whether the connection was reset, or ended."""
    info = plain.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 1)
    return info[0] == 1


class Streams:
    """Numbers for new streams."""

    def __init__(self):
        self.next = 1

    def take(self):
        self.next += 2
        return self.next - 2


@attack("rapid reset")
def _(target):
    wire, streams = target.wire(), Streams()
    block = wire.block(target.fields())
    indexed = wire.block(target.fields())

    def make():
        parts = []
        for _ in range(50):
            stream = streams.take()
            parts += [frame(HEADERS, END_HEADERS, stream, block if stream == 1 else indexed),
                      frame(RST_STREAM, 0, stream, (8).to_bytes(4, "big"))]
        return b"".join(parts)
    return until_closed(wire, make)


@attack("streams beyond the limit")
def _(target):
    wire, streams = target.wire(), Streams()
    fields = [(":method", "GET"), (":scheme", "https"), (":path", "/3/"), (":authority", "localhost")]
    block, indexed = wire.block(fields), wire.block(fields)
    return until_closed(wire, lambda: b"".join(
        frame(HEADERS, END_HEADERS, stream, block if stream == 1 else indexed)
        for stream in (streams.take() for _ in range(50))))


@attack("CONTINUATION flood")
def _(target):
    wire = target.wire()
    first = [frame(HEADERS, END_STREAM, 1, b"\x82")]
    return until_closed(wire, lambda: (first.pop() if first else b"") + frame(CONTINUATION, 0, 1, b"") * 100)


@attack("large CONTINUATION flood")
def _(target):
    wire = target.wire()
    first = [frame(HEADERS, END_STREAM, 1, b"\x82")]
    field = b"\x00\x7f\xf1\x00x" + b"x" * 367
    return until_closed(wire, lambda: (first.pop() if first else b"") + frame(CONTINUATION, 0, 1, field * 40))


def flood(name, make):
    @attack(name)
    def _(target):
        wire = target.wire()
        batch = make(wire) * 200
        return until_closed(wire, lambda: batch)


flood("SETTINGS flood", lambda w: settings((INITIAL_WINDOW_SIZE, 65_535)))
flood("SETTINGS acknowledgement flood", lambda w: SETTINGS_ACK)
flood("PING flood", lambda w: frame(PING, payload=bytes(8)))
flood("PRIORITY flood", lambda w: frame(PRIORITY, 0, 1, bytes(4) + b"\xff"))
flood("WINDOW_UPDATE flood", lambda w: frame(WINDOW_UPDATE, payload=b"\0\0\0\x01"))
flood("flood of unknown frames", lambda w: frame(0x16, payload=b"x"))


@attack("PING flood, answers not read")
def _(target):
    wire = target.wire(receive_buffer=4_096)
    batch = frame(PING, payload=bytes(8)) * 200
    return until_closed(wire, lambda: batch, reads=False)


def on_a_request(name, make, authorised=True):
    @attack(name)
    def _(target):
        wire = target.wire()
        bearer = None if authorised else "x.y.z"
        wire.send(frame(HEADERS, END_HEADERS, 1, wire.block(target.fields(bearer))))
        return until_closed(wire, make)


on_a_request("empty DATA flood", lambda: frame(DATA, 0, 1) * 100)
on_a_request("DATA of one byte each", lambda: frame(DATA, 0, 1, b"x") * 100)
on_a_request("endless body", lambda: frame(DATA, 0, 1, bytes(16_384)))
on_a_request("endless body of a refused request", lambda: frame(DATA, 0, 1, bytes(16_384)), authorised=False)


@attack("HPACK bomb")
def _(target):
    wire = target.wire()
    # One field of 4,000 bytes into the table, then named 4,000 times: 16 MB out of 4 kB.
    first = b"\x40\x01a\x7f\xa1\x1e" + b"x" * 4_000
    wire.send(frame(HEADERS, END_HEADERS | END_STREAM, 1, first + b"\xbe" * 4_000))
    return until_closed(wire, lambda: b"")


@attack("large and many header fields")
def _(target):
    wire = target.wire()
    wire.send(frame(HEADERS, END_HEADERS | END_STREAM, 1, (b"\x00\x01a\x7f\x81\x06" + b"x" * 896 + b"x" * 1) * 16))
    return until_closed(wire, lambda: frame(PING, payload=bytes(8)), pause=0.02)


@attack("wrong tokens")
def _(target):
    wire, streams = target.wire(), Streams()
    wrong = target.bearer[:-8] + "AAAAAAAA"

    def make():
        return frame(HEADERS, END_HEADERS | END_STREAM, streams.take(), wire.block(target.fields(wrong)))
    return until_closed(wire, make, pause=0.01)


@attack("bad requests without a token")
def _(target):
    wire, streams = target.wire(), Streams()
    fields = [(":method", "GET"), *target.fields()[1:4]]
    return until_closed(
        wire, lambda: frame(HEADERS, END_HEADERS | END_STREAM, streams.take(), wire.block(fields)), pause=0.01)


@attack("requests behind the last answer (HTTP/1.1)")
def _(target):
    wire = target.wire(greet=False, alpn=False)
    return until_closed(wire, lambda: b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n" * 1_000, reads=False)


@attack("white space in a header field (HTTP/1.1)")
def _(target):
    wire = target.wire(greet=False, alpn=False)
    wire.send(b"GET / HTTP/1.1\r\nHost: localhost\r\nX-Field:")
    return until_closed(wire, lambda: b" " * 65_536, reads=False)


@attack("slow body")
def _(target):
    wire = target.wire()
    wire.send(frame(HEADERS, END_HEADERS, 1, wire.block(target.fields())))
    return stream_reset(wire, lambda: frame(DATA, 0, 1, b"x"))


def stream_reset(wire, make=None):
    """The stream's end is enough: the connection may go on."""
    started = time.monotonic()
    while time.monotonic() - started < GIVE_UP_SECONDS:
        if make:
            wire.send(make())
        try:
            received = wire.read(0.5)
        except TimeoutError:
            continue
        if received is None:
            return time.monotonic() - started, "closed"
        if received.kind in (RST_STREAM, GOAWAY):
            return time.monotonic() - started, ("stream: " if received.kind == RST_STREAM else "") + received.code
    return None, "still open"


@attack("zero-window reader, 200 refused requests")
def _(target):
    wire = target.wire(pairs=[(INITIAL_WINDOW_SIZE, 0)])
    # The first shows who it is, so that the others may be many.
    wire.send(frame(HEADERS, END_HEADERS, 1, wire.block(target.fields())), frame(DATA, END_STREAM, 1, PAYLOAD))
    while not ((received := wire.read()).kind == HEADERS and received.stream == 1):
        pass
    started, open_streams = time.monotonic(), set(range(3, 403, 2))
    for stream in sorted(open_streams):
        wire.send(frame(HEADERS, END_HEADERS | END_STREAM, stream,
                        wire.block(target.fields(None, ("apns-expiration", "soon")))))
    while open_streams:
        received = wire.read(GIVE_UP_SECONDS)
        if received is None:
            return time.monotonic() - started, "closed"
        if received.kind == RST_STREAM:
            open_streams.discard(received.stream)
    return time.monotonic() - started, "streams: CANCEL"


@attack("pushes without end, answers not read")
def _(target):
    wire, streams = target.wire(receive_buffer=4_096), Streams()
    refused = target.fields(None, ("apns-expiration", "soon"))
    wire.send(frame(HEADERS, END_HEADERS | END_STREAM, streams.take(), wire.block(refused)))
    while wire.read().kind != HEADERS:
        pass
    block = wire.block(refused)
    return until_closed(wire, lambda: b"".join(
        frame(HEADERS, END_HEADERS | END_STREAM, streams.take(), block) for _ in range(100)), reads=False)


def many(count, begin, go_on, addresses=10):
    """So many connections at once, from several addresses; when the last of them was ended."""
    started, members = time.monotonic(), []
    for number in range(count):
        try:
            members.append(begin(f"127.0.1.{1 + number % addresses}"))
        except OSError:
            pass
    poll = select.poll()
    by_number = {}
    for member in members:
        plain = member.socket if isinstance(member, Wire) else member
        plain.setblocking(False)
        by_number[plain.fileno()] = plain
        poll.register(plain, select.POLLIN | select.POLLHUP | select.POLLERR)
    begun = time.monotonic()
    last = begun
    while by_number and time.monotonic() - begun < GIVE_UP_SECONDS:
        for number, _ in poll.poll(100):
            try:
                if by_number[number].recv(65_536):
                    continue
            except (ssl.SSLWantReadError, BlockingIOError):
                continue
            except OSError:
                pass
            poll.unregister(number)
            by_number.pop(number).close()
        if go_on and time.monotonic() - last > 0.5:
            last = time.monotonic()
            for plain in list(by_number.values()):
                try:
                    plain.send(go_on)
                except OSError:
                    pass
    if by_number:
        return None, f"{len(by_number)} still open"
    return time.monotonic() - begun, f"{len(members)} closed"


@attack("400 half-open handshakes, silent")
def _(target):
    return many(400, lambda source: target.plain(source), None)


@attack("400 half-open handshakes, a byte at a time")
def _(target):
    hello = b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"
    return many(400, lambda source: target.plain(source, hello), b"\x00")


@attack("500 slow-header connections")
def _(target):
    def begin(source):
        wire = target.wire(source, greet=False)
        wire.send(PREFACE, settings(), SETTINGS_ACK, frame(HEADERS, END_STREAM, 1, b"\x82"),
                  struct.pack(">I", 4_000)[1:] + bytes([CONTINUATION, 0, 0, 0, 0, 1]))
        return wire
    return many(500, begin, b"\x00")


@attack("200 greetings never acknowledged")
def _(target):
    def begin(source):
        wire = target.wire(source, greet=False)
        wire.send(PREFACE, settings())
        return wire
    return many(200, begin, None)


@attack("random bytes for TLS, 300 times")
def _(target):
    noise = random.Random(1)
    return many(300, lambda source: target.plain(source, noise.randbytes(noise.randrange(1, 2_000))), b"x")


@attack("random bytes for HTTP/2, 200 times")
def _(target):
    noise = random.Random(2)

    def begin(source):
        wire = target.wire(source, greet=False)
        wire.send(PREFACE if noise.random() < 0.8 else b"", settings() if noise.random() < 0.8 else b"",
                  noise.randbytes(noise.randrange(9, 4_000)))
        return wire
    return many(200, begin, None)


@attack("1,000 streams at once (served)")
def _(target):
    wire = target.wire(greet=False, timeout=GIVE_UP_SECONDS)
    started, waiting = time.monotonic(), set()
    parts = [PREFACE, settings()]
    for number in range(1_000):
        stream = 1 + 2 * number
        waiting.add(stream)
        parts += [frame(HEADERS, END_HEADERS, stream, wire.block(target.fields())),
                  frame(DATA, END_STREAM, stream, PAYLOAD)]
    # Said last, by the thread that sends: between two of its writes it would tear a frame apart.
    parts.append(SETTINGS_ACK)
    sender = threading.Thread(target=wire.send, args=parts)
    sender.start()
    refused, said = 0, "closed"
    while waiting:
        received = wire.read()
        if received is None:
            return None, f"{said} with {len(waiting)} unanswered"
        if received.kind == GOAWAY:
            said = f"{received.code} {received.payload[8:].decode()}"
        if received.kind in (HEADERS, RST_STREAM) and received.stream in waiting:
            waiting.remove(received.stream)
            refused += received.kind == RST_STREAM
    sender.join()
    return time.monotonic() - started, f"{1_000 - refused} answered"


class Provider:
    """Pushes every so often, and notes the longest that it waited."""

    def __init__(self, target):
        self.target, self.longest, self.longest_new = target, 0.0, 0.0
        self.pushes, self.problem = 0, None
        self.is_done = threading.Event()
        self.wire, self.stream = target.wire(timeout=30), 1
        self.push(self.wire, 1)
        self.thread = threading.Thread(target=self.run)

    def push(self, wire, stream):
        started = time.monotonic()
        wire.send(frame(HEADERS, END_HEADERS, stream, wire.block(self.target.fields())),
                  frame(DATA, END_STREAM, stream, PAYLOAD))
        while True:
            received = wire.read()
            if received is None:
                raise ConnectionError("the provider's connection was closed")
            if received.kind == SETTINGS and not received.has(1):
                wire.send(SETTINGS_ACK)
            if received.kind == HEADERS and received.stream == stream:
                return time.monotonic() - started

    def run(self):
        try:
            while not self.is_done.wait(0.05):
                self.stream += 2
                self.longest = max(self.longest, self.push(self.wire, self.stream))
                self.pushes += 1
                if self.pushes % 10 == 0:
                    started = time.monotonic()
                    with self.target.wire(timeout=30) as wire:
                        self.push(wire, 1)
                    self.longest_new = max(self.longest_new, time.monotonic() - started)
        except OSError as error:
            self.problem = f"{type(error).__name__} {error}"

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.is_done.set()
        self.thread.join()
        self.wire.close()


def resident_megabytes(pid, field="VmRSS"):
    return int(re.search(rf"{field}:\s+(\d+) kB", Path(f"/proc/{pid}/status").read_text()).group(1)) / 1000


def attempt(run, target):
    with contextlib.ExitStack() as opened:
        return run(dataclasses.replace(target, opened=opened))


def run_attack(run, target, results):
    try:
        results.put(attempt(run, target))
    except Exception as error:  # Whatever it was, it belongs into the table.
        results.put((None, f"{type(error).__name__} {error}"))


@dataclass
class Row:
    name: str
    seconds: float | None
    end: str
    longest: float
    longest_new: float
    grown: float
    left: float
    problem: str | None

    def faults(self, timed):
        found = []
        if self.problem:
            found.append(f"the provider: {self.problem}")
        if self.seconds is None or self.seconds > CLOSE_SECONDS:
            found.append("the attacker was not ended in time")
        if self.grown > (GROWTH_MEGABYTES if timed else UNTIMED_GROWTH_MEGABYTES) or self.left > LEFT_MEGABYTES:
            found.append("memory")
        if timed and max(self.longest, self.longest_new) > ANSWER_SECONDS:
            found.append("the provider waited")
        return found


def measure(appliance, target, name, run):
    pid = appliance.process.pid
    before = resident_megabytes(pid)
    peak = before
    results = multiprocessing.Queue()
    process = multiprocessing.Process(target=run_attack, args=(run, target, results))
    with Provider(target) as provider:
        process.start()
        while process.is_alive():
            process.join(0.05)
            peak = max(peak, resident_megabytes(pid))
        time.sleep(0.5)
    seconds, end = results.get()
    # The last connections are closed, and what they held is given back, within a moment.
    left, deadline = resident_megabytes(pid) - before, time.monotonic() + 8
    while left > 1 and time.monotonic() < deadline:
        time.sleep(0.25)
        left = resident_megabytes(pid) - before
    return Row(
        name, seconds, end, provider.longest, provider.longest_new, peak - before, max(left, 0), provider.problem)


def run_all(names=None, timed=True, out=sys.stdout):
    """Runs the attacks, prints the table as it grows, and returns what is wrong with it."""
    faults = []
    with Appliance(board=None) as appliance:
        appliance.install_mailroom()
        target = Target(appliance.port, str(appliance.ca), appliance.token, appliance.bearer())
        # So that what the first requests make once is not counted as growth.
        attempt(ATTACKS[-1][1], target)
        print("| Attack | Ended by | After | Provider waited | on a new connection | Memory grew | stayed |\n"
              "|---|---|---|---|---|---|---|", file=out, flush=True)
        for name, run in ATTACKS:
            if names and not any(part in name for part in names):
                continue
            row = measure(appliance, target, name, run)
            after = "never" if row.seconds is None else f"{row.seconds:.1f} s"
            print(f"| {name} | {row.end} | {after} | {row.longest * 1000:.0f} ms | {row.longest_new * 1000:.0f} ms | "
                  f"{row.grown:.1f} MB | {row.left:.1f} MB |", file=out, flush=True)
            faults += [f"{name}: {fault}" for fault in row.faults(timed)]
        if appliance.process.poll() is not None:
            faults.append("the daemon has ended:\n" + "\n".join(appliance.errors))
    return faults


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", help="parts of the names of attacks; all where there are none")
    parser.add_argument("--untimed", action="store_true", help="do not hold the provider's waiting to its bound")
    arguments = parser.parse_args()
    problems = run_all(arguments.names, timed=not arguments.untimed)
    for problem in problems:
        print(problem, file=sys.stderr)
    sys.exit(1 if problems else 0)
