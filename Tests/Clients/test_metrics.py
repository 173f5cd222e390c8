"""GET /metrics as read by Prometheus' own library, on the control socket and with a token at the panel's port; and GET
/v1/health as read by a monitor."""

import contextlib
import http.client
import json
import re

from prometheus_client.parser import text_string_to_metric_families

from Tests.support.appliance import APP, ApplianceCase, Mailroom
from Tests.support.curl import ask
from Tests.support.project import PATIENCE_SECONDS, ROOT, free_port

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
        before = self.value("deskbell_pushes_total", app=APP, type="alert") or 0
        presented = self.value("deskbell_outcomes_total", app=APP, outcome="presented", reason="") or 0
        inputs = self.value("deskbell_inputs_total")
        commits = self.value("deskbell_commit_seconds_count")
        requests = self.value("deskbell_provider_requests_total", provider="tests") or 0
        status, _, _ = self.appliance.curl('{"aps": {"alert": "hello", "badge": 7}}')
        self.assertEqual(status, 200)
        self.assertEqual(self.value("deskbell_pushes_total", app=APP, type="alert"), before + 1)
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
