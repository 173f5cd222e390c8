"""The plain NATS protocol, for requests that a well-behaved client library would not send."""

import base64
import contextlib
import itertools
import json
import secrets
import select
import socket
import ssl
import threading
import time

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from Tests.support.network import ForwardedPort

PATIENCE_SECONDS = 30
# The prefix of a user's public key.
USER = 20 << 3


class Refused(Exception):
    """An error: the server has sent -ERR."""


def checksum(data):
    """Returns the CRC-16/XMODEM."""
    total = 0
    for byte in data:
        total ^= byte << 8
        for _ in range(8):
            total = (total << 1 ^ 0x1021 if total & 0x8000 else total << 1) & 0xFFFF
    return total


def read_greeting(plain):
    """Reads the server's greeting before TLS, and no byte more."""
    greeting = b""
    while not greeting.endswith(b"\n"):
        greeting += plain.recv(1)
    return greeting


class NATSConnection:
    """A connection to one server with a user's seed. Use it in a `with` statement."""

    def __init__(self, address, authority, seed, inbox="_INBOX"):
        """`address`: host and port; `authority`: the file of its certificate; `seed`: SU…"""
        raw = base64.b32decode(seed + "=" * (-len(seed) % 8))
        key = Ed25519PrivateKey.from_private_bytes(raw[2:34])
        public = bytes([USER]) + key.public_key().public_bytes_raw()
        name = base64.b32encode(public + checksum(public).to_bytes(2, "little")).decode().rstrip("=")
        plain = socket.create_connection(address, PATIENCE_SECONDS)
        self.greeting = json.loads(read_greeting(plain).removeprefix(b"INFO "))
        context = ssl.create_default_context(cafile=str(authority))
        self.socket = context.wrap_socket(plain, server_hostname=address[0])
        self.stream = self.socket.makefile("rb")
        signature = base64.urlsafe_b64encode(key.sign(self.greeting["nonce"].encode())).decode().rstrip("=")
        self.send("CONNECT " + json.dumps({
            "verbose": False, "pedantic": False, "tls_required": True, "headers": True, "no_responders": True,
            "nkey": name, "sig": signature, "lang": "python", "version": "0", "protocol": 1}))
        self.inbox = f"{inbox}.{secrets.token_hex(8)}"
        self.numbers = itertools.count(1)
        try:
            self.settle()
            self.subscribe(f"{self.inbox}.*")
        except BaseException:
            self.__exit__()
            raise

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stream.close()
        self.socket.close()

    def send(self, line, body=None):
        self.socket.sendall(line.encode() + b"\r\n" + (body + b"\r\n" if body is not None else b""))

    def settle(self):
        """Waits until the server has processed everything sent. Raises `Refused` if it refuses any of it."""
        self.send("PING")
        while self.read() != "PONG":
            pass

    def subscribe(self, subject):
        self.send(f"SUB {subject} {next(self.numbers)}")
        self.settle()

    def publish(self, subject, body=b"", fields=None):
        self.put(subject, "", body, fields)
        self.settle()

    def put(self, subject, reply, body, fields=None):
        body = body if isinstance(body, bytes) else json.dumps(body).encode()
        if fields:
            head = ("NATS/1.0\r\n" + "".join(f"{key}: {value}\r\n" for key, value in fields.items()) + "\r\n").encode()
            self.send(f"HPUB {subject} {reply} {len(head)} {len(head) + len(body)}", head + body)
        else:
            self.send(f"PUB {subject} {reply} {len(body)}", body)

    def request(self, subject, body=b"", fields=None):
        """Sends a request; returns its answer from JSON."""
        reply = f"{self.inbox}.{next(self.numbers)}"
        self.put(subject, reply, body, fields)
        while True:
            found, answer = self.next()
            if found == reply:
                return json.loads(answer) if answer else {"error": {"code": 503}}

    def api(self, subject, body=b""):
        return self.request(f"$JS.API.{subject}", body)

    def next(self):
        """Returns the subject and body of the next message."""
        end = time.monotonic() + PATIENCE_SECONDS
        while time.monotonic() < end:
            message = self.read()
            if isinstance(message, tuple):
                return message
        raise TimeoutError("no message came")

    def read(self):
        """Reads from the server: a message, or the first word of anything else."""
        line = self.stream.readline()
        words = line.split()
        if not words:
            raise Refused("the connection is closed")
        if words[0] in (b"MSG", b"HMSG"):
            body = self.stream.read(int(words[-1]) + 2)[:-2]
            return words[1].decode(), body[int(words[-2]) if words[0] == b"HMSG" else 0:]
        if words[0] == b"-ERR":
            raise Refused(line.decode().strip())
        if words[0] == b"PING":
            self.send("PONG")
        return words[0].decode()


class LateServer(ForwardedPort):
    """A server in front of another, which denies a consumer at the first request: like one of a cluster that learns
    of the consumer a moment after the one that has it."""

    def __init__(self, behind, folder):
        """`behind`: that server's port; `folder`: that server's, with the certificate that this one presents."""
        super().__init__(behind)
        self.asked = []
        self.as_server = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.as_server.load_cert_chain(folder / "server.pem", folder / "server.key")
        self.as_client = ssl.create_default_context(cafile=str(folder / "authority.pem"))

    def connect(self, near):
        threading.Thread(target=self.serve, args=(near,), daemon=True).start()

    def serve(self, near):
        # A client may want the greeting alone.
        with near, self.far() as far, contextlib.suppress(ssl.SSLEOFError, ConnectionError):
            near.sendall(read_greeting(far))
            # In one thread: a sender beside a reader would be a race within OpenSSL.
            with self.as_server.wrap_socket(near, server_side=True) as client, self.as_client.wrap_socket(
                    far, server_hostname="127.0.0.1") as server:
                self.relay(client, server)

    def relay(self, client, server):
        gathered, numbers = b"", {}
        while True:
            for end in [end for end in (client, server) if end.pending()] or select.select([client, server], [], [])[0]:
                data = received(end)
                if data == b"":
                    return
                if end is client:
                    gathered = self.forward(gathered + (data or b""), numbers, client, server)
                elif data:
                    client.sendall(data)

    def forward(self, gathered, numbers, client, server):
        """Forwards all whole commands of the client. `numbers`: its subscriptions. Returns the rest."""
        while (line := gathered.partition(b"\r\n"))[1]:
            words = line[0].decode().split()
            size = len(line[0]) + 2 + (int(words[-1]) + 2 if words[0] in ("PUB", "HPUB") else 0)
            if len(gathered) < size:
                break
            command, gathered = gathered[:size], gathered[size:]
            if words[0] == "SUB":
                numbers[words[1]] = words[-1]
            if self.knows(words):
                server.sendall(command)
            else:
                self.asked.append(words[1])
                number = numbers[words[2].rpartition(".")[0] + ".*"]
                client.sendall(self.refusal(words[2], number))
        return gathered

    def knows(self, words):
        return not words[1:] or not words[1].startswith("$JS.API.CONSUMER.MSG.NEXT.") or words[1] in self.asked

    def refusal(self, reply, number):
        return f"HMSG {reply} {number} 16 16\r\nNATS/1.0 503\r\n\r\n\r\n".encode()


class EarlyServer(LateServer):
    """A server that has just been started: at the first request, JetStream is not available yet."""

    def __init__(self, behind, folder, error):
        """`error`: the code, the number and the text of its answer; None for no answer."""
        super().__init__(behind, folder)
        self.error = error

    def knows(self, words):
        return not words[1:] or words[0] == "SUB" or not words[1].startswith("$JS.API.") or ".MSG.NEXT." in words[1] or (
            words[1] in self.asked)

    def refusal(self, reply, number):
        if not self.error:
            return super().refusal(reply, number)
        code, error, text = self.error
        answer = json.dumps({"error": {"code": code, "err_code": error, "description": text}})
        return f"MSG {reply} {number} {len(answer)}\r\n{answer}\r\n".encode()


def received(end):
    """Returns the bytes available, b"" at the end; None if only TLS's own have come."""
    end.setblocking(False)
    try:
        return end.recv(65_536)
    except ssl.SSLWantReadError:
        return None
    finally:
        end.setblocking(True)
