"""Attacks with access keys: expensive texts, slow bodies and streams, through ntfy, Gotify and hooks."""

import itertools
import json
import time
from collections import Counter

from Tests.Clients.hostile.offender import hold, many, requests_without_end, said
from Tests.Clients.hostile.publishing import ask
from Tests.Clients.hostile.target import ANONYMOUS, CREDENTIALS, Outcome, attacks
from Tests.Clients.nasty_payloads import KEYED_TEXTS, MULTIPART, TREES
from Tests.support.http2_wire import Wire

attack = attacks("keys")
FORM = "Content-Type: multipart/form-data; boundary="


def request(target, path, body=b"", method="POST", more=(), length=None, key=None):
    """Returns a request with the attacker's key, which a hook has in its path."""
    lines = [f"{method} {path} HTTP/1.1", "Host: localhost", *more,
             f"Authorization: Bearer {key or (target.secrets.topic_key if target.has_credentials else 'tk_none')}"]
    if method != "GET":
        lines.append(f"Content-Length: {len(body) if length is None else length}")
    return "\r\n".join([*lines, "", ""]).encode() + body


def line(target, source=None, **options):
    return target.keep(Wire(target.port, target.ca, source=source, alpn=False, timeout=15, **options))


def without_end(name, made, connections=1, at_once=100, who=(CREDENTIALS,), megabytes=12 + 16):
    """Registers an attack with requests over HTTP/1.1, as fast as they are answered."""
    @attack(name, who, ends=False, megabytes=megabytes)
    def _(target):
        return sent_without_end(target, lambda number: made(target, number), connections, at_once)


def sent_without_end(target, made, connections=1, at_once=100):
    def sized(number):
        data = made(number)
        return data, len(data)
    return requests_without_end(target, [line(target).socket for _ in range(connections)], sized, at_once)


def expensive(name, body, more=()):
    """Registers attacks with the largest body, three at a time, through each front end."""
    for way, path in (("ntfy", lambda target: f"/{target.topic}"),
                      ("Gotify", lambda target: f"/message?token={target.secrets.topic_key}"),
                      ("hook", lambda target: f"/h/{target.secrets.hook_key}")):
        data = body(way)
        if data is not None:
            without_end(f"{name}, {way}, 3 connections", lambda target, number, path=path, data=data: request(
                target, path(target), data, more=more), connections=3, at_once=1)


def as_text(text):
    def body(way):
        return json.dumps({"message": text}, ensure_ascii=False).encode() if way == "Gotify" else text.encode()
    return body


for words, text in KEYED_TEXTS.items():
    expensive(words, as_text(text))
for words, (boundary, form) in MULTIPART.items():
    expensive(words, lambda way, form=form: None if way == "ntfy" else form, more=[FORM + boundary])
for words, tree in TREES.items():
    expensive(words, lambda way, tree=tree: b'{"message":"x","extras":' + tree + b"}")

without_end("messages without end, ntfy", lambda target, number: request(
    target, f"/{target.topic}", b"message %d" % number))
without_end("messages without end, Gotify", lambda target, number: request(
    target, "/message", b'{"message":"%d"}' % number))
without_end("messages without end, hook", lambda target, number: request(
    target, f"/h/{target.secrets.hook_key}", b'{"message":"%d"}' % number))
without_end("messages of 4 kB, ntfy", lambda target, number: request(target, f"/{target.topic}", b"x" * 4_096))
without_end("the last messages, again and again", lambda target, number: request(
    target, f"/{target.topic}", b"x" * 4_000) if number < 40 else request(
    target, f"/{target.topic}/json?poll=1&since=all", method="GET"), at_once=10)


def on_new_connections(name, made, who):
    """Registers an attack with one request on each connection."""
    @attack(name, who, ends=False)
    def _(target):
        started, statuses, numbers = time.monotonic(), Counter(), itertools.count()
        while time.monotonic() - started < target.seconds:
            with Wire(target.port, target.ca, source="127.0.1.1", alpn=False, timeout=15) as wire:
                statuses[ask(wire, made(target, next(numbers))) or "closed"] += 1
        return Outcome(
            time.monotonic() - started, said(statuses), statuses.total() - statuses["closed"], statuses[200])


on_new_connections("wrong keys", lambda target, number: request(
    target, f"/{target.neighbour.topic}", b"x", key=f"tk_{number:029}"), (ANONYMOUS,))
on_new_connections("the neighbour's topic, with one's own key", lambda target, number: request(
    target, f"/{target.neighbour.topic}/json?poll=1", method="GET"), (CREDENTIALS,))
on_new_connections("streams opened and closed", lambda target, number: request(
    target, f"/{target.topic}/json?since=all", method="GET"), (CREDENTIALS,))


@attack("slow large bodies, 40 connections", (CREDENTIALS,), waits=True)
def _(target):
    def begin(source):
        wire = line(target, source)
        wire.socket.sendall(request(target, f"/{target.topic}", b"x", length=200_000))
        return wire
    return many(target.some(40), begin, b"x")


def streams(target, number):
    wire = line(target)
    wire.socket.sendall(request(
        target, f"/{target.topic}/{('json', 'sse', 'raw')[number % 3]}?since=all", method="GET"))
    return wire


@attack("50 streams held", (CREDENTIALS,), ends=False)
def _(target):
    return hold(target, 50, lambda number: streams(target, number))


# Each stream has its share of memory, `PortLimits.subscriptionBytes`, and the kernel's buffers.
@attack("16 streams that are not read, and messages to them", (CREDENTIALS,), ends=False)
def _(target):
    for number in range(16):
        streams(target, number)
    return sent_without_end(
        target, lambda number: request(target, f"/{target.topic}", b"%04d" % number + b"x" * 4_000), at_once=900)
