"""Attackers' connections: they send and read without waiting for either, and report how and when they were ended."""

import itertools
import re
import select
import socket
import ssl
import time
from collections import Counter

import hpack

from Tests.Clients.hostile.target import GIVE_UP_SECONDS, Outcome
from Tests.support.http2_wire import GOAWAY, HEADERS, RST_STREAM, WINDOW_UPDATE, Wire, code_name

BLOCKED = (ssl.SSLWantReadError, ssl.SSLWantWriteError, BlockingIOError)
# `:status: 200` of HPACK's static table.
STATUS_200 = b"\x88"


class Offender:
    """An attacker's HTTP/2 connection."""

    def __init__(self, wire):
        self.wire, self.socket = wire, wire.socket
        self.unsent, self.said = b"", None
        self.is_open = True
        # The answers; `statuses` has others than 200 only if the client has no header table.
        self.answered, self.statuses = 0, Counter()
        # The server's remaining window for bodies.
        self.window = 65_535
        self.socket.setblocking(False)

    @property
    def requests(self):
        return self.wire.taken

    def work(self, reads=True):
        progress = False
        try:
            if self.unsent and self.is_open:
                count = self.socket.send(self.unsent[:262_144])
                self.unsent = self.unsent[count:]
                progress = True
        except BLOCKED:
            pass
        except OSError:
            # The server's last bytes may still be there to read.
            self.unsent, self.is_open = b"", reads
        if reads:
            try:
                data = self.socket.recv(65_536)
                progress = True
                if data:
                    self.note(data)
                else:
                    self.is_open = False
            except BLOCKED:
                pass
            except OSError:
                self.is_open = False
        return progress

    def note(self, data):
        received, at = self.wire.received + data, 0
        while len(received) >= at + 9:
            size = int.from_bytes(received[at:at + 3], "big")
            if len(received) < at + 9 + size:
                break
            self.take_frame(received[at + 3], int.from_bytes(received[at + 5:at + 9], "big"),
                            received[at + 9:at + 9 + size])
            at += 9 + size
        self.wire.received = received[at:]

    def take_frame(self, kind, stream, payload):
        if kind == HEADERS:
            self.answered += 1
            self.statuses[self.status(payload)] += 1
        elif kind == RST_STREAM and (code := code_name(int.from_bytes(payload, "big"))) != "NO_ERROR":
            # RST_STREAM with NO_ERROR follows an answer that preceded the end of the request.
            self.answered += 1
            self.statuses[code] += 1
        elif kind == WINDOW_UPDATE and stream == 0:
            self.window += int.from_bytes(payload, "big")
        elif kind == GOAWAY:
            self.said = f"{code_name(int.from_bytes(payload[4:8], 'big'))} {payload[8:].decode()}".strip()

    def status(self, block):
        if block.lstrip(b"\x20")[:1] == STATUS_200:
            return 200
        try:
            return int(dict(hpack.Decoder().decode(block))[":status"])
        except (hpack.HPACKError, KeyError, ValueError):
            return "other"


class TextOffender(Offender):
    """An attacker's HTTP/1.1 connection; its callers count the requests."""

    requests = 0

    def __init__(self, secure):
        wire = Wire.__new__(Wire)
        wire.socket, wire.received = secure, b""
        super().__init__(wire)
        # HTTP/1.1 has no window.
        self.window = 1 << 60

    def note(self, data):
        received = self.wire.received + data
        found = list(re.finditer(rb"HTTP/1\.1 (\d\d\d)", received))
        self.answered += len(found)
        self.statuses.update(int(match.group(1)) for match in found)
        # The longest beginning of a status line that may be at the end.
        self.wire.received = received[max(found[-1].end() if found else 0, len(received) - 11):]


def said(statuses):
    """Returns text such as `9000 × 200, 12 × 429`."""
    return ", ".join(f"{count} × {status}" for status, count in statuses.most_common(3)) or "no answer"


def outcome(offender, seconds, end):
    return Outcome(seconds, end, offender.requests, offender.statuses[200])


def until_closed(offender, make, reads=True, pause=0.0, give_up=GIVE_UP_SECONDS):
    """Sends the results of `make`, again and again, until the server closes the connection."""
    if isinstance(offender, Wire):
        offender = Offender(offender)
    started, last = time.monotonic(), 0.0
    while time.monotonic() - started < give_up:
        if len(offender.unsent) < 65_536 and time.monotonic() - last >= pause:
            offender.unsent += make()
            last = time.monotonic()
        if not offender.work(reads):
            if not reads and not still_there(offender.socket):
                offender.is_open = False
            if reads:
                select.select([offender.socket], [], [], min(0.02, pause or 0.02))
            else:
                # Waiting for the socket would return at once: the attack leaves what there is to read.
                time.sleep(0.02)
        if not offender.is_open:
            return outcome(offender, time.monotonic() - started, offender.said or "closed")
    return outcome(offender, None, "still open")


def as_fast_as_served(target, offenders, make, at_once=900):
    """Sends requests for as long as the attack lasts, and waits for the last answer.

    `make` takes an offender and returns the bytes of a request and the size of its body, or None if its window is full.
    Returns then, or when the server has closed all connections."""
    started = time.monotonic()
    sizes = {offender: 0 for offender in offenders}
    while any(offender.is_open for offender in offenders):
        elapsed = time.monotonic() - started
        is_over = elapsed >= target.seconds
        waiting = [offender for offender in offenders if offender.is_open and offender.requests > offender.answered]
        if is_over and not waiting or elapsed > target.seconds + GIVE_UP_SECONDS:
            break
        progress = False
        for offender in offenders:
            parts = []
            while not is_over and offender.is_open and len(offender.unsent) < 32_768 and len(parts) < 64 \
                    and offender.requests - offender.answered < at_once:
                made = make(offender)
                if made is None:
                    break
                parts.append(made[0])
                offender.window -= made[1]
                sizes[offender] = made[1]
            offender.unsent += b"".join(parts)
            progress |= offender.work()
        if not progress:
            select.select([offender.socket for offender in offenders if offender.is_open],
                          [offender.socket for offender in offenders if offender.unsent and offender.is_open], [], 0.02)
    statuses = sum((offender.statuses for offender in offenders), Counter())
    accepted_bytes = sum(offender.statuses[200] * sizes[offender] for offender in offenders)
    closed = "" if any(offender.is_open for offender in offenders) else f", {offenders[0].said or 'closed'}"
    return Outcome(time.monotonic() - started, said(statuses) + closed,
                   sum(offender.requests for offender in offenders), statuses[200], accepted_bytes)


def requests_without_end(target, connections, made, at_once=100):
    """Sends requests of HTTP/1.1 over these connections as fast as they are answered. `made` returns each by its number,
    with the size of its body."""
    numbers = itertools.count()

    def make(offender):
        offender.requests += 1
        return made(next(numbers))
    return as_fast_as_served(target, [TextOffender(each) for each in connections], make, at_once)


def still_there(plain):
    """Returns true if the connection was neither reset nor ended, without reading."""
    if plain.family == socket.AF_UNIX:
        try:
            return plain.recv(1, socket.MSG_PEEK | socket.MSG_DONTWAIT) != b""
        except BlockingIOError:
            return True
        except OSError:
            return False
    info = plain.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 1)
    return info[0] == 1


def stream_reset(wire, make=None):
    """Waits for the stream's end; the connection may continue."""
    started = time.monotonic()
    while time.monotonic() - started < GIVE_UP_SECONDS:
        if make:
            wire.send(make())
        try:
            received = wire.read(0.5)
        except TimeoutError:
            continue
        if received is None:
            return Outcome(time.monotonic() - started, "closed", 1)
        if received.kind in (RST_STREAM, GOAWAY):
            where = "stream: " if received.kind == RST_STREAM else ""
            return Outcome(time.monotonic() - started, where + received.code, 1)
    return Outcome(None, "still open", 1)


def many(count, begin, go_on, addresses=10, pause=0.5):
    """Opens `count` connections at once, from several addresses; returns when the last one was ended."""
    members = []
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
    begun = last = time.monotonic()
    while by_number and time.monotonic() - begun < GIVE_UP_SECONDS:
        for number, _ in poll.poll(100):
            try:
                if by_number[number].recv(65_536):
                    continue
            except BLOCKED:
                continue
            except OSError:
                pass
            poll.unregister(number)
            by_number.pop(number).close()
        if go_on and time.monotonic() - last > pause:
            last = time.monotonic()
            for plain in list(by_number.values()):
                try:
                    plain.send(go_on)
                except OSError:
                    pass
    if by_number:
        return Outcome(None, f"{len(by_number)} still open")
    return Outcome(time.monotonic() - begun, f"{len(members)} closed")


def hold(target, count, begin):
    """Holds `count` idle connections; returns the number that the daemon left open."""
    members, started = [], time.monotonic()
    for number in range(count):
        try:
            members.append(begin(number))
        except OSError:
            pass
    # The attack is this silence.
    time.sleep(target.seconds)
    plains = [member.socket if isinstance(member, Wire) else member for member in members]
    left = sum(still_there(plain) for plain in plains)
    return Outcome(time.monotonic() - started, f"{left} of {count} kept")
