"""Prometheus reads the metrics as printed in docs/metrics.md, its alert goes to Alertmanager, and that rings."""

import os
import re
import tempfile
import unittest
from pathlib import Path

from Tests.Clients.monitoring import Alertmanager, Prometheus
from Tests.support.appliance import APP, Mailroom
from Tests.support.project import ROOT, free_port

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
        """The printed settings with this bell's panel, token and authority. On loopback the panel has no TLS."""
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
