"""Independent clients, each with every possible answer, with tokens and with certificates."""

import os
import re
import socket
import ssl
import subprocess
import sys
import tempfile
import time
import unittest
from dataclasses import replace
from pathlib import Path

import h2.connection
import h2.events
import httpx

from Tests.Clients.apns_requests import good, mistakes, padded
from Tests.support import certificates
from Tests.support.appliance import APP, KEY_ID, Mailroom, make_key, new_id
from Tests.support.curl import Answer, curl
from Tests.support.http2_wire import client_context
from Tests.support.project import PATIENCE_SECONDS

LOUD = b'{"aps": {"alert": "hello", "badge": 3, "sound": "default"}}'


class Curl:
    """The client curl."""

    def send(self, request, certificate=None):
        words = ["--http2", "--cacert", self.appliance.ca, "--request", request.method]
        if certificate:
            words += ["--cert", certificate]
        if request.method == "POST":
            words += ["--data-binary", "@-"]
        for name, value in request.headers:
            words += ["--header", f"{name}: {value}"]
        answer = curl(
            *words, f"https://localhost:{self.appliance.port}{request.path}{request.token}", body=request.payload)
        self.assertEqual(answer.version, "HTTP/2")
        return answer


class NGHTTP:
    """The client nghttp."""

    def send(self, request, certificate=None):
        appliance = self.appliance
        words = ["nghttp", "--verbose", "--timeout", str(PATIENCE_SECONDS), "--header", f":method: {request.method}"]
        if certificate:
            words += ["--cert", str(certificate), "--key", str(certificate.with_suffix(".key"))]
        for name, value in request.headers:
            words += ["--header", f"{name}: {value}"]
        if request.method == "POST":
            data = appliance.folder / "nghttp-data"
            data.write_bytes(request.payload)
            words += ["--data", str(data)]
        words.append(f"https://localhost:{appliance.port}{request.path}{request.token}")
        done = subprocess.run(
            words, capture_output=True, env={**os.environ, "SSL_CERT_FILE": str(appliance.ca)}, check=True)
        output = done.stdout.decode()
        self.assertNotIn("verification failed", output + done.stderr.decode())
        headers = dict(re.findall(r"recv \(stream_id=\d+(?:, sensitive)?\) (:?[a-z-]+): (.*)", output))
        body = re.search(r'\{"reason":[^}]*\}', output.partition(":status:")[2])
        return Answer(int(headers[":status"]), body[0].encode() if body else b"", headers)


class HTTPX:
    """The client httpx."""

    def client(self, certificate=None):
        context = client_context(self.appliance.ca, certificate=certificate)
        return httpx.Client(http2=True, verify=context, timeout=PATIENCE_SECONDS)

    def send(self, request, certificate=None, client=None):
        if client is None:
            with self.client(certificate) as client:
                return self.send(request, client=client)
        answer = client.request(
            request.method, f"https://localhost:{self.appliance.port}{request.path}{request.token}",
            headers=list(request.headers), content=request.payload)
        self.assertEqual(answer.http_version, "HTTP/2")
        return Answer(answer.status_code, answer.content, dict(answer.headers))


class Answers:
    """The tests that every client runs."""

    @classmethod
    def setUpClass(cls):
        cls.appliance = cls.enterClassContext(Mailroom())
        folder = cls.appliance.folder
        cls.own = certificates.make(folder, "own", topic=APP)
        cls.several = certificates.make(
            folder, "several", topic=APP, topics=[(APP, ["app"]), (APP + ".voip", ["voip"])],
            marks=[certificates.DEVELOPMENT, certificates.PRODUCTION])
        cls.sandbox = certificates.make(folder, "sandbox", topic=APP, marks=[certificates.DEVELOPMENT])
        cls.expired = certificates.make(folder, "expired", topic=APP, days=-1)
        cls.stranger = certificates.make(folder, "stranger", topic=APP)
        for name in ["own", "several", "sandbox", "expired"]:
            cls.appliance.run("provider", "add", name, "--certificate", folder / f"{name}.pem")

    def events_of(self, request, after):
        return [event["event"] for event in self.appliance.events(after) if event.get("push") == request.id]

    def test_a_good_push_rings_and_its_id_comes_back(self):
        before, request = self.appliance.last_sequence(), replace(good(self.appliance), payload=LOUD)
        answer = self.send(request)
        self.assertEqual((answer.status, answer.body, answer.headers["apns-id"]), (200, b"", request.id))
        self.assertNotIn("apns-unique-id", answer.headers)
        played = self.appliance.wait_for_event("sound-started", before)
        self.assertEqual((played["name"], played["push"]), ("default", request.id))
        self.assertEqual(self.appliance.report("state")["presentation"]["badge"], 3)
        self.assertEqual(self.events_of(request, before)[0], "accepted")

    def test_a_bad_badge_leaves_the_rest_of_the_push(self):
        badge = self.appliance.report("app", "list")[0]["badge"]
        for wrong in ["-1", "1.5", '"3"', "true"]:
            with self.subTest(wrong):
                payload = '{"aps": {"alert": "hello", "badge": %s}}' % wrong
                before, request = self.appliance.last_sequence(), replace(good(self.appliance), payload=payload.encode())
                answer = self.send(request)
                self.assertEqual((answer.status, answer.body), (200, b""))
                self.assertEqual(self.events_of(request, before), ["accepted", "bad-badge", "presented"])
                self.assertEqual(self.appliance.report("app", "list")[0]["badge"], badge)

    def test_the_largest_payloads_are_taken(self):
        request = good(self.appliance)
        self.assertEqual(self.send(replace(request, payload=padded(4096))).status, 200)
        voip = request.header("apns-topic", APP + ".voip").header("apns-push-type", "voip")
        self.assertEqual(self.send(replace(voip, payload=padded(5120))).status, 200)

    def test_every_mistake_is_named_and_noted_and_changes_nothing(self):
        before, sent = self.appliance.last_sequence(), []
        apps, center = self.appliance.report("app", "list"), self.appliance.report("center")
        for name, request, status, reason in mistakes(self.appliance):
            with self.subTest(name):
                if request.id != "42":
                    request = request.header("apns-id", new_id())
                answer = self.send(request)
                self.assertEqual((answer.status, answer.reason), (status, reason))
                self.assertEqual(answer.headers["apns-id"], request.id)
                sent.append((request.id, reason))
        noted = {(event.get("push"), event["reason"]) for event in self.appliance.events(before)
                 if event["event"] == "refused"}
        self.assertEqual({entry for entry in sent if entry[0] != "42"} - noted, set())
        self.assertIn((None, "BadMessageId"), noted)
        self.assertEqual((self.appliance.report("app", "list"), self.appliance.report("center")), (apps, center))

    def test_a_certificate_is_as_good_as_a_token(self):
        bare = good(self.appliance).header("authorization")
        self.assertEqual(self.send(bare.header("apns-topic"), self.own).status, 200)
        self.assertEqual(self.send(bare, self.own).status, 200)
        voip = bare.header("apns-topic", APP + ".voip").header("apns-push-type", "voip")
        self.assertEqual(self.send(voip, self.several).status, 200)

    def test_certificates_that_will_not_do(self):
        request = good(self.appliance)
        cases = [
            ("stranger", request, self.stranger, 403, "BadCertificate"),
            ("expired", request, self.expired, 403, "BadCertificate"),
            ("sandbox", request, self.sandbox, 403, "BadCertificateEnvironment"),
            ("several topics", request.header("apns-topic"), self.several, 400, "MissingTopic"),
            ("not its topic", request.header("apns-topic", APP + ".voip"), self.own, 400, "TopicDisallowed"),
        ]
        for name, wrong, certificate, status, reason in cases:
            with self.subTest(name):
                answer = self.send(wrong, certificate)
                self.assertEqual((answer.status, answer.reason), (status, reason))

    def test_gone_tokens_are_told_apart(self):
        appliance = self.appliance
        gone, before = appliance.token, int(time.time() * 1000)
        appliance.run("app", "unregister", APP)
        answer = self.send(replace(good(appliance), token=gone))
        self.assertEqual((answer.status, answer.reason), (410, "Unregistered"))
        since = answer.json["timestamp"]
        self.assertTrue(before <= since <= int(time.time() * 1000), (before, since))
        appliance.run("app", "register", APP)
        appliance.token = appliance.token_of(APP)
        answer = self.send(replace(good(appliance), token=gone))
        self.assertEqual((answer.status, answer.json), (410, {"reason": "ExpiredToken", "timestamp": since}))
        self.assertEqual(self.send(good(appliance)).status, 200)


class CurlTests(Curl, Answers, unittest.TestCase):
    pass


class NGHTTPTests(NGHTTP, Answers, unittest.TestCase):
    pass


class HTTPXTests(HTTPX, Answers, unittest.TestCase):
    def test_a_connection_belongs_to_the_key_of_its_first_token(self):
        appliance = self.appliance
        key = appliance.folder / "second.pem"
        key.write_text(make_key())
        appliance.run("provider", "add", "second", "--apps", APP, "--team", "TEAM123456", "--key-id", "KEY7654321",
                      "--key", key)
        second = good(appliance).header(
            "authorization", f"bearer {appliance.bearer(key=key.read_text(), kid='KEY7654321')}")
        with self.client() as client:
            self.assertEqual(self.send(good(appliance), client=client).status, 200)
            answer = self.send(second, client=client)
            self.assertEqual((answer.status, answer.reason), (403, "UnrelatedKeyIdInToken"))
            self.assertEqual(self.send(good(appliance), client=client).status, 200)
        self.assertEqual(self.send(second).status, 200)

    def test_tokens_may_not_change_all_the_time(self):
        now = int(time.time())

        def signed(ago):
            return good(self.appliance).header("authorization", f"bearer {self.appliance.bearer(iat=now - ago)}")

        with self.client() as client:
            answers = [self.send(signed(ago), client=client) for ago in (9, 8, 7)]
            self.assertEqual([answer.status for answer in answers], [200, 200, 429])
            self.assertEqual(answers[2].reason, "TooManyProviderTokenUpdates")
        self.assertEqual(self.send(signed(7)).status, 200)

    def test_a_certificate_whose_provider_is_removed(self):
        appliance = self.appliance
        path = certificates.make(appliance.folder, "leaver", topic=APP)
        appliance.run("provider", "add", "leaver", "--certificate", path)
        bare = good(appliance).header("authorization")
        with self.client(path) as client:
            self.assertEqual(self.send(bare, client=client).status, 200)
            appliance.run("provider", "remove", "leaver")
            answer = self.send(bare, client=client)
            self.assertEqual((answer.status, answer.reason), (403, "Forbidden"))
        answer = self.send(bare, path)
        self.assertEqual((answer.status, answer.reason), (403, "BadCertificate"))


class ResumedSessionTests(unittest.TestCase):
    def push(self, context, session):
        """Pushes over a new connection that resumes a session; returns the status, and the session for the next."""
        appliance = self.appliance
        plain = socket.create_connection(("localhost", appliance.port), PATIENCE_SECONDS)
        with context.wrap_socket(plain, server_hostname="localhost", session=session) as stream:
            self.assertEqual(stream.session_reused, session is not None)
            connection = h2.connection.H2Connection()
            connection.initiate_connection()
            connection.send_headers(1, [
                (":method", "POST"), (":scheme", "https"), (":authority", "localhost"),
                (":path", f"/3/device/{appliance.token}")])
            connection.send_data(1, b'{"aps": {"alert": "hello"}}', end_stream=True)
            stream.sendall(connection.data_to_send())
            while True:
                for event in connection.receive_data(stream.recv(65536)):
                    if isinstance(event, h2.events.ResponseReceived):
                        return dict(event.headers)[b":status"], stream.session

    def test_the_certificate_is_known_again_without_being_shown_again(self):
        with Mailroom() as self.appliance:
            appliance = self.appliance
            own = certificates.make(appliance.folder, "own", topic=APP)
            appliance.run("provider", "add", "own", "--certificate", own)
            for version in (ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3):
                with self.subTest(version.name):
                    context = client_context(appliance.ca, ["h2"], own)
                    context.maximum_version = version
                    status, session = self.push(context, None)
                    self.assertEqual(status, b"200")
                    status, session = self.push(context, session)
                    self.assertEqual(status, b"200")
            # The state at the beginning of the session no longer counts.
            appliance.run("provider", "remove", "own")
            self.assertEqual(self.push(context, session)[0], b"403")


class ProviderCommandTests(unittest.TestCase):
    def test_certificates_are_pinned_listed_and_kept(self):
        with Mailroom() as appliance:
            path = certificates.make(
                appliance.folder, "shop", topic=APP, topics=[(APP, ["app"]), ("com.example.other.voip", ["voip"])],
                marks=[certificates.PRODUCTION])
            added = appliance.report("provider", "add", "shop", "--certificate", path)
            digest = subprocess.run(
                ["openssl", "x509", "-in", path, "-noout", "-fingerprint", "-sha256"], capture_output=True, text=True,
                check=True).stdout.strip().rpartition("=")[2].replace(":", "")
            self.assertEqual(added["certificate"]["fingerprint"], digest)
            self.assertEqual(added["certificate"]["topics"], [APP, "com.example.other.voip"])
            self.assertEqual(
                (added["apps"], added["environment"], added["credential"]),
                ([APP, "com.example.other"], "production", "certificate"))
            appliance.cut_power()
            self.assertEqual(appliance.report("provider", "list"), [added, appliance.report("provider", "list")[1]])

            twice = appliance.refusal("provider", "add", "shop2", "--certificate", path)
            self.assertIn("both have the same certificate", twice)
            self.assertIn(
                "no topic of com.example.foreign",
                appliance.refusal("provider", "add", "shop", "--certificate", path, "--apps", "com.example.foreign"))
            only_key = appliance.refusal("provider", "add", "x", "--certificate", path.with_suffix(".key"))
            self.assertIn("holds no certificate", only_key)
            nameless = certificates.make(appliance.folder, "nameless")
            self.assertIn("names no topic", appliance.refusal("provider", "add", "x", "--certificate", nameless))
            self.assertEqual([p["name"] for p in appliance.report("provider", "list")], ["shop", "tests"])
            database = b"".join(file.read_bytes() for file in appliance.state.glob("deskbell.sqlite*"))
            self.assertIn(b"BEGIN CERTIFICATE", database)
            self.assertNotIn(b"PRIVATE KEY", database)


class DevelopmentTests(HTTPX, unittest.TestCase):
    def test_the_development_service_has_its_own_keys_and_ids(self):
        with Mailroom("--environment", "development") as self.appliance:
            appliance = self.appliance
            answer = self.send(good(appliance))
            self.assertEqual(answer.status, 200)
            self.assertRegex(answer.headers["apns-unique-id"], "^[0-9A-F]{8}(-[0-9A-F]{4}){3}-[0-9A-F]{12}$")
            credential = ("--apps", APP, "--team", "TEAM123456", "--key-id", KEY_ID, "--key", appliance.folder / "key.p8")
            appliance.run("provider", "add", "tests", *credential, "--environment", "production")
            answer = self.send(good(appliance))
            self.assertEqual((answer.status, answer.reason), (403, "BadEnvironmentKeyIdInToken"))
            appliance.run("provider", "add", "tests", *credential, "--environment", "development")
            self.assertEqual(self.send(good(appliance)).status, 200)
            sandbox = certificates.make(appliance.folder, "sandbox", topic=APP, marks=[certificates.DEVELOPMENT])
            live = certificates.make(appliance.folder, "live", topic=APP, marks=[certificates.PRODUCTION])
            for path in (sandbox, live):
                appliance.run("provider", "add", path.stem, "--certificate", path)
            self.assertEqual(self.send(good(appliance), sandbox).status, 200)
            self.assertEqual(self.send(good(appliance), live).reason, "BadCertificateEnvironment")


class VirtualClockTests(HTTPX, unittest.TestCase):
    def test_tokens_go_by_the_real_clock_and_expirations_by_the_handsets(self):
        with Mailroom("--clock", "virtual") as self.appliance:
            appliance = self.appliance
            appliance.run("conditions", "offline", "on")
            appliance.run("clock", "advance", "120m")
            real = int(time.time())
            for ahead, kept in ((3600, False), (3 * 3600, True)):
                request = good(appliance).header("apns-expiration", str(real + ahead))
                before = appliance.last_sequence()
                self.assertEqual(self.send(request).status, 200)
                names = [event["event"] for event in appliance.events(before) if event.get("push") == request.id]
                self.assertEqual("kept" in names, kept, names)

    def test_all_follow_the_handsets_clock(self):
        start = 1_767_225_600
        with tempfile.TemporaryDirectory(prefix="deskbell-clock-") as folder, Mailroom(
                "--clock", "virtual", "--all", "--clock-start", "2026-01-01T00:00:00Z",
                "--clock-file", f"{folder}/now") as self.appliance:
            appliance = self.appliance
            file = Path(folder, "now")
            self.assertEqual(file.read_text(), "@2026-01-01 00:00:00\n")
            self.assertEqual(file.stat().st_mode & 0o777, 0o644)
            real = time.time_ns() // 1000
            clock = appliance.report("clock")
            self.assertEqual((clock["clock"], clock["all"], clock["wallMicroseconds"]), ("virtual", True, start * 1_000_000))
            self.assertLess(abs(clock["realMicroseconds"] - real), PATIENCE_SECONDS * 1_000_000)

            # The command signs by the daemon's clock, and the tests' provider by the real one.
            appliance.run("push", APP, "--title", "A letter")
            answer = self.send(good(appliance))
            self.assertEqual((answer.status, answer.reason), (403, "InvalidProviderToken"))
            signed = good(appliance).header("authorization", f"bearer {appliance.bearer(iat=start)}")
            self.assertEqual(self.send(signed).status, 200)
            appliance.run("clock", "advance", "1h")
            self.assertEqual(self.send(signed).status, 200)
            appliance.run("clock", "advance", "1s")
            answer = self.send(signed)
            self.assertEqual((answer.status, answer.reason), (403, "ExpiredProviderToken"))
            self.assertEqual(file.read_text(), "@2026-01-01 01:00:01\n")

            # A year later the port has another certificate; clients by the real clock refuse it until then.
            before = (appliance.state / "tls/server.pem").read_bytes()
            appliance.run("clock", "advance", "366d")
            self.assertNotEqual((appliance.state / "tls/server.pem").read_bytes(), before)
            appliance.wait_for_log("made a new server certificate time=202")

    def test_a_provider_under_libfaketime_follows(self):
        library = next(Path("/usr/lib").glob("*/faketime/libfaketime.so.1"), None)
        if not library:
            self.skipTest("faketime is not installed")
        with tempfile.TemporaryDirectory(prefix="deskbell-clock-") as folder, Mailroom(
                "--clock", "virtual", "--all", "--clock-start", "2026-01-01T00:00:00Z",
                "--clock-file", f"{folder}/now") as self.appliance:
            program = "import time\nwhile input(): print(round(time.time() / 60), flush=True)"
            environment = {**os.environ, "LD_PRELOAD": str(library), "FAKETIME_TIMESTAMP_FILE": f"{folder}/now",
                           "FAKETIME_NO_CACHE": "1", "TZ": "UTC"}
            with subprocess.Popen(
                    [sys.executable, "-c", program], env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                    text=True) as provider:
                def minute():
                    provider.stdin.write("now\n")
                    provider.stdin.flush()
                    return int(provider.stdout.readline())

                first = minute()
                self.assertEqual(first, 1_767_225_600 // 60)
                self.appliance.run("clock", "advance", "45m")
                self.assertEqual(minute() - first, 45)
                provider.stdin.write("\n")
                provider.stdin.flush()
                self.assertEqual(provider.wait(PATIENCE_SECONDS), 0)
