"""The engine itself, through a client that we did not write: nats-py."""

import asyncio
import ssl

import nats

from rig import servers_of


async def connect(fleet, seed, inbox="_INBOX"):
    """A connection with the credentials of that seed file."""
    context = ssl.create_default_context(cafile=str(fleet.folder / "authority.pem"))
    return await nats.connect(
        servers_of(fleet), tls=context, nkeys_seed=str(seed), inbox_prefix=inbox.encode(), connect_timeout=5,
        max_reconnect_attempts=3)


def run(work):
    return asyncio.run(work)


def stream_leader(fleet, stream="BELL_PUSH"):
    """The node that leads the stream."""

    async def ask():
        connection = await connect(fleet, fleet.folder / "admin.seed")
        try:
            while True:
                info = await connection.jetstream(timeout=10).stream_info(stream)
                if info.cluster.leader:
                    return info.cluster.leader
        finally:
            await connection.close()

    return run(ask())
