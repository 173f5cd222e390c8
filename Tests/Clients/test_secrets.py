"""Every credential, every failure, the most talkative log: and nowhere a secret that somebody could read later."""

import base64
import json
import re
import socket
import ssl
import subprocess
import time
import unittest

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec

import certificates
from appliance import APP, KEY_ID, TEAM, Appliance

GOOD = json.dumps({"aps": {"alert": "hello", "badge": 3}})
PASSWORD = "correct-horse-battery-staple"
BASIC = base64.b64encode(f"{APP}:{PASSWORD}".encode()).decode()


def private_key(curve=ec.SECP256R1(), encryption=serialization.NoEncryption()):
    return ec.generate_private_key(curve).private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, encryption).decode()


def lines_of(pem):
    """What a PEM text is secret for: its lines, without the last one if it is too short to be distinctive."""
    return [line for line in pem.splitlines() if len(line) > 40 and not line.startswith("-----")]


class SecretsTests(unittest.TestCase):
    def test_no_secret_is_written_down(self):
        with Appliance("--log-level", "debug") as appliance:
            journal = appliance.folder / "inputs.journal"
            appliance.stop()
            appliance.options += ["--journal", str(journal)]
            appliance.start()
            appliance.install_mailroom()
            self.secrets = {f"the provider's key, line {number}": line
                            for number, line in enumerate(lines_of(appliance.key), 1)}
            self.said = []
            self.secrets["the token of the metrics"] = appliance.run("metrics", "token").strip()

            self.push(appliance)
            self.keys_that_are_refused(appliance)
            self.certificates(appliance)
            self.publish(appliance)
            self.other_protocols(appliance)

            # The last failure is in the journal, so all before it are.
            appliance.wait_for_event(lambda event: event.get("detail", "").startswith("method 'DELETE'"))
            for key in (appliance.state / "tls").glob("*key*"):
                self.secrets[f"tls/{key.name}"] = lines_of(key.read_text())[0]
            self.assertGreater(len(self.secrets), 10)
            events = appliance.run("events", "--json", "--since", "0")
            appliance.stop()

            places = {
                "standard error": "\n".join(appliance.errors), "standard output": "\n".join(appliance.lines),
                "the events": events, "the journal of inputs": journal.read_text(),
                "what commands said": "\n".join(self.said)}
            # Of a provider's key only the public half is kept.
            for path in appliance.state.rglob("*"):
                if path.is_file() and "key" not in path.name:
                    places[f"state/{path.relative_to(appliance.state)}"] = path.read_bytes().decode("latin-1")
            for secret, text in self.secrets.items():
                for place, content in places.items():
                    self.assertFalse(text in content, f"{secret} is in {place}")
            # A device token opens nothing by itself, and commands show it; a log and an event have no use for it.
            for place in ("standard error", "standard output", "the events"):
                self.assertFalse(appliance.token in places[place], f"the device token is in {place}")
            # That much was written at all: the failures are there, without what caused them.
            self.assertIn("TLS handshake failed", places["standard error"])
            for reason in ("InvalidProviderToken", "ExpiredProviderToken", "MissingProviderToken", "Unauthorized",
                           "BadCertificate"):
                self.assertIn(reason, places["the events"])

    def remember(self, what, bearer):
        """A provider token is good for an hour: neither it nor its signature may be seen."""
        self.secrets[what] = bearer
        self.secrets[f"{what}, its signature"] = bearer.rsplit(".", 1)[1]
        return bearer

    def push(self, appliance):
        now = int(time.time())
        good = self.remember("a good provider token", appliance.bearer())
        self.assertEqual(appliance.curl(GOOD, bearer=good)[0], 200)
        for what, changes in {
            "an expired provider token": {"iat": now - 4000}, "one of the future": {"iat": now + 4000},
            "another key's": {"key": private_key()}, "another team's": {"iss": "OTHER12345"},
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
        good = private_key()
        cut = good.splitlines()
        keys = {
            "a key of another curve": private_key(ec.SECP384R1()), "a cut key": "\n".join(cut[:2] + cut[-1:]),
            "a key without its frame": "\n".join(cut[1:-1]),
            "an encrypted key": private_key(encryption=serialization.BestAvailableEncryption(PASSWORD.encode()))}
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
            # And past our own command, in JSON that is wrong in another place.
            body = json.dumps({"apps": APP, "teamID": TEAM, "keyID": KEY_ID, "key": key})
            for text in (body, body[:-1]):
                self.curl(appliance, "--unix-socket", appliance.environment["DESKBELL_CONTROL"], "--request", "PUT",
                          "--data", text, "http://localhost/v1/providers/refused")
        self.said.append(appliance.run("provider", "list", "--json") + appliance.run("state", "--json"))

    def certificates(self, appliance):
        """A provider's certificate, whose file holds the key behind it, and a stranger's."""
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
        # The key instead of the certificate, and the whole file past our own command.
        for text in ((appliance.folder / "own.key").read_text(), path.read_text()):
            self.curl(appliance, "--unix-socket", appliance.environment["DESKBELL_CONTROL"], "--request", "PUT",
                      "--data", json.dumps({"apps": [APP], "certificate": text}),
                      "http://localhost/v1/providers/refused")
        done = appliance.command(
            "provider", "add", "refused", "--certificate", appliance.folder / "own.key", check=False)
        self.assertEqual(done.returncode, 1)
        self.said.append(done.stdout + done.stderr)

    def publish(self, appliance):
        """The 2008 service, by a provider whose password is right, by one whose is not, and by our own command."""
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
            # In base64 where a person put it into the wrong place, and a field that is no credential at all.
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
        # No TLS, half of it, and a credential in the middle of what is no HTTP.
        for hello in (f"GET / HTTP/1.1\r\nAuthorization: Basic {BASIC}\r\n\r\n".encode(), b"\x16\x03\x01\x02\x00\x01\x00"):
            with socket.create_connection(("127.0.0.1", appliance.port)) as plain:
                plain.sendall(hello)
                plain.shutdown(socket.SHUT_WR)
                plain.settimeout(60)
                while plain.recv(4096):
                    pass
        context = ssl.create_default_context(cafile=str(appliance.ca))
        with socket.create_connection(("127.0.0.1", appliance.port)) as plain:
            with context.wrap_socket(plain, server_hostname="localhost") as secure:
                secure.sendall(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + PASSWORD.encode() * 3)
                secure.settimeout(60)
                try:
                    while secure.recv(4096):
                        pass
                except (ssl.SSLError, OSError):
                    pass

    def curl(self, appliance, *words):
        done = subprocess.run(
            ["curl", "--silent", "--show-error", "--cacert", str(appliance.ca), "--max-time", "60", *words],
            input=GOOD, capture_output=True, text=True)
        # The server answers only the sender; still, the sender's logs should not need care.
        self.said.append(re.sub(r"^curl: .*$", "", done.stdout + done.stderr, flags=re.M))
        return done.stdout
