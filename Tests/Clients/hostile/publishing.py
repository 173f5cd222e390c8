"""Attacks on the 2008 service: guessed passwords, slow and large bodies, endless publications."""

import base64
import dataclasses
import itertools
import re
import time
from collections import Counter

from Tests.Clients.hostile.offender import TextOffender, many, requests_without_end, said, until_closed
from Tests.Clients.hostile.target import ANONYMOUS, CREDENTIALS, GIVE_UP_SECONDS, Outcome, attacks
from Tests.support.http2_wire import Wire

attack = attacks("2008")


def plist(inside):
    return f'<plist version="1.0"><dict>{inside}</dict></plist>'.encode()


SMALL = plist("<key>UIAlertBody</key><string>x</string>")
DEEP = plist("<key>a</key>" + "<array>" * 50 + "</array>" * 50)
# As many declarations as fit; each names the one before ten times.
ENTITIES = (b'<!DOCTYPE plist [<!ENTITY a0 "x">' + b"".join(
    b'<!ENTITY a%d "%s">' % (number, b"&a%d;" % (number - 1) * 10) for number in range(1, 12)) + b"]>" + SMALL)[:1_024]


def request(target, method="PUT", query="", body=b"", user=None, password=None, more=(), length=None, node="Inbox"):
    """Returns a request with the right password, another, or none."""
    lines = [f"{method} /{target.app}/{target.device}/{node}{query} HTTP/1.1", "Host: localhost", *more]
    if password or target.has_credentials:
        pair = f"{user or target.app}:{password or target.secrets.password}"
        lines.append("Authorization: Basic " + base64.b64encode(pair.encode()).decode())
    if method != "GET" and not any(line.startswith("Transfer-Encoding") for line in more):
        lines.append(f"Content-Length: {len(body) if length is None else length}")
    return "\r\n".join([*lines, "", ""]).encode() + body


def line(target, source=None, **options):
    """Opens a connection of HTTP/1.1; with credentials, its password has been checked and its node exists."""
    deadline = time.monotonic() + 30
    while True:
        wire = target.keep(Wire(target.port, target.ca, source=source, alpn=False, timeout=15, **options))
        status = ask(wire, request(target, "POST", "?action=create")) if target.has_credentials else 200
        # The daemon may be checking too many passwords, or another attack guesses from this address: then it says so, or
        # closes the connection, and does not say when to come again.
        if status not in (None, 429, 503) or time.monotonic() > deadline:
            break
        wire.socket.close()
        time.sleep(0.2)
    if status != 200:
        raise AssertionError(f"the attacker's own password was answered {status}")
    return wire


def ask(wire, data):
    """Returns the status of one request whose answer has a length; None if the connection was closed."""
    wire.socket.settimeout(15)
    try:
        wire.socket.sendall(data)
        received = b""
        while b"\r\n\r\n" not in received:
            part = wire.socket.recv(65_536)
            if not part:
                return None
            received += part
        head, _, body = received.partition(b"\r\n\r\n")
        length = re.search(rb"(?i)content-length: *(\d+)", head)
        missing = int(length.group(1)) - len(body) if length else 0
        while missing > 0:
            missing -= len(wire.socket.recv(65_536)) or missing
        return int(head.split()[1])
    except OSError:
        return None


def guesses(name, addresses, user=None, password=lambda number: f"wrong password {number}", who=(ANONYMOUS,)):
    @attack(name, who, ends=False)
    def _(target):
        started, statuses, sources, numbers = time.monotonic(), Counter(), itertools.cycle(addresses), itertools.count()
        while time.monotonic() - started < target.seconds:
            with Wire(target.port, target.ca, source=next(sources), alpn=False, timeout=15) as wire:
                status = 0
                while status is not None and status != 429 and time.monotonic() - started < target.seconds:
                    status = ask(wire, request(
                        target, "POST", "?action=create", user=user,
                        password=password(next(numbers)) or target.secrets.password))
                    statuses[status or "closed"] += 1
                    if who == (CREDENTIALS,):
                        break
        return Outcome(time.monotonic() - started, said(statuses),
                       sum(count for status, count in statuses.items() if status != "closed"), statuses[200])


guesses("wrong passwords, 1 address", ["127.0.1.1"])
guesses("wrong passwords, the provider's address", ["127.0.0.1"])
guesses("wrong passwords, 50 addresses", [f"127.0.2.{number}" for number in range(1, 51)])
guesses("unknown users, 50 addresses", [f"127.0.3.{number}" for number in range(1, 51)], user="com.example.nobody")
guesses("the right password on ever new connections, 10 addresses", [f"127.0.1.{number}" for number in range(1, 11)],
        password=lambda number: None, who=(CREDENTIALS,))


@attack("40 passwords at once, 40 addresses", (ANONYMOUS,), ends=False)
def _(target):
    connections = [target.keep(Wire(target.port, target.ca, source=f"127.0.4.{number}", alpn=False)).socket
                   for number in range(1, 41)]
    return requests_without_end(
        target, connections, lambda number: (request(target, "GET", password=f"wrong password {number}"), 0), at_once=1)


def without_end(name, made, at_once=100):
    """Registers an attack on one connection, as fast as it is answered."""
    @attack(name, (CREDENTIALS,), ends=False)
    def _(target):
        return requests_without_end(target, [line(target).socket], lambda number: made(target, number), at_once)


without_end("publications without end", lambda target, number: (request(target, body=SMALL), len(SMALL)))
without_end("publications of 1 kB", lambda target, number: (
    request(target, body=SMALL + b" " * (1_024 - len(SMALL))), 1_024))
without_end("publications above 1 kB (413)", lambda target, number: (
    request(target, body=SMALL + b" " * (1_025 - len(SMALL))), 0), at_once=1)
without_end("nested property lists", lambda target, number: (request(target, body=DEEP), 0))
without_end("property lists with entities", lambda target, number: (request(target, body=ENTITIES), 0))
without_end("nodes created and deleted", lambda target, number: (
    request(target, "POST", f"?action={'delete' if number % 2 else 'create'}", node="Other"), 0))
without_end("17 nodes created", lambda target, number: (
    request(target, "POST", "?action=create", node=f"Node{number}"), 0))
without_end("the last publication read back", lambda target, number: (
    request(target, body=SMALL) if number == 0 else request(target, "GET"), 0))
without_end("chunks of one byte", lambda target, number: (
    request(target, more=["Transfer-Encoding: chunked"])
    + b"".join(b"1\r\n%c\r\n" % byte for byte in SMALL) + b"0\r\n\r\n", len(SMALL)), at_once=10)


@attack("slow bodies, 50 connections", waits=True)
def _(target):
    def begin(source):
        wire = line(target, source) if target.has_credentials else target.wire(source, greet=False, alpn=False)
        wire.socket.sendall(request(target, length=1_000))
        return wire
    # One password check for each, one after the other.
    return many(target.some(50 if not target.has_credentials else 20), begin, b"x")


@attack("slow header fields, 100 connections", (ANONYMOUS,), waits=True)
def _(target):
    def begin(source):
        wire = target.wire(source, greet=False, alpn=False)
        wire.send(b"PUT / HTTP/1.1\r\nHost: loc")
        return wire
    return many(target.some(100), begin, b"x")


# The kernel's buffer takes the first 4 MB of the answers.
@attack("publications read back, answers not read", (CREDENTIALS,), ends=False, waits=True)
def _(target):
    wire = line(target, receive_buffer=4_096)
    ask(wire, request(target, body=SMALL + b" " * (1_024 - len(SMALL))))
    offender = TextOffender(wire.socket)

    def make():
        offender.requests += 50
        return request(target, "GET") * 50
    # In a short run, as long as the slow bodies.
    give_up = GIVE_UP_SECONDS if target.share == 1 else 6
    read_back = until_closed(offender, make, reads=False, give_up=give_up)
    return dataclasses.replace(read_back, seconds=read_back.seconds or give_up)
