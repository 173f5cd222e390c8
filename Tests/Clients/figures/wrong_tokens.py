"""One mistake and 20 pushes of a neighbour at the address of a client that has sent 100 wrong tokens."""

import json
import time

from Tests.support.appliance import APP, TEAM, make_key, new_id
from Tests.support.http2_wire import Wire

OPTIONS = []
NEIGHBOUR_KEY = "KEY7654321"
PAYLOAD = json.dumps({"aps": {"badge": 1}}).encode()


def measure(appliance):
    appliance.install_mailroom()
    key = make_key()
    path = appliance.folder / "neighbour.p8"
    path.write_text(key)
    appliance.run(
        "provider", "add", "neighbour", "--apps", APP, "--team", TEAM, "--key-id", NEIGHBOUR_KEY, "--key", path)
    good = appliance.bearer(key=key, kid=NEIGHBOUR_KEY)
    mistake = appliance.bearer(key=make_key(), kid=NEIGHBOUR_KEY)
    figures = []
    for what, wrong in [
        ("a key of its own", appliance.bearer(key=make_key())), ("an unknown key", appliance.bearer(kid="KEY0000000"))
    ]:
        began = time.monotonic()
        answered, connections = offend(appliance, wrong)
        took = time.monotonic() - began
        for when, bearers in [("first", [mistake] + [good] * 20), ("after one push", [good, mistake] + [good] * 19)]:
            longest, ended, statuses = push(appliance, bearers)
            name = f"wrong tokens of {what}, the mistake {when}"
            figures += [
                (f"{name}: the longest answer", f"{longest * 1000:.0f} ms"),
                (f"{name}: connections ended", f"{ended}"), (f"{name}: pushes accepted", f"{statuses.count(200)} of 20")]
        figures.append((f"wrong tokens of {what}", f"{answered} in {took:.1f} s over {connections} connections"))
    return figures


def offend(appliance, bearer):
    """Sends 100 wrong tokens, or as many as fit in 20 s; returns the numbers of answers and connections."""
    sent, connections, deadline = 0, 0, time.monotonic() + 20
    while sent < 100 and time.monotonic() < deadline:
        wire = connect(appliance)
        connections += 1
        while sent < 100 and time.monotonic() < deadline:
            sent += 1
            if ask(appliance, wire, bearer) is None:
                break
        wire.close()
    return sent, connections


def push(appliance, bearers):
    """Sends a request with each bearer; returns the longest wait, the number of ended connections, and all statuses."""
    wire, longest, ended, statuses = connect(appliance), 0.0, 0, []
    for bearer in bearers:
        began = time.monotonic()
        status = ask(appliance, wire, bearer)
        if wire.is_leaving or status is None:
            ended += 1
            wire.close()
            wire = connect(appliance)
        longest = max(longest, time.monotonic() - began)
        statuses.append(status)
    wire.close()
    return longest, ended, statuses


def connect(appliance):
    return Wire(appliance.port, str(appliance.ca), timeout=10).greet()


def ask(appliance, wire, bearer):
    """Returns the status; None if the connection is gone."""
    try:
        return wire.push(appliance.fields(("apns-id", new_id()), bearer=bearer), PAYLOAD)
    except ConnectionError:
        return None
