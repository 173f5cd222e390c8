"""The daemon under torture: started in some 50 ms, on a copy of a state directory that was prepared once."""

import json
import shutil
import socket
import tempfile
import threading
from pathlib import Path

from Tests.Torture.shim import Shim
from Tests.support.appliance import APP, Appliance, Mailroom, push_port
from Tests.support.project import PATIENCE_SECONDS, ROOT

SETTINGS = "limits: { requests-per-second: 0 }\n"


class Template:
    """A state directory with a registered app, and a provider that may push to it. Nothing runs on it."""

    def __init__(self, *options):
        self.folder_handle = tempfile.TemporaryDirectory(prefix="deskbell-torture-")
        self.folder = Path(self.folder_handle.name)
        self.options = list(options)
        with Mailroom(*options) as appliance:
            appliance.stop()
            shutil.copytree(appliance.state, self.folder / "state", symlinks=True, ignore=sockets)
            self.key, self.token, self.ca = appliance.key, appliance.token, appliance.ca.read_bytes()

    def close(self):
        self.folder_handle.cleanup()


def sockets(folder, names):
    return [name for name in names if (Path(folder) / name).is_socket()]


class Target(Appliance):
    """One daemon on a copy of the template, or on a state directory of its own."""

    # The exit statuses allowed before the kill.
    allowed = ()

    def __init__(self, template, *options, library=None, traces=False, launcher=(), state=None, environment=None):
        super().__init__(*template.options, *options, settings=SETTINGS, environment=environment)
        if not state:
            shutil.copytree(template.folder / "state", self.state, symlinks=True)
        else:
            self.state = state
        self.key, self.token = template.key, template.token
        self.ca = self.folder / "ca.pem"
        self.ca.write_bytes(template.ca)
        self.shim, self.trace = None, self.folder / "trace"
        if library:
            self.shim = Shim(library, self.folder, self.state.resolve(), self.trace if traces else None)
        self.launcher = [*(self.shim.launcher if self.shim else ()), *launcher]
        self.authorization = self.bearer()

    def __enter__(self):
        """Enters without starting the daemon; a story starts it."""
        return self

    def __exit__(self, *words):
        super().__exit__(*words)
        if self.shim:
            self.shim.close()

    def start(self, port=0):
        self.launch(port)
        line = self.output.find("ready: pushes to ")
        if not line:
            status = self.process.wait(PATIENCE_SECONDS)
            self.finish()
            raise DidNotStart(status, "\n".join(self.errors))
        self.port = push_port(line)

    def kill(self):
        """Kills it at any moment, but only while it runs: a daemon that has ended on its own has crashed."""
        if self.process.poll() not in (None, *self.allowed):
            self.finish()
            said = "\n".join(self.errors)
            raise AssertionError(f"the daemon ended by itself with {self.process.returncode}:\n{said}")
        super().kill()

    @property
    def position(self):
        """The length of the trace."""
        return self.shim.get("trace_bytes") if self.shim else 0

    def events(self, after=0):
        with self.control() as connection:
            return [json.loads(line) for line in connection.call("GET", f"/v1/events?after={after}").splitlines()]

    def store(self):
        return next(device for device in self.ask("/v1/state")["devices"] if device["name"] == "store")

    def renamed_mailroom(self, app):
        """Returns the folder of an app with programs, sounds and texts that no other app has."""
        folder = self.folder / app
        shutil.copytree(ROOT / "examples/mailroom", folder)
        manifest = folder / "app.yaml"
        manifest.write_text(manifest.read_text().replace(APP, app))
        return folder

    def played(self):
        return len(list(self.sounds.glob("*.wav")))


class DidNotStart(AssertionError):
    """An error: the daemon ended before it was ready."""

    def __init__(self, status, said):
        super().__init__(f"the daemon did not start (exit status {status}):\n{said}")
        self.status, self.said = status, said


class Follower:
    """A reader of the stream of events as they are published, until the daemon ends."""

    def __init__(self, target, after=0):
        self.target, self.seen = target, []
        self.connection = target.control()
        self.connection.request("GET", f"/v1/events?after={after}&follow=true")
        self.answer = self.connection.getresponse()
        self.thread = threading.Thread(target=self.read, daemon=True)
        self.thread.start()

    def read(self):
        """Reads each event, and the length of the trace at that time."""
        try:
            for line in self.answer:
                self.seen.append((json.loads(line), self.target.position))
        except (OSError, ValueError, AttributeError):
            # A killed daemon ends its stream anywhere.
            pass

    def close(self):
        """Closes the follower after the daemon has ended."""
        try:
            self.connection.sock and self.connection.sock.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
        self.thread.join(PATIENCE_SECONDS)
        self.connection.close()
        return self.seen
