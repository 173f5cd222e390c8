"""The release binary in a temporary folder, used only through its command line, its control socket and its port."""

import http.client
import json
import os
import signal
import socket
import subprocess
import tempfile
import threading
import time
import uuid
from pathlib import Path

import jwt
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec

from Tests.support.project import DESKBELL, PATIENCE_SECONDS, ROOT

APP = "com.example.mailroom"
TEAM = "TEAM123456"
KEY_ID = "KEY1234567"


class Appliance:
    """One daemon. Use it in a `with` statement, which always stops it and removes its folder."""

    def __init__(self, *options, board="simulated", wav=True, environment=None, launcher=(), descriptors=()):
        self.folder_handle = tempfile.TemporaryDirectory(prefix="deskbell-")
        self.folder = Path(self.folder_handle.name)
        self.state = self.folder / "state"
        self.sounds = self.folder / "played"
        self.options = list(options)
        if board:
            self.options += ["--board", board]
        if wav:
            self.options += ["--wav", str(self.sounds)]
        if "--panel" not in self.options:
            # All daemons would use the same port.
            self.options += ["--panel", "off"]
        self.environment = {**os.environ, "DESKBELL_CONTROL": str(self.folder / "c.sock"), **(environment or {})}
        # The command that starts the daemon, and the descriptors that it inherits.
        self.launcher, self.descriptors = list(launcher), descriptors
        self.process = None
        self.said = threading.Condition()
        self.errors = []
        self.lines = []

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self.stop()
        self.folder_handle.cleanup()

    def start(self, port=0):
        """Starts the daemon and returns when it reports that it is ready."""
        self.launch(port)
        if not self.ready.wait(PATIENCE_SECONDS) or self.process.poll() is not None:
            raise AssertionError("the daemon did not start:\n" + "\n".join(self.errors))
        self.port = int(self.report("state")["pushAddress"].rsplit(":", 1)[1])
        self.ca = self.folder / "ca.pem"
        # There is none if the certificate is the user's own.
        self.ca.write_text(self.command("ca", check=False).stdout)

    def arguments(self, port):
        return ["serve", "--state", str(self.state), "--listen", f"127.0.0.1:{port}", *self.options]

    def launch(self, port=0):
        """Starts the daemon; `ready` is set when it reports that it is ready, or ends."""
        self.process = subprocess.Popen(
            [*self.launcher, DESKBELL, *self.arguments(port)],
            env=self.environment, pass_fds=self.descriptors, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True)
        self.ready = ready = threading.Event()

        def read_errors(stream, lines):
            for line in stream:
                with self.said:
                    lines.append(line.rstrip("\n"))
                    self.said.notify_all()
                if "ready:" in line:
                    ready.set()
            ready.set()

        def read_output(stream, lines):
            for line in stream:
                lines.append(line.rstrip("\n"))

        self.errors, self.lines = [], []
        self.readers = [
            threading.Thread(target=read_errors, args=(self.process.stderr, self.errors), daemon=True),
            threading.Thread(target=read_output, args=(self.process.stdout, self.lines), daemon=True)]
        for reader in self.readers:
            reader.start()

    def stop(self):
        if self.process and self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            self.finish()

    def finish(self):
        """Waits for the process and for the last of its output."""
        self.process.wait(PATIENCE_SECONDS)
        for reader in self.readers:
            reader.join()
        self.process.stdout.close()
        self.process.stderr.close()

    def put_panel_on_network(self, port, password):
        """Sets the panel's password, and starts again with the panel on every address."""
        secret = self.folder / "password.txt"
        secret.write_text(password + "\n")
        self.run("panel", "password", secret)
        self.stop()
        self.options[self.options.index("--panel") + 1] = f"0.0.0.0:{port}"
        self.start()

    def kill(self):
        """Kills the daemon as a power cut would: without any notice or flush."""
        self.process.kill()
        self.finish()

    def command(self, *words, check=True):
        done = subprocess.run(
            [DESKBELL, *map(str, words)], env=self.environment, capture_output=True, text=True,
            timeout=PATIENCE_SECONDS, stdin=subprocess.DEVNULL)
        if check and done.returncode != 0:
            raise AssertionError(f"deskbell {' '.join(map(str, words))}: {done.returncode}\n{done.stdout}{done.stderr}")
        return done

    def run(self, *words):
        return self.command(*words).stdout

    def report(self, *words):
        return json.loads(self.run(*words, "--json"))

    def events(self, after=0):
        return [json.loads(line) for line in self.run("events", "--json", "--since", after).splitlines()]

    def wait_for_log(self, text):
        """Waits until a line of the daemon's log contains `text`."""
        with self.said:
            if not self.said.wait_for(lambda: any(text in line for line in self.errors), PATIENCE_SECONDS):
                raise AssertionError(f"the daemon never said '{text}':\n" + "\n".join(self.errors))

    def wait_for_event(self, wanted, after=0):
        """Returns the first event for which `wanted` is true, from the stream, without polling."""
        follower = subprocess.Popen(
            [DESKBELL, "events", "--json", "--follow", "--since", str(after)], env=self.environment,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
        guard = threading.Timer(PATIENCE_SECONDS, follower.kill)
        guard.start()
        seen = []
        try:
            for line in follower.stdout:
                seen.append(line)
                event = json.loads(line)
                if wanted(event):
                    return event
        finally:
            guard.cancel()
            follower.kill()
            follower.wait()
            follower.stdout.close()
        raise AssertionError("no such event; there were:\n" + "".join(seen))

    def install_mailroom(self):
        """Installs the example app, registered for everything, with a provider that may push to it."""
        self.run("app", "install", ROOT / "examples/mailroom")
        self.run("app", "register", APP)
        self.add_provider(APP)
        self.token = self.run("app", "token", APP).strip()

    def add_provider(self, *apps):
        """Adds a provider that may push to the apps; `bearer` makes its tokens."""
        self.key = make_key()
        path = self.folder / "key.p8"
        path.write_text(self.key)
        self.run(
            "provider", "add", "tests", "--apps", ",".join(apps), "--team", TEAM, "--key-id", KEY_ID, "--key", path)

    def bearer(self, **changes):
        """Returns a provider token; `changes` can make it invalid."""
        claims = {"iss": changes.get("iss", TEAM), "iat": changes.get("iat", int(time.time()))}
        return jwt.encode(
            claims, changes.get("key", self.key), algorithm="ES256", headers={"kid": changes.get("kid", KEY_ID)})

    def curl(self, payload, *, token=None, headers=None, bearer=None, topic=APP):
        """Pushes with curl; returns the status, the JSON answer or None, and the answer's headers."""
        sent = {"authorization": f"bearer {bearer or self.bearer()}"}
        if topic:
            sent["apns-topic"] = topic
        sent.update(headers or {})
        words = [
            "curl", "--silent", "--show-error", "--http2", "--cacert", str(self.ca), "--max-time", str(PATIENCE_SECONDS),
            "--dump-header", str(self.folder / "headers"), "--write-out", "\n%{http_code}", "--data-binary", "@-"]
        for name, value in sent.items():
            words += ["--header", f"{name}: {value}"]
        words.append(f"https://localhost:{self.port}/3/device/{token or self.token}")
        done = subprocess.run(
            words, input=payload if isinstance(payload, bytes) else payload.encode(), capture_output=True, check=True)
        body, status = done.stdout.decode().rsplit("\n", 1)
        answered = {}
        for line in (self.folder / "headers").read_text().splitlines():
            name, colon, value = line.partition(": ")
            if colon:
                answered[name.lower()] = value
        return int(status), json.loads(body) if body else None, answered


def make_key():
    """Returns a new provider key as PEM."""
    return ec.generate_private_key(ec.SECP256R1()).private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()).decode()


class ControlConnection(http.client.HTTPConnection):
    """A connection to the control socket."""

    def __init__(self, path):
        super().__init__("localhost", timeout=PATIENCE_SECONDS)
        self.path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(self.timeout)
        self.sock.connect(str(self.path))

    def call(self, method, target, body=None):
        self.request(method, target, None if body is None else json.dumps(body), {"Content-Type": "application/json"})
        answer = self.getresponse()
        text = answer.read().decode()
        assert answer.status in (200, 204), (method, target, answer.status, text)
        return text


def new_id():
    return str(uuid.uuid4())
