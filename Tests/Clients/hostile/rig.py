"""The daemon under attack, with the attacker's and the neighbours' apps; and its use of resources so far."""

import json
import secrets
from pathlib import Path

from Tests.Clients.hostile.apps import APPS
from Tests.Clients.hostile.neighbours import PersonBeside, ProviderBeside, PublisherBeside, TopicBeside
from Tests.Clients.hostile.panel import sign_in
from Tests.Clients.hostile.target import ATTACKER, Neighbourhood, Secrets, Target
from Tests.support.appliance import APP, KEY_ID, Appliance, make_key
from Tests.support.usage import processor_seconds, resident_megabytes, written_bytes

MANIFEST = "id: {app}\nname: {name}\nbackground-modes: [remote-notification]\n"
PROGRAM = "hooks: { background: [./hook] }\n"
QUICK_PROGRAM = "#!/bin/sh\necho newData\n"
# The app of a neighbour whose program waits for the attacker's if there are too many.
FETCHER = "com.example.fetcher"

# The time that the control socket may take at the end of an attack.
CONTROL_SECONDS = 5


class Rig:
    """One daemon. Use it in a `with` statement."""

    def __init__(self, has_panel=False):
        # Without sounds in files: each would be written.
        self.appliance = Appliance(*(["--panel", "127.0.0.1:0"] if has_panel else []), board=None, wav=False)
        self.has_panel, self.control = has_panel, None
        self.providers = 0
        # If true, its control socket no longer answers.
        self.is_stuck = False
        # True if it recognises a repeated push, as from 0.2.0 on; None until it was tried.
        self.knows_pushes = None

    def __enter__(self):
        try:
            self.appliance.start()
            self.set_up()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        if self.control:
            self.control.close()
        if self.is_stuck:
            self.appliance.kill()
        self.appliance.__exit__()

    def set_up(self):
        appliance = self.appliance
        appliance.install_mailroom()
        appliance.add_provider(APP, FETCHER)
        self.control = appliance.control()
        self.control.timeout = CONTROL_SECONDS
        self.pid = appliance.process.pid
        self.neighbour_fields = appliance.fields()
        self.token = self.install(ATTACKER)
        self.device = appliance.report("state")["deviceID"]
        self.passwords = {}
        for name, app in (("post", APP), ("attacker-post", ATTACKER)):
            self.passwords[app] = secrets.token_hex(12)
            appliance.run(
                "provider", "add", name, "--apps", app, "--password-file", appliance.secret(self.passwords[app]))
        # The keys by the name of a topic or a hook.
        self.keys = {name: appliance.report(way, "add", name, "--app", app)["key"] for way, name, app in (
            ("topic", "parcels", APP), ("topic", "attacker-topic", ATTACKER), ("hook", "attacker-hook", ATTACKER))}
        self.panel, self.session, self.attacker_session = 0, (), ()
        if self.has_panel:
            address = appliance.run("panel").strip()
            self.panel = int(address.split("#")[0].rstrip("/").rsplit(":", 1)[1])
            self.panel_password = secrets.token_hex(12)
            appliance.run("panel", "password", appliance.secret(self.panel_password))
            self.session, self.attacker_session = (sign_in(self.panel, self.panel_password) for _ in range(2))

    def install(self, app, program=None):
        """Installs and registers an app; returns its device token."""
        manifest = MANIFEST.format(app=app, name=app[12:]) + (PROGRAM if program else "")
        folder = self.appliance.bundle(manifest, {"hook": program} if program else None, f"bundle-{app}")
        return self.appliance.install(folder, app)

    def target(self, who, seconds, share):
        """Returns a target with a provider that has not pushed before, so that its allowance is whole."""
        self.providers += 1
        key_id = f"ATTACK{self.providers:04d}"
        key = make_key()
        self.control.call("PUT", f"/v1/providers/attacker{self.providers}", {
            "apps": [ATTACKER, *APPS], "teamID": "ATTACKTEAM", "keyID": key_id, "key": key})

        def sign(**changes):
            return self.appliance.bearer(**{"iss": "ATTACKTEAM", "kid": key_id, "key": key, **changes})
        return Target(
            self.appliance.port, str(self.appliance.ca),
            Secrets(self.token, sign(), sign, self.passwords[ATTACKER], self.keys["attacker-topic"],
                    self.keys["attacker-hook"], self.attacker_session),
            neighbour=Neighbourhood(APP, self.appliance.token, KEY_ID, "parcels"), device=self.device,
            topic="attacker-topic", panel=self.panel,
            folder=str(self.appliance.folder), who=who, seconds=seconds, share=share)

    def provider(self):
        return ProviderBeside(self.appliance.port, str(self.appliance.ca), self.neighbour_fields)

    def beside(self, kind):
        """Returns a user of the attacked service, or None if that is the provider API."""
        if kind == "2008":
            return PublisherBeside(
                self.appliance.port, str(self.appliance.ca), APP, self.device, self.passwords[APP])
        if kind == "keys":
            return TopicBeside(self.appliance.port, str(self.appliance.ca), "parcels", self.keys["parcels"])
        if kind == "panel":
            return PersonBeside(self.panel, self.session, self.panel_password)
        return None

    # The daemon's use of resources.

    def resident(self):
        return resident_megabytes(self.pid)

    def written(self):
        return written_bytes(self.pid)

    def processor(self):
        return processor_seconds(self.pid)

    def stored(self):
        """Returns the bytes in the state directory."""
        return sum(path.stat().st_size for path in self.appliance.state.rglob("*") if path.is_file())

    def last_event(self):
        return json.loads(self.control.call("GET", "/v1/state"))["lastEvent"]

    def processes(self):
        """Returns identifiers and megabytes of programs' processes, wherever they have moved."""
        mark = f"DESKBELL_APPS_SOCKET={self.appliance.folder}".encode()
        found = {}
        for folder in Path("/proc").glob("[0-9]*"):
            try:
                if mark in (folder / "environ").read_bytes():
                    found[int(folder.name)] = resident_megabytes(folder.name)
            except (OSError, TypeError):
                continue
        return found

    def explanation(self, identifier):
        """Returns the daemon's explanation of a push; None if its journal has none."""
        try:
            return json.loads(self.control.call("GET", f"/v1/pushes/{identifier}/explanation"))
        except AssertionError as refusal:
            if refusal.args[0][2] == 404:
                return None
            raise
