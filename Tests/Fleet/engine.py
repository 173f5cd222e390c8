"""The engine itself, through a client that we did not write: nats-py."""

import asyncio
import ssl
import time

import nats
import nats.errors
import nats.js.errors

from rig import PATIENCE_SECONDS, servers_of


async def connect(fleet, seed, inbox="_INBOX", **options):
    """A connection with the credentials of that seed file."""

    async def ignore(error):
        """A server that is down is tried again."""

    options.setdefault("error_cb", ignore)
    context = ssl.create_default_context(cafile=str(fleet.folder / "authority.pem"))
    return await nats.connect(
        servers_of(fleet), tls=context, nkeys_seed=str(seed), inbox_prefix=inbox.encode(), connect_timeout=5,
        max_reconnect_attempts=3, **options)


def run(work):
    return asyncio.run(work)


def stream_leader(fleet, stream="BELL_PUSH"):
    """The node that leads the stream; waits for its election."""

    async def ask():
        connection = await connect(fleet, fleet.folder / "admin.seed")
        try:
            info = await connection.jetstream(timeout=2).stream_info(stream)
            return info.cluster.leader
        finally:
            await connection.close()

    deadline = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < deadline:
        try:
            if leader := run(ask()):
                return leader
        except (nats.errors.Error, nats.js.errors.Error, OSError):
            pass
    raise AssertionError(f"{stream} has no leader")
