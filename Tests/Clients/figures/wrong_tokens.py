"""One mistake and 20 pushes of a neighbour at the address of a client that has sent 100 wrong tokens."""

import json
import time

import hpack
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec

from Tests.Clients.apns_requests import other_key
from Tests.support.appliance import APP, TEAM, new_id
from Tests.support.http2_wire import DATA, END_HEADERS, END_STREAM, GOAWAY, HEADERS, SETTINGS, SETTINGS_ACK, Wire, frame

OPTIONS = []
NEIGHBOUR_KEY = "KEY7654321"
PAYLOAD = json.dumps({"aps": {"badge": 1}}).encode()


def measure(appliance):
    appliance.install_mailroom()
    key = ec.generate_private_key(ec.SECP256R1()).private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()).decode()
    path = appliance.folder / "neighbour.p8"
    path.write_text(key)
    appliance.run(
        "provider", "add", "neighbour", "--apps", APP, "--team", TEAM, "--key-id", NEIGHBOUR_KEY, "--key", path)
    good = appliance.bearer(key=key, kid=NEIGHBOUR_KEY)
    mistake = appliance.bearer(key=other_key(), kid=NEIGHBOUR_KEY)
    figures = []
    for what, wrong in [
        ("a key of its own", appliance.bearer(key=other_key())), ("an unknown key", appliance.bearer(kid="KEY0000000"))
    ]:
        began = time.monotonic()
        answered, connections = offend(appliance, wrong)
        took = time.monotonic() - began
        for when, bearers in [("first", [mistake] + [good] * 20), ("after one push", [good, mistake] + [good] * 19)]:
            longest, ended, statuses = push(appliance, bearers)
            name = f"wrong tokens of {what}, the mistake {when}"
            figures += [
                (f"{name}: the longest answer", f"{longest * 1000:.0f} ms"),
                (f"{name}: connections ended", f"{ended}"), (f"{name}: pushes accepted", f"{statuses.count('200')} of 20")]
        figures.append((f"wrong tokens of {what}", f"{answered} in {took:.1f} s over {connections} connections"))
    return figures


def offend(appliance, bearer):
    """Sends 100 wrong tokens, or as many as fit in 20 s; returns the numbers of answers and connections."""
    sent, connections, deadline = 0, 0, time.monotonic() + 20
    while sent < 100 and time.monotonic() < deadline:
        client = Client(appliance)
        connections += 1
        while sent < 100 and time.monotonic() < deadline:
            sent += 1
            if client.ask(bearer) is None:
                break
        client.wire.close()
    return sent, connections


def push(appliance, bearers):
    """Sends a request with each bearer; returns the longest wait, the number of ended connections, and all statuses."""
    client, longest, ended, statuses = Client(appliance), 0.0, 0, []
    for bearer in bearers:
        began = time.monotonic()
        status = client.ask(bearer)
        if client.is_ended or status is None:
            ended += 1
            client.wire.close()
            client = Client(appliance)
        longest = max(longest, time.monotonic() - began)
        statuses.append(status)
    client.wire.close()
    return longest, ended, statuses


class Client:
    def __init__(self, appliance):
        self.token, self.stream, self.is_ended = appliance.token, 1, False
        self.decoder = hpack.Decoder()
        self.wire = Wire(appliance.port, str(appliance.ca), timeout=10).greet()

    def ask(self, bearer):
        """Returns the status; None if the connection is gone."""
        fields = [(":method", "POST"), (":scheme", "https"), (":path", f"/3/device/{self.token}"),
                  (":authority", "localhost"), ("apns-topic", APP), ("apns-id", new_id()),
                  ("authorization", f"bearer {bearer}")]
        stream, self.stream = self.stream, self.stream + 2
        self.wire.send(frame(HEADERS, END_HEADERS, stream, self.wire.block(fields)),
                       frame(DATA, END_STREAM, stream, PAYLOAD))
        status = None
        while True:
            received = self.wire.read()
            if received is None:
                return status
            if received.kind == GOAWAY:
                self.is_ended = True
            if received.kind == SETTINGS and not received.has(1):
                self.wire.send(SETTINGS_ACK)
            if received.stream == stream and received.kind == HEADERS:
                status = self.status(received.payload)
            if received.stream == stream and received.has(END_STREAM):
                return status

    def status(self, block):
        return dict(self.decoder.decode(block))[":status"]
