"""A fleet on this machine: servers, gateways, desks, and a provider that pushes through the gateways."""

import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "Clients"))

import certificates  # noqa: E402, F401
from appliance import (  # noqa: E402, F401
    APP, DESKBELL, KEY_ID, PATIENCE_SECONDS, TEAM, Appliance, ControlConnection, free_port, make_key, new_id)
from http2_client import Connection, Post  # noqa: E402, F401
from servers import Node  # noqa: E402

# A second app, registered at every handset that has one.
NEWS = "com.example.news"


class Fleet:
    """The administrator's folder, and its servers. Use it in a `with` statement."""

    def __init__(self, nodes=1, edit=None, disk=None):
        """`edit` changes each node's configuration; `disk` makes the disk for its data."""
        self.handle = tempfile.TemporaryDirectory(prefix="deskbell-fleet-")
        self.home = Path(self.handle.name)
        self.folder, self.nodes = self.home / "fleet", []
        words = []
        for name in "abc"[:nodes]:
            words += ["--server", f"{name}=127.0.0.1:{free_port()}:{free_port()}"]
        self.command("init", *words)
        self.nodes = [Node(folder, self.home, edit, disk) for folder in sorted((self.folder / "nodes").iterdir())]
        self.parts = []

    def __enter__(self):
        try:
            for node in self.nodes:
                node.start()
            for node in self.nodes:
                node.wait_for("Server is ready")
            if self.command("init", check=False).returncode != 0:
                # As its message says: nodes started at the same time do not always find each other.
                for node in self.nodes:
                    node.kill()
                    node.start()
                    node.wait_for("Server is ready")
                self.command("init")
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        for part in reversed(self.parts):
            part.stop()
        for node in self.nodes:
            node.kill()
            if node.disk:
                node.disk.remove()
        for part in self.parts:
            part.folder_handle.cleanup()
        self.handle.cleanup()

    def command(self, *words, check=True, folder=None):
        done = subprocess.run(
            [DESKBELL, "fleet", *map(str, words), "--fleet", folder or self.folder], capture_output=True, text=True,
            timeout=2 * PATIENCE_SECONDS, stdin=subprocess.DEVNULL)
        if check and done.returncode != 0:
            raise AssertionError(
                f"deskbell fleet {' '.join(map(str, words))}: {done.returncode}\n{done.stdout}{done.stderr}"
                + "".join(f"{node.name}: {line}\n" for node in self.nodes for line in node.lines[-15:]))
        return done

    def report(self, *words):
        return json.loads(self.command(*words, "--json").stdout)

    def add(self, *names, gateway=False):
        for name in names:
            self.command("add", name, *(["--gateway"] if gateway else []))
        for node in self.nodes:
            node.update()

    def settings(self, members):
        """Returns the fleet section of a daemon's settings. `members`: handsets by desk; None for all of its daemon."""
        servers = ", ".join(servers_of(self))
        desks = ", ".join(
            f"{{ desk: {name}, seed: {self.folder}/desks/{name}/seed"
            + (f", handsets: [{', '.join(repr(item) for item in handsets)}]" if handsets else "") + " }"
            for name, handsets in members.items())
        return f"fleet: {{ servers: [{servers}], ca: {self.folder}/authority.pem, desks: [{desks}] }}\n"

    def gateway(self, name):
        part = Gateway(self, name)
        self.parts.append(part)
        part.start()
        return part

    def desk(self, *names, handsets=1, key=None, settings=""):
        """Starts a daemon with these desks, each with `handsets` handsets, whose apps one provider may ring."""
        part = Desk(self, names, handsets, key, settings)
        self.parts.append(part)
        part.start()
        return part


def servers_of(fleet):
    """Returns the addresses of all servers."""
    texts = [(node.home / "etc/nats-server.conf").read_text() for node in fleet.nodes]
    return ["tls://" + re.search(r'client_advertise: "(.*)"', text)[1] for text in texts]


class Desk(Appliance):
    """A daemon with desks of the fleet."""

    def __init__(self, fleet, names, handsets, key=None, settings=""):
        """Without a fleet, makes a separate daemon with the same handsets."""
        super().__init__(board=None)
        self.names, self.key = names, key
        self.handsets = {name: [f"{name}-{number + 1}" for number in range(handsets)] for name in names}
        listed = ", ".join(f"'{item}'" for items in self.handsets.values() for item in items)
        config = self.folder / "settings.yaml"
        config.write_text(
            f"handsets: [{listed}]\nlimits: {{ requests-per-second: 0 }}\n"
            + (fleet.settings(self.handsets) if fleet else "") + settings)
        self.options += ["--config", str(config)]

    def install(self, *apps):
        """Installs and registers the apps on every handset, with one provider for all, and returns the tokens."""
        for app in apps:
            bundle = self.folder / app
            bundle.mkdir(exist_ok=True)
            (bundle / "app.yaml").write_text(f"id: {app}\nname: {app.rsplit('.', 1)[1].title()}\n")
        tokens = {}
        for items in self.handsets.values():
            for handset in items:
                for app in apps:
                    self.run("app", "install", self.folder / app, "--handset", handset)
                    self.run("app", "register", app, "--handset", handset)
                    tokens[handset, app] = self.run("app", "token", app, "--handset", handset).strip()
        if self.key is None:
            self.key = make_key()
        path = self.folder / "key.p8"
        path.write_text(self.key)
        self.run(
            "provider", "add", "tests", "--apps", ",".join(apps), "--team", TEAM, "--key-id", KEY_ID, "--key", path)
        return tokens

    def control(self):
        return ControlConnection(self.folder / "c.sock")

    def handset_events(self, handset, after=0):
        connection = self.control()
        try:
            text = connection.call("GET", f"/v1/handsets/{handset}/events?after={after}")
        finally:
            connection.close()
        return [json.loads(line) for line in text.splitlines()]


class Gateway(Appliance):
    """`deskbell gateway`, with its own command line, and otherwise like a daemon."""

    def __init__(self, fleet, name):
        super().__init__(board=None, wav=False)
        self.name, self.names, self.port = name, [name], 0
        self.config = fleet.folder / "gateways" / name / "gateway.yaml"
        text = self.config.read_text()
        for word, path in (("seed", fleet.folder / "gateways" / name / "seed"), ("ca", fleet.folder / "authority.pem")):
            text = re.sub(rf"(?m)^(\s*){word}:.*$", rf"\g<1>{word}: {path}", text)
        own = self.folder / "gateway.yaml"
        own.write_text(text + "limits: { requests-per-second: 0 }\n")
        self.config = own

    def start(self, port=None):
        self.launch(self.port if port is None else port)
        if not self.ready.wait(PATIENCE_SECONDS) or self.process.poll() is not None:
            raise AssertionError("the gateway did not start:\n" + "\n".join(self.errors))
        found = next(match for line in self.errors if (match := re.search(r"pushes to .*?:(\d+)", line)))
        self.port = int(found[1])
        self.ca = self.state / "tls/ca.pem"

    def arguments(self, port):
        return [
            "gateway", "--config", str(self.config), "--state", str(self.state), "--listen", f"127.0.0.1:{port}"]
