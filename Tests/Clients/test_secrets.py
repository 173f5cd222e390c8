"""Every credential, every failure and the most verbose log: no secret can be read anywhere later."""

import base64
import contextlib
import http.client
import json
import re
import socket
import subprocess
import time
import unittest
import urllib.parse

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec

from Tests.support import certificates
from Tests.support.appliance import APP, KEY_ID, TEAM, Appliance, Gateway, make_key, member_settings
from Tests.support.broker import Broker
from Tests.support.curl import ask
from Tests.support.http2_wire import PREFACE, secured
from Tests.support.project import PATIENCE_SECONDS, free_port

GOOD = json.dumps({"aps": {"alert": "hello", "badge": 3}})
PASSWORD = "correct-horse-battery-staple"
BROKER_PASSWORD = "broker-horse-battery-staple"
# Each kind of docs/architecture/secrets.md, by the words in its secrets' names below.
KINDS = [
    "the provider's key", "a good provider token", "the password", "the token of the metrics", "of topic", "of hook",
    "of the app", "the panel's password", "the panel's link", "the panel's cookie", "the panel's session key",
    "the broker's password", "the fleet's seed", "tls/"]
BASIC = base64.b64encode(f"{APP}:{PASSWORD}".encode()).decode()


def lines_of(pem):
    """Returns the secret part of a PEM text: its lines, without a last one too short to be distinctive."""
    return [line for line in pem.splitlines() if len(line) > 40 and not line.startswith("-----")]


class SecretsTests(unittest.TestCase):
    def test_no_secret_is_written_down(self):
        self.panel = free_port()
        with Broker(password=BROKER_PASSWORD) as broker, \
                Appliance("--log-level", "debug", "--panel", f"127.0.0.1:{self.panel}") as appliance:
            recorded = appliance.folder / "inputs.jsonl"
            appliance.stop()
            appliance.options += ["--record", str(recorded)]
            self.secrets, self.said, self.errors, self.lines = {}, [], [], []
            self.outside_servers(appliance, broker)
            appliance.install_mailroom()
            self.secrets |= {f"the provider's key, line {number}": line
                             for number, line in enumerate(lines_of(appliance.key), 1)}
            self.secrets["the token of the metrics"] = appliance.run("metrics", "token").strip()

            self.access_keys(appliance)
            self.the_panel(appliance)
            self.an_app_s_key(appliance)
            self.push(appliance)
            self.keys_that_are_refused(appliance)
            self.certificates(appliance)
            self.publish(appliance)
            self.other_protocols(appliance)

            # The last failure is recorded, so all before it are.
            appliance.wait_for_event(lambda event: event.get("detail", "").startswith("method 'DELETE'"))
            for key in (appliance.state / "tls").glob("*key*"):
                self.secrets[f"tls/{key.name}"] = lines_of(key.read_text())[0]
            self.assertEqual({kind for kind in KINDS if not any(kind in secret for secret in self.secrets)}, set())
            events = appliance.run("events", "--json", "--since", "0")
            appliance.stop()

            places = {
                "standard error": "\n".join(self.errors + appliance.errors),
                "standard output": "\n".join(self.lines + appliance.lines),
                "the events": events, "the recorded inputs": recorded.read_text(),
                "what commands said": "\n".join(self.said)}
            # Only the public half of a provider's key is kept.
            for path in appliance.state.rglob("*"):
                if path.is_file() and "key" not in path.name:
                    places[f"state/{path.relative_to(appliance.state)}"] = path.read_bytes().decode("latin-1")
            for secret, text in self.secrets.items():
                self.assertGreater(len(text), 7, secret)
                for place, content in places.items():
                    for form in {text, urllib.parse.quote(text, safe=""), json.dumps(text)[1:-1]}:
                        self.assertFalse(form in content, f"{secret} is in {place}")
            # A device token gives no access by itself, and commands show it; logs and events do not need it.
            for place in ("standard error", "standard output", "the events"):
                self.assertFalse(appliance.token in places[place], f"the device token is in {place}")
            # The failures were logged, without their secrets.
            self.assertIn("TLS handshake failed", places["standard error"])
            for reason in ("InvalidProviderToken", "ExpiredProviderToken", "MissingProviderToken", "Unauthorized",
                           "BadCertificate"):
                self.assertIn(reason, places["the events"])

    def remember(self, what, bearer):
        """Remembers a provider token, which is valid for an hour: neither it nor its signature may be found."""
        self.secrets[what] = bearer
        self.secrets[f"{what}, its signature"] = bearer.rsplit(".", 1)[1]
        return bearer

    def stop(self, appliance):
        """Stops the daemon, and keeps its output."""
        appliance.stop()
        self.errors += appliance.errors
        self.lines += appliance.lines

    def outside_servers(self, appliance, broker):
        """Uses a broker's password, first a wrong one, and the seeds of a fleet without reachable servers."""
        password, wrong = appliance.folder / "broker.txt", "wrong-broker-battery-staple"
        self.secrets |= {"the broker's password": BROKER_PASSWORD, "a wrong broker's password": wrong}
        folder = appliance.folder / "fleet"
        self.said.append(appliance.run(
            "fleet", "init", "--server", f"a=127.0.0.1:{free_port()}:{free_port()}", "--offline", "--fleet", folder))
        self.said.append(appliance.run("fleet", "add", "desk", "--offline", "--fleet", folder))
        self.said.append(appliance.run("fleet", "add", "gate", "--gateway", "--offline", "--fleet", folder))
        self.said.append(appliance.run("fleet", "list", "--offline", "--json", "--fleet", folder))
        for kind, name in (("desks", "desk"), ("gateways", "gate")):
            self.secrets[f"the fleet's seed of {name}"] = (folder / kind / name / "seed").read_text().strip()
        appliance.configure(
            member_settings(folder, "desks", "desk") + 'http: { listen: "127.0.0.1:0", for: [ntfy, gotify, hooks] }\n'
            f"mqtt: {{ broker: mqtt://127.0.0.1:{broker.port}, user: desk, password-file: {password} }}\n")
        password.write_text(wrong + "\n")
        appliance.start()
        appliance.wait_for_log("not authorised")
        self.stop(appliance)
        password.write_text(BROKER_PASSWORD + "\n")
        appliance.start()
        appliance.wait_for_log("home assistant: connected")
        appliance.wait_for_log("fleet")

        gateway = VerboseGateway(folder, "gate")
        self.addCleanup(gateway.folder_handle.cleanup)
        # All below the appliance's state is searched.
        gateway.state = appliance.state / "gateway"
        gateway.start()
        self.stop(gateway)

    def access_keys(self, appliance):
        """Uses keys of topics and hooks in each place that clients put them: right, wrong and ended ones."""
        wrong = "tk_" + "z" * 29
        self.secrets["a wrong access key"] = wrong
        servers = [f"https://localhost:{appliance.port}", f"http://{appliance.report('state')['httpAddress']}"]
        for way, name in (("topic", "parcels"), ("hook", "ci")):
            appliance.run(way, "add", name, "--app", APP)
            keys = [appliance.report(way, "key", name)["key"]]
            for server in servers:
                self.use(appliance, way, server, keys[0], "200")
            keys.append(appliance.report(way, "key", name)["key"])
            for number, key in enumerate(keys, 1):
                self.secrets[f"key {number} of {way} {name}"] = key
            # Few are refused: further answers would be delayed.
            for server, key, status in ((servers[0], keys[1], "200"), (servers[0], keys[0], "401"),
                                        (servers[1], wrong, "401")):
                self.use(appliance, way, server, key, status)
            self.said.append(appliance.run(way, "list", "--json") + appliance.run(way, "list"))

    def use(self, appliance, way, server, key, status):
        auth = base64.b64encode(f"Bearer {key}".encode()).decode().rstrip("=")
        basic = base64.b64encode(f":{key}".encode()).decode()
        self.secrets |= {f"?auth= of {key[:6]}": auth, f"Basic of {key[:6]}": basic}
        if way == "topic":
            requests = [
                (status, "--data", "x", "--header", f"Authorization: Bearer {key}", f"{server}/parcels"),
                (status, "--data", "x", "--user", f":{key}", f"{server}/parcels"),
                (status, "--data", "x", f"{server}/parcels?auth={auth}"),
                (status, "--header", f"Authorization: Bearer {key}", f"{server}/parcels/json?poll=1&since=all"),
                (status, "--upload-file", "-", "--header", f"Authorization: Bearer {key}", f"{server}/parcels"),
                (None, "--data", "x", "--header", f"Authorization: Bearer {key}", f"{server}/other"),
                (None, "--data", '{"topic":', "--header", f"Authorization: Bearer {key}", server),
                (None, "--data", "message=x", "--header", f"X-Gotify-Key: {key}", f"{server}/message"),
                (None, "--data", "message=x", f"{server}/message?token={key}"),
                (None, "--data", "message=x", "--header", f"Authorization: Bearer {key}", f"{server}/message"),
                (None, "--data", "nothing=x", f"{server}/message?token={key}")]
        else:
            requests = [
                (status, "--data", "x", f"{server}/h/{key}"), (None, f"{server}/h/{key}"),
                (None, "--data", "{", "--header", "Content-Type: application/json", f"{server}/h/{key}"),
                (None, "--data", "x", f"{server}/h/{key}/more"), (None, "--request", "DELETE", f"{server}/h/{key}")]
        versions = ("--http1.1", "--http2") if status == "200" else ("--http2",)
        for version in versions:
            for due, *words in requests if status == "200" else requests[::2]:
                answer = self.curl(appliance, version, "--write-out", "\n%{http_code}", *words)
                if due:
                    self.assertEqual(answer.rsplit("\n", 1)[1], due, words)

    def the_panel(self, appliance):
        """Uses a link, a password and their sessions; wrong ones; and after they have ended."""
        password, wrong = "panel-horse-battery-staple", "wrong-panel-battery-staple"
        self.secrets |= {"the panel's password": password, "a wrong panel's password": wrong}
        file = appliance.secret(password)
        self.said.append(appliance.run("panel", "password", file))
        file.unlink()
        link = appliance.report("panel", "address")["url"]
        token = re.split("[#=/?]", link)[-1]
        self.secrets["the panel's link"] = token

        def send(method, path, body=None, **fields):
            with contextlib.closing(
                    http.client.HTTPConnection("127.0.0.1", self.panel, timeout=PATIENCE_SECONDS)) as connection:
                answer = ask(connection, method, path, body and json.dumps(body), {
                    "Content-Type": "application/json", "Deskbell-Panel": "page",
                    **{name.replace("_", "-"): value for name, value in fields.items()}})
            return answer.status, answer.headers, answer.text

        for what, credential in (("link", {"token": token}), ("password", {"password": password})):
            status, fields, text = send("POST", "/session", credential)
            self.assertEqual(status, 200, text)
            cookie = fields["Set-Cookie"].partition(";")[0]
            own = {"Cookie": cookie, "Deskbell_Panel": json.loads(text)["key"]}
            self.secrets |= {f"the panel's cookie by {what}": cookie.partition("=")[2],
                             f"the panel's session key by {what}": own["Deskbell_Panel"]}
            for method, path, due in (("GET", "/v1/state", 200), ("GET", "/v1/nothing", 404), ("DELETE", "/session", 204),
                                      ("GET", "/v1/state", 401)):
                status, _, text = send(method, path, **own)
                self.assertEqual(status, due, text)
                self.said.append(text)
        for credential in ({"token": token}, {"password": wrong}, {"token": wrong, "password": password}):
            status, _, text = send("POST", "/session", credential)
            self.assertIn(status, (400, 401, 429))
            self.said.append(text)

    def an_app_s_key(self, appliance):
        """Signs an acknowledgement to an unreachable receiver; and makes a second key."""
        manifest = f"id: com.example.pump\nname: Pump\nacknowledge: http://127.0.0.1:{free_port()}/seen\n"
        self.said.append(appliance.run("app", "install", appliance.bundle(manifest)))
        self.secrets["key 1 of the app"] = appliance.run("app", "key", "com.example.pump").strip()
        appliance.run("settings", "com.example.pump", "style", "alert")
        self.said.append(appliance.run("push", "com.example.pump", "--body", "Pump 3", "--json"))
        appliance.run("press", "close")
        appliance.wait_for_event("call-failed")
        self.secrets["key 2 of the app"] = appliance.run("app", "key", "com.example.pump", "--new").strip()
        self.said += [appliance.run("app", "list", "--json"),
                      appliance.command("doctor", "--json", check=False).stdout]

    def push(self, appliance):
        now = int(time.time())
        good = self.remember("a good provider token", appliance.bearer())
        self.assertEqual(appliance.curl(GOOD, bearer=good)[0], 200)
        for what, changes in {
            "an expired provider token": {"iat": now - 4000}, "one of the future": {"iat": now + 4000},
            "another key's": {"key": make_key()}, "another team's": {"iss": "OTHER12345"},
            "an unknown key's": {"kid": "OTHER12345"}, "one of an odd key": {"kid": "x" * 300},
        }.items():
            bearer = self.remember(what, appliance.bearer(**changes))
            self.assertEqual(appliance.curl(GOOD, bearer=bearer)[0], 403, what)
        for what, bearer in {
            "a cut provider token": good[:-9], "a long one": good + "A" * 3000, "one of four parts": good + ".x",
            "one in another alphabet": good.replace(".", ".+"),
        }.items():
            self.assertIn(appliance.curl(GOOD, bearer=bearer)[0], (400, 403), what)
        for headers in ({"authorization": f"Basic {BASIC}"}, {"authorization": good}, {"authorization": "bearer"}):
            self.assertEqual(appliance.curl(GOOD, headers=headers)[0], 403)
        for payload in ("{oops", "", "[]", "x" * 5000):
            appliance.curl(payload, bearer=good)
        appliance.curl(GOOD, bearer=good, topic="com.example.other")
        appliance.curl(GOOD, bearer=good, headers={"apns-id": "x", "apns-collapse-id": "c" * 65})
        appliance.curl(GOOD, bearer=good, token=appliance.token + "/further")
        self.curl(appliance, "--http2", "--request", "DELETE", "--header", f"authorization: bearer {good}",
                  f"https://localhost:{appliance.port}/3/device/{appliance.token}")

    def keys_that_are_refused(self, appliance):
        good = make_key()
        cut = good.splitlines()
        keys = {
            "a key of another curve": make_key(ec.SECP384R1()), "a cut key": "\n".join(cut[:2] + cut[-1:]),
            "a key without its frame": "\n".join(cut[1:-1]),
            "an encrypted key": make_key(encryption=serialization.BestAvailableEncryption(PASSWORD.encode()))}
        path = appliance.folder / "refused.p8"
        for what, key in keys.items():
            for number, line in enumerate(lines_of(key), 1):
                self.secrets[f"{what}, line {number}"] = line
            path.write_text(key)
            done = appliance.command(
                "provider", "add", "refused", "--apps", APP, "--team", TEAM, "--key-id", KEY_ID, "--key", path,
                check=False)
            self.assertEqual(done.returncode, 1, what)
            self.said.append(done.stdout + done.stderr)
            # And without our own command, in JSON with a mistake elsewhere.
            body = json.dumps({"apps": APP, "teamID": TEAM, "keyID": KEY_ID, "key": key})
            for text in (body, body[:-1]):
                self.curl(appliance, "--unix-socket", appliance.environment["DESKBELL_CONTROL"], "--request", "PUT",
                          "--data", text, "http://localhost/v1/providers/refused")
        self.said.append(appliance.run("provider", "list", "--json") + appliance.run("state", "--json"))

    def certificates(self, appliance):
        """Uses a provider's certificate, whose file also holds the key, and a stranger's."""
        payload = {"url": f"https://localhost:{appliance.port}/3/device/{appliance.token}"}
        for name, status in {"own": "200", "stranger": "403"}.items():
            path = certificates.make(appliance.folder, name, topic=APP)
            for number, line in enumerate(lines_of((appliance.folder / f"{name}.key").read_text()), 1):
                self.secrets[f"the key of certificate '{name}', line {number}"] = line
            if name == "own":
                self.said.append(appliance.run("provider", "add", name, "--certificate", path))
            self.assertEqual(self.curl(
                appliance, "--http2", "--cert", str(path), "--header", f"apns-topic: {APP}", "--data-binary", "@-",
                "--output", "/dev/null", "--write-out", "%{http_code}", payload["url"]), status)
        # The key instead of the certificate, and the whole file without our own command.
        for text in ((appliance.folder / "own.key").read_text(), path.read_text()):
            self.curl(appliance, "--unix-socket", appliance.environment["DESKBELL_CONTROL"], "--request", "PUT",
                      "--data", json.dumps({"apps": [APP], "certificate": text}),
                      "http://localhost/v1/providers/refused")
        done = appliance.command(
            "provider", "add", "refused", "--certificate", appliance.folder / "own.key", check=False)
        self.assertEqual(done.returncode, 1)
        self.said.append(done.stdout + done.stderr)

    def publish(self, appliance):
        """Uses the 2008 service with a right password, with a wrong one, and with our own command."""
        wrong = "wrong-horse-battery-staple"
        other = "another-horse-battery-staple"
        self.secrets |= {
            "the password": PASSWORD, "user and password": BASIC, "a wrong password": wrong,
            "a user and a wrong password": base64.b64encode(f"{APP}:{wrong}".encode()).decode(),
            "the password that came after": other}
        secret = appliance.folder / "secret.txt"
        secret.write_text(PASSWORD + "\n")
        self.said.append(appliance.run("provider", "add", "post", "--apps", APP, "--password-file", secret))
        device = appliance.report("state")["deviceID"]
        node = f"https://localhost:{appliance.port}/{APP}/{device}/Inbox"
        status = ("--output", "/dev/null", "--write-out", "%{http_code}")
        parcel = '<plist><dict><key>Badge</key><integer>1</integer></dict></plist>'
        for way in ("--http1.1", "--http2"):
            for password, expected in ((PASSWORD, "200"), (wrong, "401")):
                for words in (("--request", "POST", node + "?action=create"),
                              ("--request", "PUT", "--data-binary", parcel, node), (node,),
                              ("--request", "PUT", "--data-binary", "no list", node)):
                    due = "415" if expected == "200" and "no list" in words else expected
                    self.assertEqual(
                        self.curl(appliance, way, "--user", f"{APP}:{password}", *status, *words), due)
            # In base64 in the wrong place, and a field that is no credential at all.
            for field in (f"Basic !{BASIC}", f"Basic {PASSWORD}", f"Bearer {BASIC}", BASIC):
                self.assertEqual(
                    self.curl(appliance, way, "--header", f"Authorization: {field}", *status, node), "401", field)
        self.said.append(appliance.run(
            "push", APP, "--via", "2008", "--body", "x", "--password-file", secret, "--json"))
        secret.write_text(other + "\n")
        self.said.append(appliance.run("provider", "add", "post", "--apps", APP, "--password-file", secret))
        done = appliance.command("provider", "add", "refused", "--apps", "no app", "--password-file", secret, check=False)
        self.assertNotEqual(done.returncode, 0)
        self.said.append(done.stdout + done.stderr + appliance.run("provider", "list", "--json"))
        for text in (json.dumps({"apps": [APP], "password": other, "teamID": TEAM}), '{"password":"' + other + '",'):
            self.curl(appliance, "--unix-socket", appliance.environment["DESKBELL_CONTROL"], "--request", "PUT",
                      "--data", text, "http://localhost/v1/providers/refused")
        secret.unlink()

    def other_protocols(self, appliance):
        server = f"https://localhost:{appliance.port}"
        for words in (
            ("--http1.1", "--user", f"{APP}:{PASSWORD}", "--upload-file", "-", f"{server}/{APP}/device/Inbox"),
            ("--http2", "--user", f"{APP}:{PASSWORD}", "--upload-file", "-", f"{server}/{APP}/device/Inbox"),
            ("--user", f"{APP}:{PASSWORD}", f"http://localhost:{appliance.port}/"),
        ):
            self.curl(appliance, *words)
        # No TLS, half of it, and a credential within a request that is not HTTP.
        for hello in (f"GET / HTTP/1.1\r\nAuthorization: Basic {BASIC}\r\n\r\n".encode(), b"\x16\x03\x01\x02\x00\x01\x00"):
            with socket.create_connection(("127.0.0.1", appliance.port), PATIENCE_SECONDS) as plain:
                plain.sendall(hello)
                plain.shutdown(socket.SHUT_WR)
                while plain.recv(4096):
                    pass
        with secured(appliance.port, appliance.ca) as stream, contextlib.suppress(OSError):
            stream.sendall(PREFACE + PASSWORD.encode() * 3)
            while stream.recv(4096):
                pass

    def curl(self, appliance, *words):
        done = subprocess.run(
            ["curl", "--silent", "--show-error", "--cacert", str(appliance.ca), "--max-time", "60", *words],
            input=GOOD, capture_output=True, text=True)
        # The server answers only the sender; still, the sender's logs should not need care.
        self.said.append(re.sub(r"^curl: .*$", "", done.stdout + done.stderr, flags=re.M))
        return done.stdout


class VerboseGateway(Gateway):
    """A gateway that logs everything."""

    def arguments(self, port):
        return [*super().arguments(port), "--log-level", "debug"]
