"""A power cut: writes that a server did not synchronise are lost (disks.py). Needs root.

  Tests/Fleet/run.sh power_cut
"""

import sys

from Tests.Fleet.administrator import asked, stored_pushes, stream_leader
from Tests.Fleet.disks import Disk
from Tests.Fleet.rig import Fleet, alert
from Tests.support.appliance import APP, new_id
from Tests.support.http2_client import Connection, Post

# Fewer than 100, so that none is displaced by a newer one of its app.
PUSHES = 90


def without_sync(text):
    """Returns the configuration with nats-server's own default."""
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
            post = Post(gateway.fields(("apns-id", id), token=token, bearer=bearer), alert(str(number)).encode(), id)
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


def has_stream(fleet):
    """Returns true if the servers have the stream, once they have elected a leader to answer."""
    return "BELL_PUSH" in (asked(fleet, "STREAM.NAMES")["streams"] or [])


def scene(title, edit, is_all):
    """Pushes to a desk that is away, cuts the power of all servers, or each time of the stream's leader, and returns
    the number of acknowledged pushes that are lost."""
    with Fleet(3, edit=edit, disk=Disk) as fleet:
        fleet.add("kitchen")
        fleet.add("front", gateway=True)
        desk = fleet.desk("kitchen")
        token = desk.install(APP)["kitchen-1", APP]
        desk.wait_for_log("fleet kitchen: works")
        gateway = fleet.gateway("front", desk.key)
        desk.kill()

        def cut_power():
            servers = fleet.servers if is_all else [stream_leader(fleet)]
            for server in servers:
                server.kill()
            for server in servers:
                server.disk.cut()
            for server in servers:
                server.start()

        acknowledged = push_all(fleet, gateway, token, PUSHES, during=None if is_all else cut_power)
        cut_power()
        found = set(stored_pushes(fleet)) if has_stream(fleet) else set()
        lost = [id for id in acknowledged if id not in found]
        print(f"{title}: {len(acknowledged)} acknowledged, {len(lost)} lost", flush=True)
        return len(lost)


def main():
    # The loss of a follower proves less: the leader has acknowledged what may be lost.
    one = scene("the leader of three, sync always", None, is_all=False)
    three = scene("all three, sync always", None, is_all=True)
    default = scene("all three, nats-server's default", without_sync, is_all=True)
    if one or three or not default:
        sys.exit("expected: 0, 0, and more than 0")


if __name__ == "__main__":
    main()
