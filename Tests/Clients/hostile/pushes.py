"""Attacks by a provider with valid credentials of its own app, which pushes as fast as it is answered."""

import itertools
import json
import time

from Tests.Clients.hostile.offender import Offender, as_fast_as_served
from Tests.Clients.hostile.target import CREDENTIALS, PAYLOAD, attacks
from Tests.support.http2_wire import DATA, END_HEADERS, END_STREAM, HEADERS, HEADER_TABLE_SIZE, WINDOW_UPDATE, frame

attack = attacks("pushes")


def integer(number, bits):
    """Returns an integer in HPACK's coding, with zeros before its prefix."""
    limit = (1 << bits) - 1
    if number < limit:
        return bytes([number])
    parts, number = [limit], number - limit
    while number >= 128:
        parts.append(number % 128 + 128)
        number //= 128
    return bytes([*parts, number])


def literal(name, value):
    """Returns a header field that is not indexed, much faster than a library."""
    return b"\x00" + integer(len(name), 7) + name + integer(len(value), 7) + value


def identifier(number, last=0):
    return literal(b"apns-id", b"%08x-0000-4000-8000-%012x" % (number, last))


def payload(**aps):
    return json.dumps({"aps": aps}).encode()


def flood(name, request, fields=lambda target: [target.fields()], connections=1):
    """Registers an attack of pushes without end. `request` makes header fields and the body from a number; `fields` are
    taken in turn."""
    # Beyond the usual 12 MB, the inputs waiting for the next commits, `InputQueue.Limits.waitingBytes`.
    @attack(name, (CREDENTIALS,), ends=False, megabytes=12 + 16)
    def _(target):
        wires = [target.wire(pairs=[(HEADER_TABLE_SIZE, 0)]) for _ in range(connections)]
        offenders, heads, numbers = [Offender(wire) for wire in wires], {}, itertools.count(1)
        lists = fields(target)
        for offender in offenders:
            # The push that authenticated the connection.
            offender.answered = offender.wire.taken
            # Refusals have a body.
            offender.unsent = frame(WINDOW_UPDATE, payload=(1 << 30).to_bytes(4, "big"))
            # The first of each fills the table, the others only name its entries.
            firsts = [offender.wire.block(each) for each in lists]
            heads[offender] = itertools.chain(firsts, itertools.cycle([offender.wire.block(each) for each in lists]))

        def make(offender):
            more, body = request(next(numbers))
            if offender.window < len(body):
                return None
            head, stream = next(heads[offender]), offender.wire.take()
            return (frame(HEADERS, END_HEADERS, stream, head + more) + frame(DATA, END_STREAM, stream, body),
                    len(body))
        # Several of these at once, in a short run, would fill the queue of inputs, which all providers share.
        return as_fast_as_served(target, offenders, make, 900 if target.share == 1 else 300 // connections)


def of_kind(**changes):
    return lambda target: [target.fields(**changes)]


UPDATE = payload(**{"content-available": 1})
# More faults in `aps` than have an event each; a fault there refuses nothing.
FAULTY = payload(alert="x", **{f"{key}": [] for key in (
    "badge", "sound", "content-available", "mutable-content", "category", "thread-id", "interruption-level",
    "relevance-score", "target-content-id", "filter-criteria", "stale-date", "content-state", "timestamp", "event",
    "dismissal-date", "attributes-type", "attributes")})
NESTED = b'{"aps":{"alert":"x"},"a":' + b"[" * 31 + b"]" * 31 + b"}"
LARGE = payload(alert="x" * (4_096 - len(payload(alert=""))))
FAR = literal(b"apns-expiration", b"4102444800")

flood("pushes with new identifiers", lambda number: (identifier(number), PAYLOAD))
flood("pushes with new identifiers, 20 connections", lambda number: (identifier(number), PAYLOAD), connections=20)
flood("the same push again and again", lambda number: (identifier(1), PAYLOAD))
flood("one identifier, ever new payloads", lambda number: (identifier(1), payload(alert=f"{number}")))
flood("pushes of 4 kB", lambda number: (b"", LARGE))
flood("pushes above 4 kB (413)", lambda number: (b"", LARGE + b" "))
flood("header fields of 7 kB", lambda number: (literal(b"x-padding", b"x" * 7_000), PAYLOAD))
flood("malformed payloads", lambda number: (b"", b'{"aps":{"alert":"x",}}'))
flood("payloads with 17 faults", lambda number: (b"", FAULTY))
flood("nested payloads", lambda number: (b"", NESTED))
flood("ever new collapse identifiers",
      lambda number: (literal(b"apns-collapse-id", b"%064d" % number), PAYLOAD))
flood("one collapse identifier", lambda number: (literal(b"apns-collapse-id", b"one"), payload(alert=f"{number}")))
flood("expirations in the year 2100", lambda number: (FAR, PAYLOAD))
flood("background updates that are held", lambda number: (FAR + literal(b"apns-priority", b"5"), UPDATE),
      of_kind(kind="background"))
flood("badges", lambda number: (b"", payload(badge=number)))
flood("sounds", lambda number: (b"", payload(alert="x", sound="default")))
flood("critical alerts", lambda number: (b"", payload(
    alert="x", sound={"critical": 1, "name": "default", "volume": 1}, **{"interruption-level": "critical"})))
flood("pushes with everything", lambda number: (identifier(number) + literal(b"apns-collapse-id", b"one"), payload(
    alert={"title": "x", "subtitle": "x", "body": "x", "title-loc-key": "none"}, badge=number, sound="default",
    category="x", **{"content-available": 1, "mutable-content": 1, "interruption-level": "time-sensitive"})))
flood("unknown device tokens", lambda number: (identifier(number), PAYLOAD), of_kind(token="00" * 32))
flood("the neighbour's topic", lambda number: (identifier(number), PAYLOAD),
      lambda target: [target.fields(topic=target.neighbour.app)])
flood("the neighbour's device token", lambda number: (identifier(number), PAYLOAD),
      lambda target: [target.fields(token=target.neighbour.token)])
flood("ever new provider tokens", lambda number: (b"", PAYLOAD),
      lambda target: [target.fields(bearer=target.secrets.sign(iat=int(time.time()) - age)) for age in range(8)])
