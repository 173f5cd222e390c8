"""The attacker's view of the daemon, the list of attacks, and the outcome of one."""

import contextlib
import itertools
import json
import socket
from collections.abc import Callable
from dataclasses import dataclass, field

from Tests.support.http2_wire import Wire

ANONYMOUS, CREDENTIALS = "anonymous", "credentials"
BOTH = (ANONYMOUS, CREDENTIALS)
# The time in which the daemon has to end an attack.
GIVE_UP_SECONDS = 15

ATTACKER = "com.example.attacker"
PAYLOAD = json.dumps({"aps": {"alert": "x"}}).encode()


@dataclass
class Secrets:
    """The attacker's rightful secrets: the credentials of its own app."""
    token: str
    bearer: str
    # Makes a token like `bearer`, or an invalid one, with the changes of `Appliance.bearer`.
    sign: Callable | None = None
    password: str = ""
    # Access keys of its app: a topic's, and a hook's.
    topic_key: str = ""
    hook_key: str = ""
    # The header fields of a browser that is signed in to the panel.
    session: tuple = ()


@dataclass
class Neighbourhood:
    """Public knowledge of the neighbour."""
    app: str = ""
    token: str = ""
    key_id: str = ""
    topic: str = ""


@dataclass
class Target:
    port: int
    ca: str
    secrets: Secrets
    app: str = ATTACKER
    neighbour: Neighbourhood = field(default_factory=Neighbourhood)
    # The 2008 service's name of the handset, the panel's port, and the folder of the sockets.
    device: str = ""
    # The attacker's topic of ntfy.
    topic: str = ""
    panel: int = 0
    folder: str = ""
    # The attacker's apps with a program, and their device tokens.
    programs: tuple = ()
    who: str = CREDENTIALS
    # The duration of an attack that nothing ends, and the share of its connections that it opens.
    seconds: float = 1.5
    share: float = 1.0
    # Keeps the attack's connections open until it is over.
    opened: contextlib.ExitStack | None = None

    @property
    def has_credentials(self):
        return self.who == CREDENTIALS

    def some(self, count):
        return max(10, int(count * self.share))

    def wire(self, source=None, greet=True, pairs=(), **options):
        """Opens a connection; with credentials it has pushed once, so that it is authenticated."""
        wire = self.keep(Wire(self.port, self.ca, source=source, **options))
        if greet:
            wire.greet(*pairs)
            if self.has_credentials:
                status = wire.push(self.fields(), PAYLOAD)
                if status != 200:
                    raise AssertionError(f"the attacker's own credentials were answered {status}")
        return wire

    def plain(self, source, first=b"", port=None):
        plain = self.keep(socket.socket())
        plain.settimeout(5)
        plain.bind((source, 0))
        plain.connect(("127.0.0.1", port or self.port))
        if first:
            plain.sendall(first)
        return plain

    def keep(self, connection):
        return self.opened.enter_context(connection) if self.opened else connection

    def fields(self, *more, bearer=None, token=None, topic=None, kind="alert"):
        """Returns a push's header fields; without credentials there is no authorization."""
        bearer = bearer or (self.secrets.bearer if self.has_credentials else None)
        return [(":method", "POST"), (":scheme", "https"), (":path", f"/3/device/{token or self.secrets.token}"),
                (":authority", "localhost"), ("apns-topic", topic or self.app), ("apns-push-type", kind),
                *([("authorization", f"bearer {bearer}")] if bearer else []), *more]


def blocks(wire, fields):
    """Yields header blocks without end: the first fills the table, the others only name its entries."""
    return itertools.chain([wire.block(fields)], itertools.repeat(wire.block(fields)))


@dataclass
class Outcome:
    """The outcome of an attack. `seconds` is None if the daemon did not end it; only whole requests are counted."""
    seconds: float | None
    end: str
    requests: int = 0
    accepted: int = 0
    accepted_bytes: int = 0


@dataclass(frozen=True)
class Attack:
    name: str
    kind: str
    run: Callable
    who: tuple = BOTH
    # If true, the daemon has to end it; else it is served, or refused, for as long as it lasts.
    ends: bool = True
    # The allowed growth of the daemon's memory.
    megabytes: float = 12
    # True if it waits for seconds and does little: in the short form these run at once.
    waits: bool = False
    # A context manager around the attack: called with the rig, it returns further fields of the target.
    prepare: Callable | None = None


ATTACKS = []


def attacks(kind):
    """Returns the decorator for one kind's attacks."""
    def attack(name, who=BOTH, **options):
        def register(run):
            ATTACKS.append(Attack(name, kind, run, who, **options))
            return run
        return register
    return attack
