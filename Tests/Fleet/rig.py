"""A fleet on this machine: servers, gateways, desks, and a provider that pushes through the gateways."""

import json
import re
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

from Tests.Fleet.nats import NATSConnection
from Tests.Fleet.servers import Server
from Tests.support.appliance import APP, Appliance, Gateway, new_id
from Tests.support.project import DESKBELL, PATIENCE_SECONDS, free_ports

# A second app, registered at every handset that has one.
NEWS = "com.example.news"


def alert(text="A letter", **aps):
    return json.dumps({"aps": {"alert": text, **aps}})


class Fleet:
    """The administrator's folder, and its servers. Use it in a `with` statement."""

    def __init__(self, servers=1, edit=None, disk=None):
        """`edit` changes each server's configuration; `disk` makes the disk for its data."""
        self.handle = tempfile.TemporaryDirectory(prefix="deskbell-fleet-")
        self.home = Path(self.handle.name)
        self.folder, self.servers = self.home / "fleet", []
        words, ports = [], free_ports(2 * servers)
        for name, port, cluster in zip("abc", ports[::2], ports[1::2]):
            words += ["--server", f"{name}=127.0.0.1:{port}:{cluster}"]
        self.command("init", *words)
        self.servers = [Server(folder, self.home, edit, disk) for folder in sorted((self.folder / "nodes").iterdir())]
        self.parts = []

    def __enter__(self):
        try:
            for server in self.servers:
                server.start()
            for server in self.servers:
                server.wait_for("Server is ready")
            if self.command("init", check=False).returncode != 0:
                # As its message says: servers started at the same time do not always find each other.
                for server in self.servers:
                    server.kill()
                    server.start()
                    server.wait_for("Server is ready")
                self.command("init")
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        for part in reversed(self.parts):
            part.stop()
        for server in self.servers:
            server.kill()
            if server.disk:
                server.disk.remove()
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
                + "".join(f"{server.name}: {line}\n" for server in self.servers for line in server.lines[-15:]))
        return done

    def report(self, *words):
        return json.loads(self.command(*words, "--json").stdout)

    def refusal(self, *words):
        """Runs a command that fails; returns its error."""
        done = self.command(*words, check=False)
        assert done.returncode == 1, done
        return done.stderr

    def add(self, *names, gateway=False):
        for name in names:
            self.command("add", name, *(["--gateway"] if gateway else []))
        self.update()

    def update(self):
        """Gives all servers the changes of the administrator's folder."""
        for server in self.servers:
            server.update()

    def kill_servers(self):
        for server in self.servers:
            server.kill()

    def start_servers(self):
        for server in self.servers:
            server.start()

    def known(self):
        """Returns the servers as the administrator's folder has them."""
        return json.loads((self.folder / "fleet.json").read_text())["nodes"]

    def connection(self, seed="admin.seed", inbox="_INBOX", server=0):
        """Returns a connection to one of the servers, for the user with that seed."""
        known = self.known()[server]
        return NATSConnection(
            (known["host"], known["port"]), self.folder / "authority.pem", (self.folder / seed).read_text().strip(), inbox)

    def addresses(self):
        """Returns the addresses of all servers."""
        texts = [(server.home / "etc/nats-server.conf").read_text() for server in self.servers]
        return ["tls://" + re.search(r'client_advertise: "(.*)"', text)[1] for text in texts]

    def settings(self, members):
        """Returns the fleet section of a daemon's settings. `members`: handsets by desk; None for all of its daemon."""
        desks = ", ".join(
            f"{{ desk: {name}, seed: {self.folder}/desks/{name}/seed"
            + (f", handsets: [{', '.join(repr(item) for item in handsets)}]" if handsets else "") + " }"
            for name, handsets in members.items())
        return (f"fleet: {{ servers: [{', '.join(self.addresses())}], ca: {self.folder}/authority.pem, "
                f"desks: [{desks}] }}\n")

    def gateway(self, name, key=None):
        """Starts a gateway; with a provider's key it is returned when it has read the registry."""
        part = Gateway(self.folder, name, "limits: { requests-per-second: 0 }\n")
        self.parts.append(part)
        part.start()
        if key:
            part.key = key
            part.wait_for_log("knows")
        return part

    def desk(self, *names, handsets=1, key=None, settings=""):
        """Starts a daemon with these desks, each with `handsets` handsets, whose apps one provider may ring."""
        part = Desk(self, names, handsets, key, settings)
        self.parts.append(part)
        part.start()
        return part


class Desk(Appliance):
    """A daemon with desks of the fleet."""

    def __init__(self, fleet, names, handsets, key=None, settings=""):
        """Without a fleet, makes a separate daemon with the same handsets."""
        self.names, self.key = names, key
        self.handsets = {name: [f"{name}-{number + 1}" for number in range(handsets)] for name in names}
        listed = ", ".join(f"'{item}'" for items in self.handsets.values() for item in items)
        super().__init__(board=None, settings=(
            f"handsets: [{listed}]\nlimits: {{ requests-per-second: 0 }}\n"
            + (fleet.settings(self.handsets) if fleet else "") + settings))

    def install(self, *apps):
        """Installs and registers the apps on every handset, with one provider for all, and returns the tokens."""
        bundles = {app: self.bundle(f"id: {app}\nname: {app.rsplit('.', 1)[1].title()}\n", name=app) for app in apps}
        tokens = {}
        for items in self.handsets.values():
            for handset in items:
                for app, bundle in bundles.items():
                    self.run("app", "install", bundle, "--handset", handset)
                    self.run("app", "register", app, "--handset", handset)
                    tokens[handset, app] = self.run("app", "token", app, "--handset", handset).strip()
        self.add_provider(*apps, key=self.key)
        return tokens

    def handset_events(self, handset, after=0):
        with self.control() as connection:
            text = connection.call("GET", f"/v1/handsets/{handset}/events?after={after}")
        return [json.loads(line) for line in text.splitlines()]

    def outcomes(self, id, handset=None):
        """Returns the events of a push at one of its handsets: their names, with the reason if there is one."""
        return [
            (event["event"], event["reason"]) if "reason" in event else event["event"]
            for event in self.handset_events(handset or f"{self.names[0]}-1")
            if event.get("push", "").lower() == id.lower()]

    def wait_for_outcome(self, id, *names, **values):
        """Returns the first of these events of a push that has those values."""
        return self.wait_for_event(
            lambda event: event.get("push", "").lower() == id.lower() and event["event"] in names
            and all(event.get(key) == value for key, value in values.items()))


class FleetCase(unittest.TestCase):
    """Tests with one gateway, and with desks that have a daemon each and may be rung by one provider."""

    servers = 1
    # The number of handsets of each desk.
    handsets = {"kitchen": 1}
    apps = (APP,)

    def setUp(self):
        self.fleet = self.enterContext(Fleet(self.servers))
        self.fleet.add(*self.handsets)
        self.fleet.add("front", gateway=True)
        self.desks, self.tokens, key = [], {}, None
        for name, count in self.handsets.items():
            desk = self.fleet.desk(name, handsets=count, key=key)
            self.tokens |= desk.install(*self.apps)
            self.desks.append(desk)
            key = desk.key
        for desk in self.desks:
            desk.wait_for_log(f"fleet {desk.names[0]}: works")
        self.token = self.prepare()
        self.gateway = self.fleet.gateway("front", key)

    def prepare(self):
        """Does what comes before the gateway's start; returns the token of the tests' pushes."""
        return next(iter(self.tokens.values()))

    def answer_after(self, *statuses, gateway=None, **words):
        """Pushes again while the answer has one of these statuses; returns the next answer. Nothing tells of it before."""
        words.setdefault("token", self.token)
        deadline = time.monotonic() + PATIENCE_SECONDS
        while True:
            answer = (gateway or self.gateway).curl(alert(), **words)
            if answer[0] not in statuses or time.monotonic() > deadline:
                return answer

    def push(self, payload=None, status=200, id=None, headers=None, **words):
        """Pushes through the gateway; returns the identifier and the answer's body."""
        words.setdefault("token", self.token)
        headers = {"apns-id": id or new_id(), **(headers or {})}
        found, body, answered = self.gateway.curl(payload or alert(), headers=headers, **words)
        self.assertEqual(found, status, (body, self.gateway.errors, *(desk.errors for desk in self.desks)))
        self.assertEqual(answered["apns-id"], headers["apns-id"])
        return headers["apns-id"], body
