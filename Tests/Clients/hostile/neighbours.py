"""The neighbours of an attack, and their waiting times: another app's provider, and a user of the attacked service."""

import base64
import http.client
import json
import threading
import time
from collections import Counter

from Tests.support.appliance import new_id
from Tests.support.curl import ask
from Tests.support.http2_wire import Wire, client_context

LETTER = json.dumps({"aps": {"alert": "A letter", "badge": 3}}).encode()
TOO_LARGE = json.dumps({"aps": {"alert": "x" * 5_000}}).encode()
PARCEL = b'<plist version="1.0"><dict><key>UIAlertBody</key><string>A parcel</string></dict></plist>'


class Neighbour:
    """A client that repeats a request on one lasting connection, and every few times on a new one.

    `kept` and `fresh` are its waiting times in seconds; `refusals` are all answers but 200, and lost connections."""

    pause, on_new = 0.02, 10

    def __init__(self):
        self.kept, self.fresh, self.refusals = [], [], Counter()
        self.is_done = threading.Event()
        self.connection = None
        self.thread = threading.Thread(target=self.run)

    def ask_once(self, is_fresh):
        started = time.monotonic()
        try:
            if is_fresh:
                connection = self.connect()
                try:
                    status = self.ask_fresh(connection)
                finally:
                    connection.close()
            else:
                if self.connection is None:
                    self.connection = self.connect()
                    started = time.monotonic()
                status = self.ask(self.connection)
        except (OSError, http.client.HTTPException) as error:
            status = f"{type(error).__name__} {error}".strip()
            if not is_fresh and self.connection:
                self.connection.close()
                self.connection = None
        (self.fresh if is_fresh else self.kept).append(time.monotonic() - started)
        if status != 200:
            self.refusals[status] += 1

    def ask_fresh(self, connection):
        return self.ask(connection)

    def run(self):
        while not self.is_done.wait(self.pause):
            self.ask_once(False)
            if len(self.kept) % self.on_new == self.on_new // 2:
                self.ask_once(True)

    def begin(self):
        """Returns the lasting connection, ready for the first measured answer."""
        return self.connect()

    def __enter__(self):
        self.connection = self.begin()
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.is_done.set()
        self.thread.join()
        if self.connection:
            self.connection.close()


class ProviderBeside(Neighbour):
    """A provider that pushes over HTTP/2."""

    def __init__(self, port, ca, fields):
        super().__init__()
        self.port, self.ca, self.fields = port, ca, fields
        # The identifiers of the accepted pushes.
        self.pushes = []

    def connect(self):
        return Wire(self.port, self.ca, timeout=30).greet()

    def ask(self, wire):
        identifier = new_id()
        status = wire.push([*self.fields, ("apns-id", identifier)], LETTER)
        if status == 200:
            self.pushes.append(identifier)
        return status

    def push(self, payload, identifier):
        """Sends one push outside the series, and returns its status."""
        with self.connect() as wire:
            return wire.push([*self.fields, ("apns-id", identifier)], payload)


class ClientBeside(Neighbour):
    """A client of HTTP/1.1 over TLS."""

    pause, on_new = 0.05, 15

    def __init__(self, port, ca, path, authorization):
        super().__init__()
        self.port, self.path = port, path
        self.context = client_context(ca)
        self.headers = {"Authorization": authorization}

    def connect(self):
        return http.client.HTTPSConnection("localhost", self.port, timeout=30, context=self.context)


class PublisherBeside(ClientBeside):
    """A publisher of the 2008 service; a new connection costs a check of its password."""

    def __init__(self, port, ca, app, device, password):
        basic = base64.b64encode(f"{app}:{password}".encode()).decode()
        super().__init__(port, ca, f"/{app}/{device}/Inbox", f"Basic {basic}")

    def ask(self, connection):
        return ask(connection, "PUT", self.path, PARCEL, self.headers).status

    def begin(self):
        # Its password is checked here, unmeasured; new connections measure that.
        connection = self.connect()
        assert ask(connection, "POST", self.path + "?action=create", None, self.headers).status == 200
        return connection


class TopicBeside(ClientBeside):
    """A publisher to a topic of its own. The message needs one of the places for large bodies."""

    message = b"A parcel " * 2_000

    def __init__(self, port, ca, topic, key):
        super().__init__(port, ca, f"/{topic}", f"Bearer {key}")

    def ask(self, connection):
        return ask(connection, "POST", self.path, self.message, self.headers).status


class PersonBeside(Neighbour):
    """A browser that is signed in to the panel; a new one signs in with the password, and out."""

    pause, on_new = 0.05, 15

    def __init__(self, port, session, password):
        super().__init__()
        self.port, self.session, self.password = port, dict(line.split(": ", 1) for line in session), password

    def connect(self):
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)

    def ask(self, connection):
        return ask(connection, "GET", "/v1/state", None, self.session).status

    def ask_fresh(self, connection):
        answer = ask(
            connection, "POST", "/session", json.dumps({"password": self.password}), {"Deskbell-Panel": "none"})
        if answer.status == 200:
            ask(connection, "DELETE", "/session", None, {
                "Deskbell-Panel": answer.json["key"], "Cookie": answer.headers["Set-Cookie"].split(";")[0]})
        return answer.status
