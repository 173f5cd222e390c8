"""SIGTERM while silent clients are connected: none is waited for, at any point of its request."""

import json
import socket
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

from Tests.support.appliance import APP, Appliance, Gateway, Mailroom
from Tests.support.http2_client import Connection
from Tests.support.http2_wire import PREFACE, secured, settings
from Tests.support.project import DESKBELL, PATIENCE_SECONDS, free_port

# The limit that docs/http2.md promises. A busy machine may be late, but not each time.
LIMIT_SECONDS = 0.3
ATTEMPTS = 5


class Silent:
    """A TLS client that sends these bytes, reads until it has `answer`, and then neither reads nor writes."""

    def __init__(self, port, ca, sent=b"", answer=b"", protocol="http/1.1"):
        self.socket = secured(port, ca, [protocol] if protocol else [])
        self.socket.sendall(sent)
        heard = b""
        while answer not in heard:
            more = self.socket.recv(4096)
            assert more, heard
            heard += more
        self.heard = heard

    def close(self):
        self.socket.close()


class Plain:
    """A silent client that has not begun TLS."""

    def __init__(self, port, sent=b""):
        self.socket = socket.create_connection(("127.0.0.1", port), PATIENCE_SECONDS)
        self.socket.sendall(sent)

    def close(self):
        self.socket.close()


def request(method, target, *fields, body=b""):
    return "\r\n".join([f"{method} {target} HTTP/1.1", "Host: localhost", *fields, "", ""]).encode() + body


PASSWORD = "correct-horse-battery-staple"
GREETING = PREFACE + settings()


class ShutdownTests(unittest.TestCase):
    def seconds(self, appliance):
        """Returns the seconds from the signal to the end of the process."""
        began = time.monotonic()
        appliance.stop()
        return time.monotonic() - began

    def check(self, appliance, kinds, limit=LIMIT_SECONDS):
        """Checks each kind of client, by name: five at once must not delay the end."""
        for name, make in kinds.items():
            with self.subTest(name):
                best = PATIENCE_SECONDS
                for _ in range(ATTEMPTS):
                    clients = [make() for _ in range(5)]
                    try:
                        best = min(best, self.seconds(appliance))
                    finally:
                        for client in clients:
                            client.close()
                        appliance.start()
                    if best < limit:
                        break
                self.assertLess(best, limit)

    def test_silent_clients_of_the_push_port_are_not_waited_for(self):
        with Mailroom() as appliance:
            appliance.run("topic", "add", "parcels", "--app", APP)
            bearer = f"Authorization: Bearer {appliance.report('topic', 'key', 'parcels')['key']}"

            def silent(sent=b"", answer=b"", protocol="http/1.1"):
                return lambda: Silent(appliance.port, appliance.ca, sent, answer, protocol)

            def http2(fields=None, body=b""):
                def make():
                    connection = Connection(appliance.port, appliance.ca)
                    if fields:
                        connection.http2.send_headers(1, [(":scheme", "https"), (":authority", "localhost"), *fields])
                        if body:
                            connection.http2.send_data(1, body)
                        connection.flush()
                    return connection
                return make

            publish = (bearer, "Content-Length: 10")
            key = ("authorization", bearer.partition(": ")[2])
            self.check(appliance, {
                "nothing": lambda: Plain(appliance.port),
                "TLS, and no request": silent(),
                "TLS without ALPN, and no request": silent(protocol=None),
                "an answered request": silent(request("GET", "/none"), b"\r\n\r\n"),
                "half a head": silent(b"POST /parcels HTTP/1.1\r\nHost: loc"),
                "half a body": silent(request("POST", "/parcels", *publish, body=b"abc")),
                "a body that waits for 100 Continue": silent(
                    request("POST", "/parcels", *publish, "Expect: 100-continue"), b"100 Continue"),
                "half a chunk": silent(
                    request("POST", "/parcels", bearer, "Transfer-Encoding: chunked", body=b"5\r\nab")),
                **{f"a stream of {format}": silent(request("GET", f"/parcels/{format}", bearer), b"\r\n\r\n")
                   for format in ("json", "sse", "raw")},
                "HTTP/2, and not even its preface": silent(protocol="h2"),
                "HTTP/2, and SETTINGS": silent(GREETING, protocol="h2"),
                "HTTP/2, idle": http2(),
                "HTTP/2, half a body": http2(
                    [(":method", "POST"), (":path", "/parcels"), key, ("content-length", "10")], b"abc"),
                "HTTP/2, a stream": http2([(":method", "GET"), (":path", "/parcels/json"), key]),
            })

    def test_silent_clients_of_the_panel_are_not_waited_for(self):
        port = free_port()
        # Loopback has no TLS.
        with Appliance("--panel", f"127.0.0.1:{port}") as appliance:
            appliance.put_panel_on_network(port, PASSWORD)

            def silent(sent=b"", answer=b""):
                return lambda: Silent(port, appliance.ca, sent, answer)

            def ask(method, target, *fields, body=b"", answer=b"\r\n\r\n"):
                # As the panel's own page asks.
                own = (f"Origin: https://localhost:{port}", "Content-Type: application/json",
                       f"Content-Length: {len(body)}")
                text = request(method, target, *own, *fields, body=body)
                return Silent(port, appliance.ca, text.replace(b"localhost", f"localhost:{port}".encode(), 1), answer)

            def events():
                body = json.dumps({"password": PASSWORD}).encode()
                signed = ask("POST", "/session", "Deskbell-Panel: page", body=body, answer=b"}")
                signed.close()
                cookie = signed.heard.partition(b"Set-Cookie: ")[2].partition(b";")[0].decode()
                key = json.loads(signed.heard.partition(b"\r\n\r\n")[2])["key"]
                return ask("GET", "/v1/events?follow=true", f"Cookie: {cookie}", f"Deskbell-Panel: {key}", answer=b"200 OK")

            self.check(appliance, {
                "TLS, and no request": silent(),
                "half a head": silent(b"GET / HTTP/1.1\r\nHost: loc"),
                "an answered request": silent(request("GET", "/none"), b"\r\n\r\n"),
                "a stream of events": events,
            })

    def test_silent_clients_of_a_gateway_are_not_waited_for(self):
        folder = self.enterContext(tempfile.TemporaryDirectory(prefix="deskbell-")) + "/fleet"
        for words in (["init", "--server", f"a=127.0.0.1:{free_port()}:{free_port()}"], ["add", "gate", "--gateway"]):
            subprocess.run([DESKBELL, "fleet", *words, "--offline", "--fleet", folder], check=True, capture_output=True)
        with Gateway(Path(folder), "gate") as gateway:
            # Soon after its start, libnats tries to connect, which takes half a second without a server.
            alone = self.seconds(gateway)
            gateway.start()
            self.check(gateway, {
                "TLS, and no request": lambda: Silent(gateway.port, gateway.ca),
                "HTTP/2, and SETTINGS": lambda: Silent(gateway.port, gateway.ca, GREETING, protocol="h2"),
                "HTTP/2, idle": lambda: Connection(gateway.port, gateway.ca),
            }, alone + LIMIT_SECONDS)
