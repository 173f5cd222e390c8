"""Debian's Prometheus and Alertmanager, unpacked and not installed: with the settings printed on our pages, they ring.

They need files in /usr/share, so they need root, for a mount namespace with these files.
"""

import functools
import json
import os
import subprocess
import time
from pathlib import Path

from Tests.support.output import Output
from Tests.support.project import PATIENCE_SECONDS, ROOT, free_port


@functools.cache
def unpacked(package):
    """Returns the folder of Debian's own package, fetched once for each user."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "deskbell"
    cache.mkdir(parents=True, exist_ok=True)
    architecture = subprocess.run(
        ["dpkg", "--print-architecture"], capture_output=True, text=True, check=True).stdout.strip()
    folder = cache / f"{package}-bookworm-{architecture}"
    subprocess.run(
        [ROOT / "scripts/debian-root.sh", "bookworm", architecture, folder,
         f"{package}=/usr/bin/{package},/usr/share/prometheus/*"],
        check=True, capture_output=True)
    return folder


class Program:
    """A program of the Debian package with its name. `launcher` is the command that starts it."""

    name = ready = None

    def __init__(self, folder, launcher=(), environment=None, port=None):
        self.folder, self.launcher = Path(folder), list(launcher)
        self.environment = {**os.environ, **(environment or {})}
        self.address = f"127.0.0.1:{port or free_port()}"
        self.settings = self.folder / f"{self.name}.yml"

    def options(self):
        return [f"--config.file={self.settings}", f"--web.listen-address={self.address}"]

    def __enter__(self):
        package = unpacked(self.name)
        mount = f"mount -t overlay none -o lowerdir={package}/usr/share:/usr/share /usr/share"
        self.process = subprocess.Popen(
            [*self.launcher, "unshare", "--mount", "sh", "-c", f'{mount} && exec "$0" "$@"',
             package / "usr/bin" / self.name, *self.options()],
            env=self.environment, cwd=self.folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE, text=True)
        self.output = Output(self.name, self.process.stderr)
        try:
            self.output.wait_for(self.ready)
        except AssertionError:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        self.output.close()


class Alertmanager(Program):
    """An Alertmanager that sends every alert to `receiver`, lines of YAML in one line."""

    name, ready = "prometheus-alertmanager", "Listening on"

    def __init__(self, folder, receiver, *rest, **others):
        super().__init__(folder, *rest, **others)
        self.settings.write_text(
            "route: { receiver: bell, group_wait: 0s, group_interval: 1s, group_by: ['...'] }\n"
            f"receivers:\n  - name: bell\n    {receiver}\n")

    def options(self):
        return [*super().options(), f"--storage.path={self.folder / 'alerts'}", "--cluster.listen-address="]

    def post(self, *alerts):
        """Sends alerts to it, as Prometheus does: dictionaries of labels, annotations and times."""
        subprocess.run(
            [*self.launcher, "curl", "--silent", "--show-error", "--fail", "--max-time", str(PATIENCE_SECONDS),
             "--json", json.dumps(alerts), f"http://{self.address}/api/v2/alerts"], check=True, capture_output=True)


class Prometheus(Program):
    """A Prometheus that scrapes each second, and sends alerts by `rules`, texts of YAML, to an Alertmanager."""

    name, ready = "prometheus", "Server is ready to receive web requests"

    def __init__(self, folder, scrape_configs, rules, manager, *rest, **others):
        super().__init__(folder, *rest, **others)
        for number, text in enumerate(rules):
            (self.folder / f"rules-{number}.yml").write_text(text)
        self.settings.write_text(
            "global: { scrape_interval: 1s, evaluation_interval: 1s }\n"
            f"rule_files: [{self.folder}/rules-*.yml]\n"
            f"alerting: {{ alertmanagers: [{{ static_configs: [{{ targets: ['{manager.address}'] }}] }}] }}\n"
            + scrape_configs)

    def options(self):
        return [*super().options(), f"--storage.tsdb.path={self.folder / 'figures'}"]


def alert(name, summary, resolved=False, **labels):
    """Returns an alert that fires, or one that has ended a second ago."""
    now = time.time()
    moment = lambda seconds: time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds))
    return {
        "labels": {"alertname": name, **labels}, "annotations": {"summary": summary},
        "startsAt": moment(now - 60), "endsAt": moment(now - 1 if resolved else now + 600)}
