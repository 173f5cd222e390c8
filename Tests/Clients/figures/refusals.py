"""Bad requests without a credential over two connections for 9 s: answered, written, and earlier pushes kept."""

import contextlib
import multiprocessing
import time

from Tests.support.appliance import APP
from Tests.support.http2_wire import (
    END_HEADERS, END_STREAM, GOAWAY, HEADERS, SETTINGS, SETTINGS_ACK, WINDOW_UPDATE, Wire, frame)
from Tests.support.usage import written_bytes

OPTIONS = []
ATTACK_SECONDS = 9


def measure(appliance):
    appliance.install_mailroom()
    for _ in range(100):
        status, _, headers = appliance.curl('{"aps": {"badge": 1}}')
        assert status == 200, status
    pushes = {event["push"].lower() for event in appliance.events() if event["event"] == "accepted"}
    assert len(pushes) == 100, len(pushes)
    written = written_bytes(appliance.process.pid)
    results = multiprocessing.Queue()
    offenders = [
        multiprocessing.Process(target=offend, args=(appliance.port, appliance.token, results)) for _ in range(2)]
    for offender in offenders:
        offender.start()
    answered = ended = 0
    for _ in offenders:
        count, ends = results.get()
        answered, ended = answered + count, ended + ends
    for offender in offenders:
        offender.join()
    # The last summary comes within a second.
    time.sleep(1.5)
    events = appliance.events()
    left = {event["push"].lower() for event in events if event["event"] == "accepted"}
    refused = [event for event in events if event["event"] == "refused"]
    return [
        ("bad requests answered", f"{answered:,}"), ("connections ended by the daemon", f"{ended:,}"),
        ("written to the disk", f"{(written_bytes(appliance.process.pid) - written) / 1e6:.1f} MB"),
        ("events of refusals", f"{len(refused):,}"),
        ("of 100 earlier pushes still known", f"{len(left & pushes)}")]


def offend(port, token, results):
    """Sends bad requests as fast as they are answered; opens a new connection after each that is ended."""
    deadline, answered, ended = time.monotonic() + ATTACK_SECONDS, 0, 0
    while time.monotonic() < deadline:
        with contextlib.suppress(OSError):
            for _ in on_one_connection(port, token, deadline):
                answered += 1
        ended += time.monotonic() < deadline
    results.put((answered, ended))


def on_one_connection(port, token, deadline):
    """Yields for each answer."""
    answered, stream = 0, 1
    fields = [(":method", "GET"), (":scheme", "https"), (":path", f"/3/device/{token}"), (":authority", "localhost"),
              ("apns-topic", APP)]
    with Wire(port) as wire:
        wire.greet()
        # The first block fills the table; from the second on they are identical.
        blocks = [wire.block(fields), wire.block(fields)]
        while time.monotonic() < deadline:
            # One at a time before a good credential: more would be reset.
            wire.send(frame(HEADERS, END_HEADERS | END_STREAM, stream, blocks[min(answered, 1)]))
            has_come, goes_on = answer(wire, stream)
            if has_come:
                yield
            if not goes_on:
                return
            answered += 1
            stream += 2
            if answered % 500 == 0:
                wire.send(frame(WINDOW_UPDATE, payload=(32_000).to_bytes(4, "big")))


def answer(wire, stream):
    """Returns two Booleans: the answer came, and the connection continues."""
    goes_on = True
    while True:
        received = wire.read()
        if received is None:
            return False, False
        if received.kind == GOAWAY:
            goes_on = False
            if stream > int.from_bytes(received.payload[:4], "big"):
                return False, False
        if received.kind == SETTINGS and not received.has(1):
            wire.send(SETTINGS_ACK)
        # GOAWAY may precede the answer that causes it.
        if received.stream == stream and received.has(END_STREAM):
            return True, goes_on
