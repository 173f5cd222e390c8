"""Attacks on the web panel: places, guesses, slow and large requests; and requests of a browser that is signed in."""

import contextlib
import http.client
import itertools
import json
import time
from collections import Counter

from Tests.Clients.hostile.offender import TextOffender, hold, many, requests_without_end, said, until_closed
from Tests.Clients.hostile.target import ANONYMOUS, CREDENTIALS, Outcome, attacks
from Tests.support.curl import ask

attack = attacks("panel")
HERE = "127.0.1.1"


def request(target, first, body=b"", more=(), length=None):
    fields = [f"{first} HTTP/1.1", f"Host: 127.0.0.1:{target.panel}", *more,
              *(target.secrets.session if target.has_credentials else ["Deskbell-Panel: none"]),
              f"Content-Length: {len(body) if length is None else length}", "", ""]
    return "\r\n".join(fields).encode() + body


def sign_in(port, password):
    """Returns the header fields of a browser that signs in."""
    with contextlib.closing(http.client.HTTPConnection("127.0.0.1", port, timeout=15)) as connection:
        answer = ask(connection, "POST", "/session", json.dumps({"password": password}), {"Deskbell-Panel": "none"})
    if answer.status != 200:
        raise AssertionError(f"signing in was answered {answer.status} {answer.text}")
    return (f"Cookie: {answer.headers['Set-Cookie'].split(';')[0]}", f"Deskbell-Panel: {answer.json['key']}")


def connect(target, source=HERE, first=b""):
    return target.plain(source, first, target.panel)


@attack("100 connections held", ends=False)
def _(target):
    first = request(target, "GET /v1/state") if target.has_credentials else b""
    return hold(target, 100, lambda number: connect(target, first=first))


@attack("200 connections held from 10 addresses", (ANONYMOUS,), ends=False)
def _(target):
    return hold(target, 200, lambda number: connect(target, f"127.0.1.{1 + number % 10}"))


@attack("slow header fields, 60 connections", (ANONYMOUS,), waits=True)
def _(target):
    return many(target.some(60), lambda source: connect(target, source, b"GET / HTTP/1.1\r\nHost: "), b"x")


def guesses(name, addresses, body):
    @attack(name, (ANONYMOUS,), ends=False)
    def _(target):
        started, statuses, numbers = time.monotonic(), Counter(), itertools.count()
        sources = itertools.cycle(addresses)
        while time.monotonic() - started < target.seconds:
            with connect(target, next(sources)) as plain:
                plain.settimeout(15)
                plain.sendall(request(target, "POST /session", body(next(numbers))))
                try:
                    answer = plain.recv(65_536)
                except OSError:
                    answer = b""
                statuses[int(answer.split()[1]) if answer else "closed"] += 1
        return Outcome(time.monotonic() - started, said(statuses), statuses.total() - statuses["closed"])


def password(number):
    return json.dumps({"password": f"wrong password {number}"}).encode()


guesses("passwords of the panel, 1 address", [HERE], password)
guesses("passwords of the panel, 50 addresses", [f"127.0.2.{number}" for number in range(1, 51)], password)
guesses("links of the panel", [HERE], lambda number: json.dumps({"token": f"{number:064x}"}).encode())


def without_end(name, first, body=b"", who=(CREDENTIALS,)):
    @attack(name, who, ends=False)
    def _(target):
        return requests_without_end(target, [connect(target)], lambda _: (request(target, first, body), 0), at_once=1)


without_end("the panel's page", "GET /", who=(ANONYMOUS, CREDENTIALS))
without_end("the whole journal, again and again", "GET /v1/events?after=0")
without_end("settings changed without end", "PUT /v1/settings/vibrate-on-ring", json.dumps({"value": "on"}).encode())
without_end("uploads of 64 KB", "PUT /v1/settings/vibrate-on-ring",
            json.dumps({"value": "on", "x": "x" * 65_000}).encode())


@attack("uploads of 100 MB", (ANONYMOUS, CREDENTIALS))
def _(target):
    path = "PUT /v1/settings/vibrate-on-ring" if target.has_credentials else "POST /session"
    offender = TextOffender(connect(target, first=request(target, path, length=100_000_000)))
    return until_closed(offender, lambda: bytes(65_536))


@attack("header fields without end", (ANONYMOUS,))
def _(target):
    offender = TextOffender(connect(target, first=b"GET / HTTP/1.1\r\n"))
    return until_closed(offender, lambda: b"X-Field: x\r\n" * 1_000)


@attack("30 streams of events, not read", (CREDENTIALS,), ends=False)
def _(target):
    return hold(target, 30, lambda number: connect(
        target, first=request(target, "GET /v1/events?after=0&follow=true")))
