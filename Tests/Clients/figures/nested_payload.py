"""The cost of a valid push of 4 KB with the deepest nesting allowed, or with 450 unknown keys, beside a plain one."""

import statistics
import time

from Tests.Clients.nasty_payloads import NASTY, PLAIN, nested
from Tests.support.http2_client import Connection, Post
from Tests.support.usage import nanoseconds

OPTIONS = []
PUSHES = 50
PATIENCE_SECONDS = 15


def measure(appliance):
    appliance.install_mailroom()
    fields = appliance.fields()
    with Connection(appliance.port, appliance.ca) as connection:

        def push(payload):
            (_, status, _, _), = connection.exchange([Post(fields, payload)])
            return status

        def cost(payload):
            """Returns the daemon's processor time for one push, and the time until its answer: both in ms."""
            push(payload)
            before, waited, started = nanoseconds(appliance.process.pid), [], time.monotonic()
            while len(waited) < PUSHES and time.monotonic() < started + PATIENCE_SECONDS:
                sent = time.monotonic()
                assert push(payload) == 200
                waited.append(time.monotonic() - sent)
            spent = nanoseconds(appliance.process.pid) - before
            return spent / len(waited) / 1e6, statistics.median(waited) * 1000

        depth = max(levels for levels in (32, 48, 60, 64) if push(nested(levels)) == 200)
        pairs = []
        for what, payload in (
                ("a plain payload", PLAIN), (f"{depth} deep, 4 KB", nested(depth, 4096)),
                ("450 unknown keys in aps", NASTY["450 unknown keys in aps"])):
            processor, answer = cost(payload)
            pairs.append((f"{what}: processor time a push", f"{processor:.2f} ms"))
            pairs.append((f"{what}: answered after", f"{answer:.1f} ms"))
        return pairs
