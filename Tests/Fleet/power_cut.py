"""A power cut: what a server did not synchronise is gone (disks.py). Needs root.

  Tests/Fleet/run.sh power_cut
"""

import asyncio
import json
import sys
import time

import nats.errors
import nats.js.errors

from disks import Disk
from engine import connect, run
from rig import APP, Connection, Fleet, Post, new_id

# Fewer than 100, so that none is displaced by a newer one of its app.
PUSHES = 90


def without_sync(text):
    """nats-server's own default."""
    return text.replace("sync_interval: always", "")


def push_all(fleet, gateway, token, count, during=None):
    """Pushes one after the other, each until it is answered 200, and returns their identifiers."""
    acknowledged, bearer = [], gateway.bearer()
    connection = Connection(gateway.port, gateway.ca)
    for number in range(count):
        if during and number == count // 2:
            during()
        id = new_id()
        while True:
            post = Post((
                (":method", "POST"), (":scheme", "https"), (":authority", "localhost"),
                (":path", f"/3/device/{token}"), ("apns-topic", APP), ("apns-id", id),
                ("authorization", f"bearer {bearer}")), json.dumps({"aps": {"alert": str(number)}}).encode(), id)
            answers = connection.exchange([post])
            if answers and answers[0][1] == 200:
                break
            assert not answers or answers[0][1] == 503, answers
            if not connection.is_open or connection.is_leaving:
                connection.close()
                connection = Connection(gateway.port, gateway.ca)
        acknowledged.append(id)
    connection.close()
    return acknowledged


async def stored(fleet):
    """The identifiers of all pushes that the stream has; none where the servers have forgotten the stream itself."""
    connection = await connect(fleet, fleet.folder / "admin.seed")
    try:
        jet_stream = connection.jetstream(timeout=10)
        deadline = time.monotonic() + 30
        while True:
            try:
                info = await jet_stream.stream_info("BELL_PUSH")
                found = []
                for sequence in range(info.state.first_seq, info.state.last_seq + 1):
                    message = await jet_stream.get_msg("BELL_PUSH", sequence)
                    found.append(message.headers["Bell-Id"].lower())
                return found
            except nats.js.errors.NotFoundError:
                if time.monotonic() > deadline:
                    return []
            except (nats.errors.Error, nats.js.errors.Error):
                if time.monotonic() > deadline:
                    raise
            await asyncio.sleep(0.2)
    finally:
        await connection.close()


def scene(title, edit, cut):
    """Pushes to a desk that is away, cuts the power of some servers, and returns how many acknowledged pushes are gone."""
    with Fleet(nodes=3, edit=edit, disk=Disk) as fleet:
        fleet.add("kitchen")
        fleet.add("front", gateway=True)
        desk = fleet.desk("kitchen")
        token = desk.install(APP)["kitchen-1", APP]
        desk.wait_for_log("fleet kitchen: works")
        gateway = fleet.gateway("front")
        gateway.key = desk.key
        gateway.wait_for_log("knows")
        desk.kill()

        def cut_power():
            nodes = [node for node in fleet.nodes if node.name in cut]
            for node in nodes:
                node.kill()
            for node in nodes:
                node.disk.cut()
            for node in nodes:
                node.start()

        acknowledged = push_all(fleet, gateway, token, PUSHES, during=cut_power if len(cut) < 3 else None)
        cut_power()
        found = set(run(stored(fleet)))
        lost = [id for id in acknowledged if id not in found]
        print(f"{title}: {len(acknowledged)} acknowledged, {len(lost)} lost", flush=True)
        return len(lost)


def main():
    one = scene("one of three, sync always", None, "a")
    three = scene("all three, sync always", None, "abc")
    default = scene("all three, nats-server's default", without_sync, "abc")
    if one or three or not default:
        sys.exit("expected: 0, 0, and more than 0")


if __name__ == "__main__":
    main()
