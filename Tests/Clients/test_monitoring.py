"""Programs that read the daemon: Prometheus and its library the metrics, a monitor the health, fail2ban the log. An
alert of Prometheus goes to Alertmanager, and that rings."""

import contextlib
import http.client
import json
import os
import re
import tempfile
import unittest
from pathlib import Path

from prometheus_client.parser import text_string_to_metric_families

from Tests.Clients.monitoring import Alertmanager, Prometheus
from Tests.support.appliance import APP, ApplianceCase, Mailroom
from Tests.support.curl import ask
from Tests.support.project import PATIENCE_SECONDS, ROOT, free_port

RULES = """\
groups:
  - name: desk
    rules:
      - alert: ManyParcels
        expr: deskbell_badge > 2
        labels: { severity: page }
        annotations: { summary: "{{ $value }} parcels wait" }
"""


@unittest.skipUnless(os.geteuid() == 0, "mounts need root")
class MonitoringTests(unittest.TestCase):
    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory(prefix="deskbell-")))
        self.port = free_port()
        self.bell = self.enterContext(Mailroom("--panel", f"127.0.0.1:{self.port}"))

    def scrape_configs(self):
        """Returns the printed settings with this bell's panel, token and authority. On loopback the panel has no TLS."""
        page = (ROOT / "docs/metrics.md").read_text()
        [text] = [text for text in re.findall(r"```yaml\n(.*?)```", page, re.DOTALL) if "scrape_configs" in text]
        (self.folder / "deskbell.token").write_text(self.bell.run("metrics", "token"))
        (self.folder / "deskbell-ca.pem").write_text(self.bell.run("ca"))
        return (text.replace("scheme: https", "scheme: http").replace("/etc/prometheus", str(self.folder))
                .replace("bell.local:2198", f"127.0.0.1:{self.port}"))

    def presented(self, after):
        return self.bell.wait_for_event("presented", after)

    def test_an_alert_of_prometheus_rings_and_its_end_takes_its_place(self):
        self.bell.run("settings", "quiet-hours", "00:00-23:59")
        hook = self.bell.report("hook", "add", "alerts", "--app", APP, "--template", "alertmanager")
        address = f"https://localhost:{self.bell.port}/h/{hook['key']}"
        receiver = f'webhook_configs: [{{ url: "{address}", http_config: {{ tls_config: {{ ca_file: {self.bell.ca} }} }} }}]'
        rules = [RULES, (ROOT / "examples/grafana/alerts.yaml").read_text()]
        with Alertmanager(self.folder, receiver) as manager, \
                Prometheus(self.folder, self.scrape_configs(), rules, manager):
            before = self.bell.report("state")["lastEvent"]
            self.bell.run("push", APP, "--badge", "3")
            last = self.presented(before)["sequence"]
            [shown] = self.bell.report("center")
            self.assertEqual((shown["title"], shown["body"], shown["level"]),
                             ("ManyParcels (firing)", "3 parcels wait", "time-sensitive"))
            self.bell.run("push", APP, "--badge", "0")
            self.presented(last)
        [shown] = self.bell.report("center")
        self.assertEqual((shown["title"], shown["level"]), ("ManyParcels (resolved)", "active"))


DASHBOARD = ROOT / "examples/grafana/dashboard.json"
ALERTS = ROOT / "examples/grafana/alerts.yaml"


def families(text):
    return {family.name: family for family in text_string_to_metric_families(text)}


def documented():
    """Returns the names in docs/metrics.md, each with its kind and labels."""
    rows = re.findall(r"^\| `(\w+)` \| (\w+) \| (.*?) \|", (ROOT / "docs/metrics.md").read_text(), re.M)
    return {name: (kind, set(re.findall(r"`(\w+)`", labels))) for name, kind, labels in rows}


class MetricsTests(ApplianceCase):
    @classmethod
    def make(cls):
        cls.port = free_port()
        return Mailroom("--panel", f"127.0.0.1:{cls.port}", settings="handsets: [desk, hall]\n")

    def scraped(self):
        return self.appliance.run("metrics")

    def value(self, name, **labels):
        for family in text_string_to_metric_families(self.scraped()):
            for sample in family.samples:
                if sample.name == name and sample.labels == labels:
                    return sample.value
        return None

    def ask(self, path, *, method="GET", **fields):
        """Sends a request to the panel's port; returns status, fields and body."""
        with contextlib.closing(
                http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE_SECONDS)) as connection:
            answer = ask(connection, method, path, headers=fields)
            return answer.status, answer.headers, answer.text

    def token(self):
        return self.appliance.run("metrics", "token").strip()

    def test_every_name_is_documented_with_its_kind_and_labels(self):
        self.appliance.curl('{"aps": {"alert": "hello", "badge": "many"}}')
        self.appliance.curl('{"aps": {"alert": "hello"}}', topic="com.example.other")
        scraped = self.scraped()
        kinds = dict(re.findall(r"^# TYPE (\w+) (\w+)$", scraped, re.M))
        known = documented()
        self.assertEqual(kinds, {name: kind for name, (kind, _) in known.items()})
        self.assertEqual(len(re.findall(r"^# HELP ", scraped, re.M)), len(kinds))
        for family in text_string_to_metric_families(scraped):
            for sample in family.samples:
                name = re.sub(r"_(bucket|sum|count)$", "", sample.name) if family.type == "histogram" else sample.name
                self.assertEqual(set(sample.labels) - {"le"}, known[name][1], sample)

    def test_what_a_push_counts(self):
        before = self.value(
            "deskbell_pushes_total", app=APP, push_type="alert", status="delivered_to_device") or 0
        presented = self.value("deskbell_outcomes_total", app=APP, outcome="presented", reason="") or 0
        inputs = self.value("deskbell_inputs_total")
        commits = self.value("deskbell_commit_seconds_count")
        requests = self.value("deskbell_provider_requests_total", provider="tests") or 0
        status, _, _ = self.appliance.curl('{"aps": {"alert": "hello", "badge": 7}}')
        self.assertEqual(status, 200)
        self.assertEqual(
            self.value("deskbell_pushes_total", app=APP, push_type="alert", status="delivered_to_device"), before + 1)
        self.assertEqual(self.value("deskbell_outcomes_total", app=APP, outcome="presented", reason=""), presented + 1)
        self.assertEqual(self.value("deskbell_provider_requests_total", provider="tests"), requests + 1)
        self.assertEqual(self.value("deskbell_badge", handset="desk"), 7)
        self.assertEqual(self.value("deskbell_badge", handset="hall"), 0)
        self.assertEqual(self.value("deskbell_apps", handset="desk"), 1)
        self.assertGreater(self.value("deskbell_inputs_total"), inputs)
        self.assertGreater(self.value("deskbell_commit_seconds_count"), commits)
        self.assertEqual(
            self.value("deskbell_commit_seconds_bucket", le="+Inf"), self.value("deskbell_commit_seconds_count"))
        self.assertEqual(self.value("deskbell_device_works", device="push gateway"), 1)

    def test_what_a_refusal_counts(self):
        before = self.value("deskbell_refused_requests_total", status="410") or 0
        refused = self.value("deskbell_refused_requests_total", status="400") or 0
        self.assertEqual(self.appliance.curl("{}", token="00" * 32)[0], 400)
        self.assertEqual(self.value("deskbell_refused_requests_total", status="400"), refused + 1)
        self.assertEqual(self.value("deskbell_refused_requests_total", status="410") or 0, before)

    def test_conditions(self):
        self.appliance.run("conditions", "silent", "on")
        self.assertEqual(self.value("deskbell_condition", handset="desk", condition="silent"), 1)
        self.assertEqual(self.value("deskbell_condition", handset="hall", condition="silent"), 0)
        self.appliance.run("conditions", "silent", "off")
        self.assertEqual(self.value("deskbell_condition", handset="desk", condition="silent"), 0)

    def test_the_dashboard_and_the_alerts_use_names_that_there_are(self):
        names = {sample.name for family in families(self.scraped()).values() for sample in family.samples}
        names |= set(documented())
        used = set(re.findall(r"\b(?:deskbell|process)_\w+", json.dumps(json.loads(DASHBOARD.read_text()))))
        used |= set(re.findall(r"\b(?:deskbell|process)_\w+", ALERTS.read_text()))
        self.assertEqual(used - names, set())
        self.assertGreater(len(used), 20)

    def test_the_token_opens_the_metrics_at_the_panels_port(self):
        self.appliance.command("metrics", "token", "--revoke", check=False)
        self.assertEqual(self.ask("/metrics")[0], 404)
        first = self.token()
        report = self.appliance.report("metrics", "token")
        self.assertEqual(report["url"], f"http://127.0.0.1:{self.port}/metrics")
        second = report["token"]
        status, fields, body = self.ask("/metrics", Authorization=f"Bearer {second}")
        self.assertEqual((status, fields["Content-Type"]), (200, "text/plain; version=0.0.4; charset=utf-8"))
        self.assertIn("deskbell_badge", families(body))
        status, fields, _ = self.ask("/metrics", Authorization=f"Bearer {first}")
        self.assertEqual((status, fields["WWW-Authenticate"]), (401, 'Bearer realm="deskbell metrics"'))
        self.assertEqual(self.ask("/metrics")[0], 401)
        # The token outlives the daemon.
        self.appliance.restart()
        self.assertEqual(self.ask("/metrics", Authorization=f"Bearer {second}")[0], 200)
        self.assertEqual(
            self.appliance.run("metrics", "token", "--revoke"),
            "the metrics have no token; they are on the control socket only\n")
        self.assertEqual(self.ask("/metrics", Authorization=f"Bearer {second}")[0], 404)
        self.assertIn("the metrics have no token", self.appliance.refusal("metrics", "token", "--revoke"))

    def test_health(self):
        self.assertEqual(self.appliance.ask("/v1/health"), {"status": "ok", "problems": []})
        self.assertEqual(self.ask("/v1/health")[::2], (200, '{"status":"ok"}'))
        self.assertEqual(self.ask("/v1/health", method="HEAD")[::2], (200, ""))
        self.assertEqual(self.ask("/v1/health", Host="evil.example")[0], 421)
        self.assertEqual(self.ask("/v1/state")[0], 403)


GOOD = '{"aps": {"badge": 1}}'


class LogTests(unittest.TestCase):
    def test_the_recipe_for_fail2ban_finds_refused_strangers_and_no_provider(self):
        text = (ROOT / "docs/http2.md").read_text()
        recipe = re.search("^failregex = (.*)$", text, re.MULTILINE)[1].replace("<ADDR>", r"(?P<address>\S+)")
        with Mailroom() as appliance:
            self.assertEqual(appliance.curl(GOOD, bearer="nonsense")[0], 403)
            self.assertEqual(appliance.curl(GOOD)[0], 200)
            self.assertEqual(appliance.curl("no json")[0], 400)
            self.assertEqual(appliance.curl(GOOD, token="00" * 32)[0], 400)
            appliance.stop()
            found = [match for line in appliance.errors if (match := re.search(recipe, line))]
            self.assertEqual([match["address"] for match in found], ["127.0.0.1"])
            self.assertIn("reason=InvalidProviderToken status=403", found[0][0])
