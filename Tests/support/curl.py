"""Requests with curl and with Python's own client, and their answers."""

import json
import subprocess
from dataclasses import dataclass, field

from Tests.support.project import PATIENCE_SECONDS


@dataclass(frozen=True)
class Answer:
    """An answer over HTTP. `version` is that of its first line, such as HTTP/2."""

    status: int
    body: bytes = b""
    headers: dict = field(default_factory=dict)
    version: str = ""

    @property
    def text(self):
        return self.body.decode()

    @property
    def json(self):
        return json.loads(self.body) if self.body else None

    @property
    def reason(self):
        return self.json["reason"] if self.body else None


def curl(*words, body=b""):
    """Runs curl with `body` as its standard input; returns the answer, with its header fields in lower case."""
    done = subprocess.run(
        ["curl", "--silent", "--show-error", "--max-time", str(PATIENCE_SECONDS), "--include", *map(str, words)],
        input=body if isinstance(body, bytes) else body.encode(), capture_output=True, check=True)
    head, _, rest = done.stdout.partition(b"\r\n\r\n")
    while head.split()[1] == b"100":
        head, _, rest = rest.partition(b"\r\n\r\n")
    first, *lines = head.decode().split("\r\n")
    version, status, *_ = first.split()
    fields = dict(line.split(": ", 1) if ": " in line else (line.rstrip(":"), "") for line in lines)
    return Answer(int(status), rest, {name.lower(): value for name, value in fields.items()}, version)


def ask(connection, method, target, body=None, headers=None):
    """Sends a request over a connection of `http.client`; returns the answer."""
    connection.request(method, target, body, headers or {})
    answer = connection.getresponse()
    return Answer(answer.status, answer.read(), answer.headers)
