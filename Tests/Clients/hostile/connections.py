"""Attacks with connections: endless greetings, occupied places, and handshakes and refusals on new connections."""

import contextlib
import itertools
import random
import struct
import time
from collections import Counter

from Tests.Clients.hostile.offender import STATUS_200, hold, many, said, until_closed
from Tests.Clients.hostile.target import ANONYMOUS, Outcome, attacks, blocks
from Tests.support.http2_wire import (
    CONTINUATION, END_HEADERS, END_STREAM, GOAWAY, HEADERS, PREFACE, RST_STREAM, SETTINGS_ACK, Wire, frame, settings)

attack = attacks("connections")
ALONE = (ANONYMOUS,)


@attack("400 half-open handshakes, silent", ALONE, waits=True)
def _(target):
    return many(target.some(400), lambda source: target.plain(source), None)


@attack("400 half-open handshakes, a byte at a time", ALONE, waits=True)
def _(target):
    hello = b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"
    return many(target.some(400), lambda source: target.plain(source, hello), b"\x00")


@attack("500 slow-header connections", waits=True, megabytes=40)
def _(target):
    def begin(source):
        wire = target.wire(source, greet=target.has_credentials)
        if not target.has_credentials:
            wire.send(PREFACE, settings(), SETTINGS_ACK)
        stream = wire.take()
        wire.send(frame(HEADERS, END_STREAM, stream, b"\x82"),
                  struct.pack(">I", 4_000)[1:] + struct.pack(">BBI", CONTINUATION, 0, stream))
        return wire
    return many(target.some(500), begin, b"\x00")


@attack("200 greetings never acknowledged", ALONE, waits=True)
def _(target):
    def begin(source):
        wire = target.wire(source, greet=False)
        wire.send(PREFACE, settings())
        return wire
    return many(target.some(200), begin, None)


@attack("random bytes for TLS, 300 times", ALONE)
def _(target):
    noise = random.Random(1)
    return many(target.some(300),
                lambda source: target.plain(source, noise.randbytes(noise.randrange(1, 2_000))), b"x")


@attack("random bytes for HTTP/2, 200 times", megabytes=16)
def _(target):
    noise = random.Random(2)

    def begin(source):
        wire = target.wire(source, greet=target.has_credentials)
        greeting = [] if target.has_credentials else [
            PREFACE if noise.random() < 0.8 else b"", settings() if noise.random() < 0.8 else b""]
        wire.send(*greeting, noise.randbytes(noise.randrange(9, 4_000)))
        return wire
    return many(target.some(200), begin, b"x")


# An idle connection takes 25 kB, one that has pushed up to 70.
@attack("650 connections held from the provider's address", ends=False, megabytes=50)
def _(target):
    return hold(target, target.some(650), lambda number: target.wire())


@attack("1,100 connections held from 10 addresses", ends=False, megabytes=80)
def _(target):
    return hold(target, target.some(1_100), lambda number: target.wire(f"127.0.1.{1 + number % 10}"))


@attack("connections opened and closed", ALONE, ends=False)
def _(target):
    started, count = time.monotonic(), 0
    while time.monotonic() - started < target.seconds:
        target.plain("127.0.1.1").close()
        count += 1
    return Outcome(time.monotonic() - started, f"{count} connections")


@attack("handshakes without a request", ALONE, ends=False)
def _(target):
    started, count = time.monotonic(), 0
    while time.monotonic() - started < target.seconds:
        # An unauthenticated connection may have to give way.
        with contextlib.suppress(ConnectionError), Wire(target.port, target.ca, source="127.0.1.1"):
            count += 1
    return Outcome(time.monotonic() - started, f"{count} handshakes")


def on_new_connections(name, addresses, fields, who=ALONE):
    """Sends requests on one new connection after the other, as many at once as are allowed before the greeting."""
    @attack(name, who, ends=False)
    def _(target):
        started, statuses, sources = time.monotonic(), Counter(), itertools.cycle(addresses)
        while time.monotonic() - started < target.seconds:
            with contextlib.suppress(ConnectionError, TimeoutError), Wire(
                    target.port, target.ca, source=next(sources)) as wire:
                made = blocks(wire, fields(target))
                streams = [wire.take() for _ in range(40)]
                wire.send(PREFACE, settings(), *(
                    frame(HEADERS, END_HEADERS | END_STREAM, stream, next(made)) for stream in streams))
                left = set(streams)
                # Later answers, and the connection's end, are not awaited.
                while left and (received := wire.read(0.05)) is not None and received.kind != GOAWAY:
                    if received.kind == HEADERS:
                        block = received.payload.lstrip(b"\x20")
                        statuses[200 if block[:1] == STATUS_200 else "refused"] += 1
                    elif received.kind == RST_STREAM and received.code != "NO_ERROR":
                        statuses["reset"] += 1
                    else:
                        continue
                    left.discard(received.stream)
        return Outcome(time.monotonic() - started, said(statuses), statuses.total(), statuses[200])


TEN = [f"127.0.1.{number}" for number in range(1, 11)]
on_new_connections("requests without a token, ever new connections, 1 address", TEN[:1], lambda target: target.fields())
on_new_connections("requests without a token, ever new connections, 10 addresses", TEN, lambda target: target.fields())
on_new_connections(
    "requests for other paths, ever new connections, 10 addresses", TEN,
    lambda target: [(":method", "GET"), (":scheme", "https"), (":path", "/"), (":authority", "localhost")])
# The neighbour's key and address.
on_new_connections(
    "wrong tokens of the provider's key, its address", ["127.0.0.1"],
    lambda target: target.fields(bearer=target.secrets.sign(kid=target.neighbour.key_id)))


@attack("requests behind the last answer (HTTP/1.1)", ALONE)
def _(target):
    wire = target.wire(greet=False, alpn=False)
    return until_closed(wire, lambda: b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n" * 1_000, reads=False)


@attack("white space in a header field (HTTP/1.1)", ALONE)
def _(target):
    wire = target.wire(greet=False, alpn=False)
    wire.send(b"GET / HTTP/1.1\r\nHost: localhost\r\nX-Field:")
    return until_closed(wire, lambda: b" " * 65_536, reads=False)
