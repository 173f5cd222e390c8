"""The release binary in a temporary folder, used only through its command line, its control socket and its port."""

import http.client
import json
import os
import re
import signal
import socket
import subprocess
import tempfile
import threading
import time
import unittest
import uuid
from pathlib import Path
from urllib.parse import urlsplit

import jwt
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec

from Tests.support.curl import curl
from Tests.support.output import Output
from Tests.support.project import DESKBELL, PATIENCE_SECONDS, ROOT

APP = "com.example.mailroom"
TEAM = "TEAM123456"
KEY_ID = "KEY1234567"


class Appliance:
    """One daemon. Use it in a `with` statement, which always stops it and removes its folder."""

    def __init__(
            self, *options, board="simulated", wav=True, settings=None, environment=None, launcher=(), descriptors=(),
            program=DESKBELL):
        """`settings`: the text of its settings file; `launcher`: the command that starts it; `descriptors`: those that it
        inherits."""
        self.program = program
        self.folder_handle = tempfile.TemporaryDirectory(prefix="deskbell-")
        self.folder = Path(self.folder_handle.name)
        self.state = self.folder / "state"
        self.sounds = self.folder / "played"
        self.options = list(map(str, options))
        if board:
            self.options += ["--board", board]
        if wav:
            self.options += ["--wav", str(self.sounds)]
        if "--panel" not in self.options:
            # All daemons would use the same port.
            self.options += ["--panel", "off"]
        if settings is not None:
            self.configure(settings)
        self.environment = {**os.environ, "DESKBELL_CONTROL": str(self.folder / "c.sock"), **(environment or {})}
        self.launcher, self.descriptors = list(launcher), descriptors
        self.process = None
        # The lines of standard error and of standard output since the last start.
        self.errors, self.lines = [], []

    def __enter__(self):
        try:
            self.start()
            self.prepare()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        self.stop()
        self.folder_handle.cleanup()

    def prepare(self):
        """Does what a kind of daemon needs after its first start."""

    def configure(self, text):
        """Writes the settings file, which the daemon reads at its next start."""
        path = self.folder / "settings.yaml"
        path.write_text(text)
        if "--config" not in self.options:
            self.options += ["--config", str(path)]

    def start(self, port=0):
        """Starts the daemon and returns when it reports that it is ready."""
        self.launch(port)
        if not self.output.find("ready:") or self.process.poll() is not None:
            raise AssertionError("the daemon did not start:\n" + "\n".join(self.errors))
        self.port = int(self.report("state")["pushAddress"].rsplit(":", 1)[1])
        self.ca = self.folder / "ca.pem"
        # There is none if the certificate is the user's own.
        self.ca.write_text(self.command("ca", check=False).stdout)

    def arguments(self, port):
        return ["serve", "--state", str(self.state), "--listen", f"127.0.0.1:{port}", *self.options]

    def launch(self, port=0):
        """Starts the daemon, and returns at once."""
        self.process = subprocess.Popen(
            [*self.launcher, self.program, *self.arguments(port)],
            env=self.environment, pass_fds=self.descriptors, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True)
        self.output = Output("the daemon", self.process.stderr)
        self.printed = Output("the daemon", self.process.stdout)
        self.errors, self.lines = self.output.lines, self.printed.lines

    def stop(self):
        if self.process and self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            self.finish()

    def finish(self):
        """Waits for the process and for the last of its output."""
        self.process.wait(PATIENCE_SECONDS)
        self.output.close()
        self.printed.close()

    def kill(self):
        """Kills the daemon as a power cut would: without any notice or flush."""
        self.process.kill()
        self.finish()

    def restart(self):
        """Stops the daemon and starts it again."""
        self.stop()
        self.start()

    def cut_power(self):
        """Kills the daemon and starts it again."""
        self.kill()
        self.start()

    def put_panel_on_network(self, port, password):
        """Sets the panel's password, and starts again with the panel on every address."""
        self.run("panel", "password", self.secret(password))
        self.place_panel(f"0.0.0.0:{port}")
        self.restart()

    def place_panel(self, address=None):
        """Sets the panel's address from the next start on; by default the one that it has now."""
        self.options[self.options.index("--panel") + 1] = address or f"127.0.0.1:{self.panel_port()}"

    def secret(self, text):
        """Returns a file with that line, from which a command reads a password."""
        path = self.folder / "secret.txt"
        path.write_text(text + "\n")
        return path

    # Commands

    def command(self, *words, check=True, text=None):
        """Runs a command with `text` as its standard input."""
        stdin = {"stdin": subprocess.DEVNULL} if text is None else {"input": text}
        done = subprocess.run(
            [self.program, *map(str, words)], env=self.environment, capture_output=True, text=True,
            timeout=PATIENCE_SECONDS, **stdin)
        if check and done.returncode != 0:
            raise AssertionError(f"deskbell {' '.join(map(str, words))}: {done.returncode}\n{done.stdout}{done.stderr}")
        return done

    def run(self, *words):
        return self.command(*words).stdout

    def report(self, *words):
        return json.loads(self.run(*words, "--json"))

    def refusal(self, *words, status=1):
        """Runs a command that fails with that exit status; returns its error."""
        done = self.command(*words, check=False)
        if done.returncode != status:
            raise AssertionError(f"deskbell {' '.join(map(str, words))}: {done.returncode}\n{done.stdout}{done.stderr}")
        return done.stderr

    def findings(self, *words):
        """Returns what `doctor` finds, whatever its exit status."""
        return json.loads(self.command("doctor", "--json", *words, check=False).stdout)

    def files_with(self, text):
        """Returns the files of the state directory that contain this text."""
        return [path for path in self.state.rglob("*") if path.is_file() and text.encode() in path.read_bytes()]

    def panel_port(self):
        return urlsplit(self.report("panel")["url"]).port

    def device(self, name):
        return next(device for device in self.report("state")["devices"] if device["name"] == name)

    # Events

    def events(self, after=0):
        return [json.loads(line) for line in self.run("events", "--json", "--since", after).splitlines()]

    def last_sequence(self):
        """Returns the number of the last event, for reading later ones."""
        events = self.events()
        return events[-1]["sequence"] if events else 0

    def wait_for_log(self, text):
        """Waits until a line of the daemon's log contains `text`."""
        return self.output.wait_for(text)

    def wait_for_event(self, wanted, after=0, **values):
        """Returns the first event for which `wanted` is true, from the stream, without polling. `wanted` may be the name of
        an event, which then has those values."""
        is_wanted = wanted if callable(wanted) else lambda event: event["event"] == wanted and all(
            event.get(key) == value for key, value in values.items())
        follower = subprocess.Popen(
            [self.program, "events", "--json", "--follow", "--since", str(after)], env=self.environment,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
        guard = threading.Timer(PATIENCE_SECONDS, follower.kill)
        guard.start()
        seen = []
        try:
            for line in follower.stdout:
                seen.append(line)
                event = json.loads(line)
                if is_wanted(event):
                    return event
        finally:
            guard.cancel()
            follower.kill()
            follower.wait()
            follower.stdout.close()
        raise AssertionError("no such event; there were:\n" + "".join(seen))

    # Apps and their providers

    def install_mailroom(self):
        """Installs the example app, registered for everything, with a provider that may push to it."""
        self.token = self.install(ROOT / "examples/mailroom", APP)
        self.add_provider(APP)

    def bundle(self, manifest, files=None, name="bundle"):
        """Makes the folder of an app with that manifest, and with the contents of other files by their names."""
        folder = self.folder / name
        for path, content in {"app.yaml": manifest, **(files or {})}.items():
            path = folder / path
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return folder

    def install(self, folder, app):
        """Installs and registers an app; returns its device token."""
        self.run("app", "install", folder)
        self.run("app", "register", app)
        return self.token_of(app)

    def token_of(self, app):
        return self.run("app", "token", app).strip()

    def add_provider(self, *apps, key=None):
        """Adds a provider that may push to the apps, by default with a new key; `bearer` makes its tokens."""
        self.key = key or make_key()
        path = self.folder / "key.p8"
        path.write_text(self.key)
        self.run(
            "provider", "add", "tests", "--apps", ",".join(apps), "--team", TEAM, "--key-id", KEY_ID, "--key", path)

    def bearer(self, **changes):
        """Returns a provider token; `changes` can make it invalid."""
        claims = {"iss": changes.get("iss", TEAM), "iat": changes.get("iat", int(time.time()))}
        return jwt.encode(
            claims, changes.get("key", self.key), algorithm="ES256", headers={"kid": changes.get("kid", KEY_ID)})

    # Pushes

    def curl(self, payload, *, token=None, headers=None, bearer=None, topic=APP):
        """Pushes with curl; returns the status, the JSON answer or None, and the answer's headers."""
        sent = {"authorization": f"bearer {bearer or self.bearer()}"}
        if topic:
            sent["apns-topic"] = topic
        sent.update(headers or {})
        answer = curl(
            "--http2", "--cacert", self.ca, "--data-binary", "@-",
            *(word for name, value in sent.items() for word in ("--header", f"{name}: {value}")),
            f"https://localhost:{self.port}/3/device/{token or self.token}", body=payload)
        return answer.status, answer.json, answer.headers

    def push(self, payload, status=200, headers=None, **words):
        """Pushes a payload, as text or from JSON, with curl; returns its identifier after that answer."""
        identifier = new_id()
        text = payload if isinstance(payload, (bytes, str)) else json.dumps(payload)
        found, answer, _ = self.curl(text, headers={"apns-id": identifier, **(headers or {})}, **words)
        if found != status:
            raise AssertionError(f"the push was answered {found} {answer}, not {status}")
        return identifier

    def notify(self, title, body, **aps):
        """Pushes a notification; `aps` has further keys, with underscores in place of hyphens."""
        more = {key.replace("_", "-"): value for key, value in aps.items()}
        return self.push({"aps": {"alert": {"title": title, "body": body}, **more}})

    def fields(self, *more, token=None, bearer=None, topic=APP):
        """Returns the header fields of a push over HTTP/2, for other clients."""
        return [(":method", "POST"), (":scheme", "https"), (":authority", "localhost"),
                (":path", f"/3/device/{token or self.token}"), ("apns-topic", topic),
                ("authorization", f"bearer {bearer or self.bearer()}"), *more]

    # The control socket

    def control(self):
        return ControlConnection(self.folder / "c.sock")

    def ask(self, path):
        """Returns the control API's answer from JSON."""
        with self.control() as connection:
            return json.loads(connection.call("GET", path))


class Mailroom(Appliance):
    """A daemon with the example app, and a provider that may push to it."""

    def prepare(self):
        self.install_mailroom()


class Gateway(Appliance):
    """`deskbell gateway`, with its own command line, and otherwise like a daemon."""

    def __init__(self, fleet, name, settings=""):
        """`fleet`: the administrator's folder; `settings`: more lines of its settings file."""
        super().__init__(board=None, wav=False, settings=member_settings(fleet, "gateways", name) + settings)
        self.name, self.names, self.port = name, [name], 0

    def start(self, port=None):
        self.launch(self.port if port is None else port)
        line = self.output.find("ready:")
        if not line or self.process.poll() is not None:
            raise AssertionError("the gateway did not start:\n" + "\n".join(self.errors))
        self.port = push_port(line)
        self.ca = self.state / "tls/ca.pem"

    def arguments(self, port):
        place = self.options.index("--config")
        return ["gateway", *self.options[place:place + 2], "--state", str(self.state), "--listen", f"127.0.0.1:{port}"]


def member_settings(fleet, kind, name):
    """Returns the settings that the administrator's folder has for a gateway or a desk, with the paths of that folder."""
    own = fleet / kind / name
    text = (own / {"desks": "fleet.yaml", "gateways": "gateway.yaml"}[kind]).read_text()
    for word, path in (("seed", own / "seed"), ("ca", fleet / "authority.pem")):
        text = re.sub(rf"(?m)^(\s*){word}:.*$", rf"\g<1>{word}: {path}", text)
    return text


def push_port(line):
    """Returns the port that a daemon or gateway names when it is ready."""
    return int(re.search(r"pushes to .*?:(\d+)", line)[1])


class ApplianceCase(unittest.TestCase):
    """Tests that share a daemon with the example app."""

    maxDiff = None

    @classmethod
    def make(cls):
        """Returns the daemon, which is not started yet."""
        return Mailroom()

    @classmethod
    def setUpClass(cls):
        cls.appliance = cls.enterClassContext(cls.make())


class ControlConnection(http.client.HTTPConnection):
    """A connection to the control socket. Use it in a `with` statement, or close it."""

    def __init__(self, path):
        super().__init__("localhost", timeout=PATIENCE_SECONDS)
        self.path = path

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

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


class Listener:
    """An app's own connection to the daemon: one JSON object a line, in both directions."""

    def __init__(self, appliance, app=APP, state="background"):
        self.app, self.state = app, state
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(PATIENCE_SECONDS)
        self.socket.connect(str(appliance.folder / "c-apps.sock"))
        self.stream = self.socket.makefile("r")

    def __enter__(self):
        self.send({"hello": {"app": self.app, "state": self.state}})
        return self

    def __exit__(self, *_):
        self.stream.close()
        self.socket.close()

    def send(self, line):
        self.socket.sendall(json.dumps(line).encode() + b"\n")

    def line(self):
        return json.loads(self.stream.readline())

    def receive(self):
        """Returns the next line with a push."""
        while "push" not in (line := self.line()):
            pass
        return line


def make_key(curve=None, encryption=None):
    """Returns a new provider key as PEM."""
    return ec.generate_private_key(curve or ec.SECP256R1()).private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8,
        encryption or serialization.NoEncryption()).decode()


def new_id():
    return str(uuid.uuid4())
