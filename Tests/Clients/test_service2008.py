"""The 2008 service with curl and httpx: every status of its table, in HTTP/1.1, HTTP/2 and without ALPN, a restart
between publishing and reading back, and the examples of its documentation."""

import base64
import json
import os
import re
import subprocess
from pathlib import Path

import httpx

from Tests.support.appliance import APP, ApplianceCase, Mailroom
from Tests.support.curl import curl
from Tests.support.http2_wire import client_context, secured
from Tests.support.project import DESKBELL, PATIENCE_SECONDS, ROOT

PASSWORD = "correct horse battery"
PARCEL = """<?xml version="1.0" encoding="UTF-8"?>
<plist version="1.0"><dict>
  <key>UIAlertBody</key><string>A parcel &amp; a letter</string>
  <key>UIAlertShowOpenButton</key><false/>
  <key>UIApplicationBadge</key><integer>12</integer>
  <key>UIAlertSound</key><string>letter</string>
  <key>shelf</key><integer>3</integer>
</dict></plist>
"""
# The options of curl for each protocol.
WAYS = {"HTTP/1.1": ["--http1.1"], "HTTP/2": ["--http2"], "HTTP/1.1 without ALPN": ["--http1.1", "--no-alpn"],
        "HTTP/2 without ALPN": ["--http2-prior-knowledge", "--no-alpn"]}


def plist(inside):
    return f'<plist version="1.0"><dict>{inside}</dict></plist>'


class Provider:
    """A provider of 2008: curl, with its credentials."""

    def __init__(self, appliance, way=()):
        self.appliance, self.way = appliance, list(way)
        self.device = appliance.report("state")["deviceID"]

    def url(self, path=None):
        return f"https://localhost:{self.appliance.port}" + (path or f"/{APP}/{self.device}/Inbox")

    def call(self, method, *, path=None, query="", body=None, user=f"{APP}:{PASSWORD}", options=()):
        """Sends a request; returns the answer's status, body and header fields."""
        words = ["--cacert", self.appliance.ca, "--request", method, *self.way, *options]
        if method == "HEAD":
            words += ["--head"]
        if user:
            words += ["--user", user]
        if body is not None:
            words += ["--data-binary", "@-"]
        answer = curl(*words, self.url(path) + query, body=body or "")
        return answer.status, answer.text, answer.headers

    def create(self):
        return self.call("POST", query="?action=create")


class Service2008Tests(ApplianceCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.secret = cls.appliance.secret(PASSWORD)
        cls.appliance.run("provider", "add", "post", "--apps", f"{APP},com.example.elsewhere", "--password-file",
                          cls.secret)

    def test_four_calls_whichever_way(self):
        for name, way in WAYS.items():
            with self.subTest(name):
                provider, before = Provider(self.appliance, way), self.appliance.last_sequence()
                self.assertEqual(provider.create()[0], 200)
                self.assertEqual(provider.create()[0], 200)
                status, body, fields = provider.call("PUT", body=PARCEL)
                self.assertEqual((status, body), (200, ""))
                events = [e for e in self.appliance.events(before) if e.get("push") == fields["push-id"]]
                self.assertEqual([e["event"] for e in events][:3], ["accepted", "badge", "presented"])
                listed = self.appliance.report("center")[0]
                self.assertEqual((listed["body"], listed["buttons"]), ("A parcel & a letter", ["OK"]))
                self.assertEqual(self.appliance.report("state")["presentation"]["badge"], 12)
                status, body, fields = provider.call("GET")
                self.assertEqual((status, body, fields["content-type"]), (200, PARCEL, "application/x-plist"))
                status, body, fields = provider.call("HEAD")
                self.assertEqual((status, body, fields["content-length"]), (200, "", str(len(PARCEL))))
                self.assertEqual(provider.call("POST", query="?action=delete")[0], 200)
                self.assertEqual(provider.call("POST", query="?action=delete")[0], 404)

    def test_every_status_of_the_table(self):
        long = plist("<key>Badge</key><integer>1</integer>" + " " * 1024)
        cases = [
            ("no user", dict(method="GET", user=None), 401, "Unauthorized"),
            ("wrong password", dict(method="GET", user=f"{APP}:wrong password"), 401, "Unauthorized"),
            ("unknown user", dict(method="GET", user=f"com.example.nobody:{PASSWORD}"), 401, "Unauthorized"),
            ("another's publisher", dict(method="GET", path="/com.example.other/{}/Inbox"), 403, "Forbidden"),
            ("unknown device", dict(method="POST", path=f"/{APP}/00/Inbox", query="?action=create"), 404,
             "UnknownDevice"),
            ("app not installed", dict(method="POST", path="/com.example.elsewhere/{}/Inbox", query="?action=create"),
             404, "UnknownPublisher"),
            ("no node", dict(method="PUT", path=f"/{APP}/{{}}/Nowhere", body=PARCEL), 404, "UnknownNode"),
            ("nothing published", dict(method="GET", path=f"/{APP}/{{}}/Empty"), 404, "NothingPublished"),
            ("bad node name", dict(method="POST", path=f"/{APP}/{{}}/a%2Fb", query="?action=create"), 400,
             "BadNodeName"),
            ("bad badge", dict(method="PUT", body=plist("<key>Badge</key><integer>-1</integer>")), 400,
             "BadPropertyList"),
            ("no property list", dict(method="PUT", body='{"aps": {}}'), 415, "NotPropertyList"),
            ("form", dict(method="PUT", body="a=b"), 415, "NotPropertyList"),
            ("empty", dict(method="PUT", body=""), 415, "NotPropertyList"),
            ("one kilobyte and more", dict(method="PUT", body=long), 413, "PayloadTooLarge"),
            ("no such call", dict(method="DELETE"), 405, "MethodNotAllowed"),
            ("no such action", dict(method="POST", query="?action=feed"), 405, "MethodNotAllowed"),
        ]
        for name, way in WAYS.items():
            provider = Provider(self.appliance, way)
            provider.create()
            provider.call("POST", path=f"/{APP}/{provider.device}/Empty", query="?action=create")
            for case, request, status, reason in cases:
                with self.subTest(f"{case}, {name}"):
                    apps, before = self.appliance.report("app", "list"), self.appliance.last_sequence()
                    request = dict(request)
                    if "path" in request:
                        request["path"] = request["path"].format(provider.device)
                    answer = provider.call(**request)
                    self.assertEqual(answer[0], status, answer[1])
                    self.assertEqual(answer[2]["content-type"], "text/plain; charset=utf-8")
                    event = self.appliance.wait_for_event("refused", before)
                    self.assertEqual((event.get("status", status), event["reason"]), (status, reason))
                    self.assertEqual(self.appliance.report("app", "list"), apps)
                    if status == 401:
                        self.assertEqual(answer[2]["www-authenticate"], 'Basic realm="Deskbell", charset="UTF-8"')
                    if status == 405:
                        self.assertEqual(answer[2]["allow"], "GET, HEAD, POST, PUT")

    def raw(self, *lines):
        """Sends these lines over HTTP/1.1; returns the whole answer, until the daemon ends its side."""
        with secured(self.appliance.port, self.appliance.ca) as stream:
            stream.sendall("".join(line + "\r\n" for line in [*lines, ""]).encode())
            answer = b""
            while part := stream.recv(4096):
                answer += part
        return answer.decode()

    def test_one_host(self):
        for hosts, status in [(["a"], 404), ([], 400), (["a", "a"], 400)]:
            with self.subTest(hosts):
                answer = self.raw("GET / HTTP/1.1", "Connection: close", *[f"Host: {host}" for host in hosts])
                self.assertEqual(int(answer.split()[1]), status, answer)

    def test_a_wrong_password_is_not_told_to_go_on(self):
        provider = Provider(self.appliance)
        basic = base64.b64encode(f"{APP}:wrong password".encode()).decode()
        answer = self.raw(
            f"PUT /{APP}/{provider.device}/Inbox HTTP/1.1", "Host: a", f"Authorization: Basic {basic}",
            "Content-Length: 100", "Expect: 100-continue")
        self.assertEqual(re.findall(r"^HTTP/1.1 (\d+)", answer, re.M), ["401"], answer)

    def test_no_node_is_called_dot_dot(self):
        provider = Provider(self.appliance)
        for name in ["..", ".", "%2e%2e"]:
            with self.subTest(name):
                answer = self.raw(
                    f"POST /{APP}/{provider.device}/{name}?action=create HTTP/1.1", "Host: a", "Connection: close",
                    "Authorization: Basic " + base64.b64encode(f"{APP}:{PASSWORD}".encode()).decode())
                self.assertEqual(int(answer.split()[1]), 400, answer)

    def test_the_provider_api_needs_http2(self):
        status, body, _ = Provider(self.appliance, ["--http1.1"]).call("POST", path="/3/device/00", body="{}")
        self.assertEqual((status, "HTTP/2" in body), (505, True))

    def test_what_was_published_survives_a_restart_and_a_power_cut(self):
        with Mailroom() as appliance:
            appliance.run("provider", "add", "post", "--apps", APP, "--password-file", self.secret)
            provider = Provider(appliance)
            self.assertEqual(provider.create()[0], 200)
            self.assertEqual(provider.call("PUT", body=PARCEL)[0], 200)
            for end in [appliance.stop, appliance.kill]:
                end()
                appliance.start()
                self.assertEqual(appliance.report("state")["deviceID"], provider.device)
                self.assertEqual(provider.call("GET")[:2], (200, PARCEL))
            appliance.run("app", "unregister", APP)
            self.assertEqual(provider.call("PUT", body=PARCEL)[0], 410)
            self.assertEqual(provider.call("GET")[:2], (200, PARCEL))
            appliance.run("app", "uninstall", APP)
            for call in [("PUT", "", PARCEL), ("GET", "", None), ("POST", "?action=delete", None)]:
                status, body, _ = provider.call(call[0], query=call[1], body=call[2])
                self.assertEqual((status, "uninstalled" in body), (410, True))
            # A removed password gives no access.
            appliance.run("provider", "remove", "post")
            self.assertEqual(provider.call("GET")[0], 401)
            # The password is nowhere on disk, and only its owner can read the database.
            self.assertEqual(appliance.files_with(PASSWORD), [])
            self.assertEqual(os.stat(appliance.state / "deskbell.sqlite").st_mode & 0o777, 0o600)

    def test_httpx(self):
        context = client_context(self.appliance.ca)
        provider = Provider(self.appliance)
        for http2 in [False, True]:
            with self.subTest(http2=http2), httpx.Client(
                    verify=context, http2=http2, auth=(APP, PASSWORD), timeout=PATIENCE_SECONDS) as client:
                url = provider.url()
                made = client.post(url, params={"action": "create"})
                self.assertEqual((made.status_code, made.http_version), (200, "HTTP/2" if http2 else "HTTP/1.1"))
                for number in range(1, 20):
                    body = plist(f"<key>UIApplicationBadge</key><integer>{number}</integer>")
                    self.assertEqual(client.put(url, content=body).status_code, 200)
                    self.assertEqual(client.get(url).text, body)
                self.assertEqual(self.appliance.report("state")["presentation"]["badge"], 19)
                # Chunked, in HTTP/1.1.
                self.assertEqual(client.put(url, content=iter([body[:20].encode(), body[20:].encode()])).status_code, 200)
                self.assertEqual(client.put(url, content="x" * 1025).status_code, 413)

    def test_deskbell_push(self):
        environment = {**self.appliance.environment, "XDG_CONFIG_HOME": str(self.appliance.folder / "config")}
        with Mailroom(environment={"XDG_CONFIG_HOME": environment["XDG_CONFIG_HOME"]}) as appliance:
            for number in [1, 2]:
                answer = appliance.report("push", APP, "--via", "2008", "--body", f"Letter <{number}>", "--badge", number)
                self.assertEqual(answer["status"], 200)
            events = [e["event"] for e in appliance.events() if e.get("push") == answer["id"]]
            self.assertEqual(events[:3], ["accepted", "badge", "presented"])
            self.assertEqual(appliance.report("center")[0]["body"], "Letter <2>")
            self.assertEqual([p["credential"] for p in appliance.report("provider", "list")], ["password", "token"])
            many = appliance.report(
                "push", APP, "--via", "2008", "--badge", 3, "--repeat", 30, "--rate", "300/s")
            self.assertEqual((many["accepted"], many["refused"], many["retries"]), (30, 0, 0))
            self.assertEqual(many["results"], [{"status": 200, "count": 30}])
            self.assertGreaterEqual(many["milliseconds"], 29 * 1000 // 300)
            badges = [e for e in appliance.events() if e["event"] == "accepted"]
            self.assertEqual(len(badges), 32)
            refused = appliance.command(
                "push", APP, "--via", "2008", "--body", "x", "--repeat", "5", "--password-file", self.secret, check=False)
            self.assertEqual((refused.returncode, "401" in refused.stdout), (1, True))
            usage = appliance.refusal("push", APP, "--via", "2008", "--title", "x", status=2)
            self.assertIn("The 2008 service has no --title", usage)

    def test_the_documented_examples(self):
        text = (ROOT / "docs/service2008.md").read_text()
        blocks = re.findall(r"^```sh\n(.*?)^```", text, re.S | re.M)
        self.assertEqual(len(blocks), 6)
        with Mailroom() as appliance:
            script = "\n".join(blocks).replace("localhost:2197", f"localhost:{appliance.port}")
            environment = {**appliance.environment, "PATH": f"{Path(DESKBELL).parent}:{os.environ['PATH']}"}
            done = subprocess.run(
                ["bash", "-euo", "pipefail", "-c", script], cwd=appliance.folder, env=environment,
                capture_output=True, text=True, timeout=PATIENCE_SECONDS)
            self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
            listed = appliance.report("center")[0]
            self.assertEqual((listed["body"], listed["buttons"]), ("A parcel for Ada", ["Close", "Sort"]))
            self.assertEqual(json.loads(appliance.run("provider", "list", "--json"))[0]["name"], "post")
