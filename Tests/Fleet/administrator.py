"""The engine as its administrator sees it, also while servers are down."""

import base64
import json
import time

from Tests.Fleet.nats import Engine, Refused
from Tests.support.project import PATIENCE_SECONDS


def as_admin(fleet, work):
    """Returns the result of `work` with a connection to one of the servers; repeats until it succeeds on one."""
    nodes = json.loads((fleet.folder / "fleet.json").read_text())["nodes"]
    seed = (fleet.folder / "admin.seed").read_text().strip()
    deadline = time.monotonic() + PATIENCE_SECONDS
    problem = None
    while time.monotonic() < deadline:
        for node in nodes:
            try:
                with Engine((node["host"], node["port"]), fleet.folder / "authority.pem", seed) as engine:
                    engine.socket.settimeout(3)
                    return work(engine)
            except (OSError, Refused, ValueError, NotYet) as error:
                problem = error
        time.sleep(0.1)
    raise AssertionError(f"no server did it: {problem!r}")


class NotYet(Exception):
    """An error: the servers do not have it yet."""


def ask(engine, subject, body=b""):
    answer = engine.api(subject, body)
    if "error" in answer:
        raise NotYet(f"{subject}: {answer['error']}")
    return answer


def stream_leader(fleet, stream="BELL_PUSH"):
    """Returns the node that leads the stream; waits for its election."""

    def leader(engine):
        found = ask(engine, f"STREAM.INFO.{stream}").get("cluster", {}).get("leader")
        if not found:
            raise NotYet(f"{stream} has no leader")
        return found

    return as_admin(fleet, leader)


def stored_pushes(fleet):
    """Returns the identifiers of all pushes in the stream."""

    def read(engine):
        state = ask(engine, "STREAM.INFO.BELL_PUSH")["state"]
        found = []
        for sequence in range(state["first_seq"], state["last_seq"] + 1):
            head = base64.b64decode(ask(engine, "STREAM.MSG.GET.BELL_PUSH", {"seq": sequence})["message"]["hdrs"])
            fields = dict(line.split(": ", 1) for line in head.decode().splitlines() if ": " in line)
            found.append(fields["Bell-Id"].lower())
        return found

    return as_admin(fleet, read)
