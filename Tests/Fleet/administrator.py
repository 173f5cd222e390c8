"""The streams as the fleet's administrator sees them, also while servers are down."""

import base64
import time

from Tests.Fleet.nats import Refused
from Tests.support.project import PATIENCE_SECONDS


def as_admin(fleet, work):
    """Returns the result of `work` with a connection to one of the servers; repeats until it succeeds on one."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    problem = None
    while time.monotonic() < deadline:
        for place in range(len(fleet.servers)):
            try:
                with fleet.connection(server=place) as connection:
                    connection.socket.settimeout(3)
                    return work(connection)
            except (OSError, Refused, ValueError, NotYet) as error:
                problem = error
        # No server reports that it can answer again.
        time.sleep(0.1)
    raise AssertionError(f"no server did it: {problem!r}")


class NotYet(Exception):
    """An error: the servers do not have it yet."""


def ask(connection, subject, body=b""):
    answer = connection.api(subject, body)
    if "error" in answer:
        raise NotYet(f"{subject}: {answer['error']}")
    return answer


def asked(fleet, subject, body=b""):
    """Returns the answer to the administrator's request, once a server has it."""
    return as_admin(fleet, lambda connection: ask(connection, subject, body))


def stream_leader(fleet, stream="BELL_PUSH"):
    """Returns the server that leads the stream; waits for its election."""

    def leader(connection):
        found = ask(connection, f"STREAM.INFO.{stream}").get("cluster", {}).get("leader")
        if not found:
            raise NotYet(f"{stream} has no leader")
        return next(server for server in fleet.servers if server.name == found)

    return as_admin(fleet, leader)


def stored_pushes(fleet):
    """Returns the identifiers of all pushes in the stream."""

    def read(connection):
        state = ask(connection, "STREAM.INFO.BELL_PUSH")["state"]
        found = []
        for sequence in range(state["first_seq"], state["last_seq"] + 1):
            head = base64.b64decode(ask(connection, "STREAM.MSG.GET.BELL_PUSH", {"seq": sequence})["message"]["hdrs"])
            fields = dict(line.split(": ", 1) for line in head.decode().splitlines() if ": " in line)
            found.append(fields["Bell-Id"].lower())
        return found

    return as_admin(fleet, read)
