"""Malicious apps: programs that write, fork, persist and use memory; connections to the app link; local notifications.

App bundles are trusted, so their processes may use what they want; only the effect on the neighbour is measured."""

import contextlib
import json
import socket
import time

from Tests.Clients.hostile.offender import hold
from Tests.Clients.hostile.target import CREDENTIALS, Outcome, attacks
from Tests.support.appliance import ControlConnection

attack = attacks("apps")
UPDATE = json.dumps({"aps": {"content-available": 1}}).encode()
# The apps with programs, of all attacks.
APPS = []
# All end by themselves, so that no escaped process is left behind.
LOUD = "#!/bin/sh\nexec timeout 20 cat /dev/zero\n"
FORKS = "#!/bin/sh\nfor i in $(seq 100); do sleep 20 & setsid sleep 20 & done\nwait\n"
STUBBORN = "#!/bin/sh\ntrap '' TERM\nsleep 10\nsleep 10\n"
STAYS = "#!/bin/sh\nexec sleep 20\n"
GREEDY = "#!/usr/bin/python3\nimport time\nroom = bytearray(300_000_000)\ntime.sleep(20)\n"
ERRORS = "#!/bin/sh\nexec timeout 20 cat /dev/zero >&2\n"


def program(name, script, apps=1):
    """Sends an update to each of `apps` apps, whose programs then run until the attack ends."""
    names = [f"com.example.hostile{len(APPS) + number}" for number in range(apps)]
    APPS.extend(names)

    @contextlib.contextmanager
    def prepare(rig):
        try:
            yield {"programs": [(app, rig.install(app, script)) for app in names]}
        finally:
            for app in names:
                rig.appliance.run("app", "uninstall", app)

    @attack(name, (CREDENTIALS,), ends=False, prepare=prepare)
    def _(target):
        started, accepted = time.monotonic(), 0
        for app, token in target.programs:
            with target.wire() as wire:
                accepted += wire.push(target.fields(
                    ("apns-priority", "5"), topic=app, token=token, kind="background"), UPDATE) == 200
        # The attack lasts this long, so that the neighbour's program runs at the same time.
        time.sleep(max(target.seconds, 1))
        return Outcome(time.monotonic() - started, f"{accepted} of {apps} programs started", apps, accepted)


program("a program that writes without end", LOUD)
program("a program that writes errors without end", ERRORS)
program("a program that forks 200 processes", FORKS)
program("a program that does not end", STUBBORN)
program("a program that takes 300 MB", GREEDY)
program("4 programs that do not end", STAYS, 4)


def link(target):
    plain = target.keep(socket.socket(socket.AF_UNIX))
    plain.settimeout(5)
    plain.connect(f"{target.folder}/c-apps.sock")
    return plain


def hello(target):
    plain = link(target)
    plain.sendall(json.dumps({"hello": {"app": target.app, "state": "background"}}).encode() + b"\n")
    return plain


@attack("100 connections to the app link, silent", (CREDENTIALS,), ends=False)
def _(target):
    return hold(target, 100, lambda number: link(target))


def lines(name, data):
    @attack(name, (CREDENTIALS,), ends=False)
    def _(target):
        started, count, connections = time.monotonic(), 0, 0
        # A short run leaves the daemon unchanged for the next.
        most = 1_000_000 if target.share == 1 else 200
        while time.monotonic() - started < target.seconds and count < most and connections < most:
            connections += 1
            with contextlib.suppress(OSError), hello(target) as plain:
                while time.monotonic() - started < target.seconds and count < most:
                    plain.sendall(data)
                    count += data.count(b"\n")
        return Outcome(time.monotonic() - started, f"{count} lines, {connections} connections", count)


lines("an app that goes to the foreground and back", b'{"state":"foreground"}\n{"state":"background"}\n' * 50)
lines("an app whose lines are wrong", b'{"oops"\n')
lines("an app whose line does not end", b"x" * 65_536)


@attack("an app that does not read its pushes", (CREDENTIALS,), ends=False)
def _(target):
    plain = hello(target)
    # A newer connection of the app may have replaced this one.
    with contextlib.suppress(OSError):
        plain.sendall(b'{"state":"foreground"}\n')
    started, count = time.monotonic(), 0
    payload = json.dumps({"aps": {"alert": "x" * 4_000}}).encode()
    wire = target.wire()
    while time.monotonic() - started < target.seconds:
        count += wire.push(target.fields(), payload) == 200
    return Outcome(time.monotonic() - started, f"{count} pushes", count, count, count * len(payload))


@attack("local notifications scheduled without end", (CREDENTIALS,), ends=False)
def _(target):
    started, count = time.monotonic(), 0
    control = ControlConnection(f"{target.folder}/c.sock")
    while time.monotonic() - started < target.seconds:
        # As many as an app may have; each replaces the one with its name.
        control.call(
            "PUT", f"/v1/apps/{target.app}/local/n{count % 64}", {"title": "x", "afterSeconds": 1 + count % 3})
        count += 1
    control.close()
    return Outcome(time.monotonic() - started, f"{count} scheduled", count, count)
