"""The cost of an HTTP/1.1 stranger that reads nothing: processor time, memory, and bytes taken."""

import select
import socket
import ssl
import time

from Tests.support.http2_wire import client_context
from Tests.support.usage import processor_seconds, resident_megabytes

OPTIONS = []
LIMIT_SECONDS = 12


def measure(appliance):
    first = b"GET / HTTP/1.1\r\nHost: localhost\r\n"
    attacks = [
        ("requests behind one that is refused", b"", (first + b"\r\n") * 1_000),
        ("header fields without end", first, b"X-Field: value\r\n" * 2_000),
        ("white space without end", first + b"X-Field:", b" " * 65_536),
    ]
    figures = []
    for name, start, more in attacks:
        used, grown, taken, seconds = attack(appliance, start, more)
        figures += [
            (f"{name}: processor time", f"{used:.2f} s"), (f"{name}: memory grew by", f"{grown:.1f} MB"),
            (f"{name}: bytes taken", f"{taken / 1e6:.1f} MB"), (f"{name}: connection open for", f"{seconds:.1f} s")]
    return figures


def attack(appliance, start, more):
    """Sends without reading until the connection is closed."""
    pid = appliance.process.pid
    context = client_context(protocols=["http/1.1"])
    before, used, peak, taken = resident_megabytes(pid), processor_seconds(pid), 0.0, 0
    began = time.monotonic()
    with socket.create_connection(("127.0.0.1", appliance.port)) as plain:
        with context.wrap_socket(plain, server_hostname="localhost") as wire:
            wire.setblocking(False)
            unsent = start + more
            sampled = 0.0
            while time.monotonic() - began < LIMIT_SECONDS:
                try:
                    count = wire.send(unsent)
                    taken += count
                    # Bytes that TLS did not take must be offered again unchanged.
                    unsent = unsent[count:] or more
                except (ssl.SSLWantReadError, ssl.SSLWantWriteError):
                    select.select([], [plain if plain.fileno() >= 0 else wire], [], 0.01)
                except OSError:
                    break
                if time.monotonic() - sampled > 0.02:
                    sampled = time.monotonic()
                    peak = max(peak, resident_megabytes(pid))
                    if not is_open(wire):
                        break
            seconds = time.monotonic() - began
    return processor_seconds(pid) - used, max(peak - before, 0), taken, seconds


def is_open(wire):
    """Returns true if the connection is open, without reading."""
    return wire.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 1)[0] in (1, 8)
