"""The requests of client libraries, 500 pushes each, also while the appliance is stopped and killed: every push
answered 200 is stored, and every push rang once."""

import asyncio
import collections
import itertools
import os
import signal
import unittest
import unittest.mock

from kalyke import ApnsClient, ApnsConfig, Payload
from kalyke.exceptions import ApnsProviderException

from Tests.Clients.libraries import LIBRARIES
from Tests.support import certificates
from Tests.support.appliance import APP, KEY_ID, TEAM, Listener, Mailroom, new_id
from Tests.support.http2_client import Connection

PUSHES = 500


def payload(identifier):
    return {"aps": {"alert": {"title": identifier, "body": "It lies in the mailbox."}}}


class Provider:
    """A library's side: its pushes, and their answers."""

    def __init__(self, appliance, library, certificate=None):
        self.appliance, self.library, self.certificate = appliance, library, certificate
        self.token = None if certificate else library.token(appliance.key, TEAM, KEY_ID)
        self.ids = [new_id() for _ in range(PUSHES)]
        self.answered = {}
        self.connections = 0

    def connect(self):
        self.connections += 1
        library = self.library
        return Connection(
            self.appliance.port, self.appliance.ca, self.certificate, library.settings, library.window,
            library.empty_end)

    def post(self, identifier):
        return self.library.post(
            payload(identifier), port=self.appliance.port, device=self.appliance.token, topic=APP,
            identifier=identifier, token=self.token)

    def send(self, ids, after=None):
        """Sends over one connection, until it ends."""
        with self.connect() as connection:
            for post, status, headers, body in connection.exchange(
                    [self.post(identifier) for identifier in ids], self.library.streams, after):
                self.answered[post.key] = (status, headers.get("apns-id"), body)

    @property
    def unanswered(self):
        return [identifier for identifier in self.ids if identifier not in self.answered]


class LibraryTests(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        cls.appliance = cls.enterClassContext(Mailroom(board=None, wav=False))
        cls.certificate = certificates.make(cls.appliance.folder, "own", topic=APP)
        cls.appliance.run("provider", "add", "own", "--certificate", cls.certificate)

    def assert_all_answered(self, provider):
        self.assertEqual({status for status, _, _ in provider.answered.values()}, {200}, provider.answered)
        self.assertEqual(provider.unanswered, [])
        if provider.library.has_id:
            self.assertEqual([echoed for _, echoed, _ in provider.answered.values()], list(provider.answered))

    def assert_lint(self, events, lint):
        """Asserts that each deviation of a token is noted once, for its connection."""
        faults = [event for event in events if event["event"] == "ignored"]
        self.assertEqual({fault["path"] for fault in faults} - {"authorization"}, set())
        noted = collections.Counter(
            next((start for start in lint if fault["problem"].startswith(start)), fault["problem"])
            for fault in faults)
        self.assertEqual(noted, {start: 1 for start in lint})

    def test_by_key_and_by_certificate(self):
        for library, certificate in itertools.product(LIBRARIES, (None, self.certificate)):
            with self.subTest(library.name, certificate=certificate):
                before = self.appliance.last_sequence()
                provider = Provider(self.appliance, library, certificate)
                provider.send(provider.ids)
                self.assert_all_answered(provider)
                events = self.appliance.events(before)
                self.assert_lint(events, () if certificate else library.lint)
                self.assert_each_once(events, provider)

    def test_restarts(self):
        """SIGTERM after a third, SIGKILL after two thirds; unanswered pushes are sent again under their apns-id."""
        for library in LIBRARIES:
            with self.subTest(library.name):
                before = self.appliance.last_sequence()
                provider = Provider(self.appliance, library)
                for signal_number in (signal.SIGTERM, signal.SIGKILL):
                    is_told = False

                    def terminate(count=PUSHES, enough=len(provider.unanswered) // 3, signal_number=signal_number):
                        nonlocal is_told
                        if count > enough and not is_told:
                            self.appliance.process.send_signal(signal_number)
                            is_told = True

                    provider.send(provider.unanswered, terminate)
                    terminate()
                    # On the same port, like a service.
                    self.appliance.finish()
                    self.appliance.start(self.appliance.port)
                    if not library.has_id:
                        # It cannot send a push again, so the rest are new ones.
                        provider.ids = list(provider.answered) + [new_id() for _ in range(PUSHES - len(provider.answered))]
                provider.send(provider.unanswered)
                self.assert_all_answered(provider)
                self.assertEqual(provider.connections, 3)
                self.assert_each_once(self.appliance.events(before), provider)

    def assert_each_once(self, events, provider):
        """Asserts that each push was accepted once and rang once, and that exactly the answered pushes are stored."""
        if provider.library.has_id:
            for kind in ("accepted", "presented"):
                count = collections.Counter(event["push"] for event in events if event["event"] == kind)
                self.assertEqual(
                    [(identifier, count[identifier]) for identifier in provider.ids if count[identifier] != 1], [], kind)
                self.assertEqual(set(count) - set(provider.ids), set())
        titles = collections.Counter(
            notification["title"] for notification in self.appliance.report("center", "--limit", 1_000))
        self.assertEqual([identifier for identifier in provider.answered if titles[identifier] != 1], [])


class WithoutAPSTests(unittest.TestCase):
    def test_payloads_without_aps_reach_their_app(self):
        payloads = [
            ("voip", ".voip", '{"caller":"Ada","call":{"id":123456789012345678901234567890,"cost":1e400}}'),
            ("fileprovider", ".pushkit.fileprovider",
             '{"container-identifier":"NSFileProviderWorkingSetContainerItemIdentifier","domain":"work"}'),
            ("mdm", "", '{"mdm":"B0B5-MAGIC"}'),
            # As node-apn sends it.
            (None, "", '{"mdm":"B0B5-MAGIC"}'),
        ]
        with Mailroom(board=None, wav=False) as appliance:
            # It names no background modes, and so has pushes of every type.
            appliance.run("app", "install", appliance.bundle(f"id: {APP}\nname: Mailroom\n"))
            with Listener(appliance, state="foreground") as app:
                appliance.wait_for_event("lifecycle")
                for kind, word, payload in payloads:
                    with self.subTest(kind):
                        headers = {"apns-push-type": kind} if kind else {}
                        identifier = appliance.push(payload, headers=headers, topic=APP + word)
                        self.assertEqual(
                            app.stream.readline(),
                            f'{{"push":"{identifier}","attempt":1,"state":"foreground","type":"{kind or "mdm"}",'
                            f'"payload":{payload}}}\n')
            events = [event for event in appliance.events() if event["event"] in ("accepted", "ignored", "refused")]
            self.assertEqual(
                [event.get("type") for event in events], ["voip", "fileprovider", "mdm", "mdm"], events)


class KalykeTests(unittest.TestCase):
    """A library of PyPI, unchanged except for its address. Each push has a connection of its own."""

    def test_pushes(self):
        with Mailroom(board=None, wav=False) as appliance:
            (appliance.folder / "kalyke.p8").write_text(appliance.key)
            # The library trusts the system's authorities and reads them for each push: reading one is faster than all.
            self.enterContext(unittest.mock.patch.dict(os.environ, {"SSL_CERT_FILE": str(appliance.ca)}))

            class Client(ApnsClient):
                _base_url = f"https://localhost:{appliance.port}"

            client = Client(use_sandbox=False, team_id=TEAM, auth_key_id=KEY_ID,
                            auth_key_filepath=appliance.folder / "kalyke.p8")

            async def push(identifier, topic=APP):
                return await client.send_message(
                    appliance.token, Payload(alert=identifier), ApnsConfig(topic=topic, identifier=identifier))

            async def all_of(ids):
                gate = asyncio.Semaphore(8)

                async def one(identifier):
                    async with gate:
                        return await push(identifier)

                return await asyncio.gather(*map(one, ids))

            ids = [new_id() for _ in range(PUSHES)]
            self.assertEqual(asyncio.run(all_of(ids)), ids)
            events = appliance.events()
            for kind in ("accepted", "presented", "ignored"):
                self.assertEqual(sorted(event["push"] for event in events if event["event"] == kind), sorted(ids), kind)
            self.assertEqual(
                {(event["path"], event["problem"]) for event in events if event["event"] == "ignored"},
                {("authorization", "iat is a string; Apple's documentation asks for a number")})
            with self.assertRaises(ApnsProviderException) as raised:
                asyncio.run(push(new_id(), topic="com.example.foreign"))
            self.assertEqual(type(raised.exception).__name__, "TopicDisallowed")
