"""Mosquitto beside Deskbell: a broker that takes the same bytes over TLS with QoS 1 and keeps them for a client that is away.

It acknowledges before anything is on the disk, and writes its whole store anew at intervals, however its settings ask
for durability: so it does less for each message, and more the more there are. Deskbell's figures with as many requests under way are in the contest."""

import contextlib
import shutil
import socket
import ssl
import struct
import subprocess
import tempfile
import time
from pathlib import Path

from Benchmarks.measure import PAYLOAD, scheduled_seconds
from Tests.support.project import free_port

SETTINGS = """\
listener {port} 127.0.0.1
certfile {certificate}
keyfile {key}
allow_anonymous true
persistence true
persistence_location {folder}/
autosave_on_changes true
autosave_interval 1
max_queued_messages 0
log_type none
user root
"""


@contextlib.contextmanager
def broker(tls):
    """A running broker with a Deskbell's certificate: its process, its port, its folder."""
    with tempfile.TemporaryDirectory() as folder:
        settings, port = Path(folder) / "mosquitto.conf", free_port()
        settings.write_text(SETTINGS.format(
            port=port, folder=folder, certificate=tls / "server.pem", key=tls / "server-key.pem"))
        with subprocess.Popen(
                ["mosquitto", "-c", str(settings)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
            try:
                while True:
                    with contextlib.suppress(ConnectionRefusedError), socket.create_connection(("127.0.0.1", port)):
                        break
                yield process, port
            finally:
                process.kill()


class Client:
    """MQTT 3.1.1, as much of it as this needs."""

    def __init__(self, port, name, clean):
        context = ssl.create_default_context()
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        self.socket = context.wrap_socket(socket.create_connection(("127.0.0.1", port)))
        self.answers = self.socket.makefile("rb")
        flags = 2 if clean else 0
        self.send(0x10, b"\0\4MQTT\4" + bytes([flags]) + struct.pack(">H", 0) + self.text(name))
        assert self.read(0x20)[1] == 0

    @staticmethod
    def text(text):
        return struct.pack(">H", len(text)) + text.encode()

    def packet(self, kind, body):
        length, size = len(body), b""
        while length > 127:
            size, length = size + bytes([length & 127 | 128]), length >> 7
        return bytes([kind]) + size + bytes([length]) + body

    def send(self, kind, body):
        self.socket.sendall(self.packet(kind, body))

    def read(self, kind):
        header = self.answers.read(2)
        assert header[0] == kind, header
        return self.answers.read(header[1])

    def subscribe(self, topic):
        self.send(0x82, struct.pack(">H", 1) + self.text(topic) + b"\1")
        self.read(0x90)

    def publish(self, topic, payload, count, window):
        """So many messages with QoS 1, of which at most `window` are not acknowledged."""
        sent = 0
        for acknowledged in range(count):
            batch = b""
            while sent < min(count, acknowledged + window):
                body = self.text(topic) + struct.pack(">H", sent % 65_535 + 1) + payload
                batch, sent = batch + self.packet(0x32, body), sent + 1
            if batch:
                self.socket.sendall(batch)
            self.read(0x40)

    def close(self):
        self.socket.close()


def compare(appliance, messages=2_000):
    if shutil.which("mosquitto") is None:
        print("  not installed: apt-get install mosquitto")
        return None
    result = {}
    with broker(appliance.state / "tls") as (process, port):
        away = Client(port, "desk", clean=False)
        away.subscribe("push")
        away.close()
        client = Client(port, "provider", clean=True)
        for window in (1, 100):
            used, started = scheduled_seconds(process.pid), time.monotonic()
            client.publish("push", PAYLOAD.encode(), messages, window)
            seconds = time.monotonic() - started
            figure = {"rate": messages / seconds, "processor": (scheduled_seconds(process.pid) - used) / messages * 1e6}
            result[f"1×{window}"] = figure
            print(f"  1×{window:<3} Mosquitto {figure['rate']:9.0f}/s (a client in Python)  "
                  f"{figure['processor']:6.1f} µs of processor, not yet on the disk", flush=True)
        client.close()
    return result
