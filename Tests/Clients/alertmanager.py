"""Debian's Alertmanager, unpacked and not installed: a program in Go that rings, with the settings that a page prints.

It looks for its templates in /usr/share; so it needs root, for a mount namespace in which they are there.
"""

import functools
import json
import os
import subprocess
import time
from pathlib import Path

from appliance import PATIENCE_SECONDS, ROOT


@functools.cache
def unpacked():
    """The folder of Debian's own package, fetched once for each user."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "deskbell"
    cache.mkdir(parents=True, exist_ok=True)
    architecture = subprocess.run(
        ["dpkg", "--print-architecture"], capture_output=True, text=True, check=True).stdout.strip()
    folder = cache / f"alertmanager-bookworm-{architecture}"
    subprocess.run(
        [ROOT / "scripts/debian-root.sh", "bookworm", architecture, folder,
         "prometheus-alertmanager=/usr/bin/prometheus-alertmanager,/usr/share/prometheus/*"],
        check=True, capture_output=True)
    return folder


class Alertmanager:
    """One that sends every alert to `receiver`, lines of YAML in one line. `launcher` starts it in its own place."""

    def __init__(self, folder, receiver, launcher=(), environment=None, port=9093):
        self.folder, self.launcher = Path(folder), list(launcher)
        self.environment = {**os.environ, **(environment or {})}
        self.address = f"127.0.0.1:{port}"
        self.settings = self.folder / "alertmanager.yml"
        self.settings.write_text(
            "route: { receiver: bell, group_wait: 0s, group_interval: 1s, group_by: ['...'] }\n"
            f"receivers:\n  - name: bell\n    {receiver}\n")

    def __enter__(self):
        package = unpacked()
        mount = f"mount -t overlay none -o lowerdir={package}/usr/share:/usr/share /usr/share"
        self.process = subprocess.Popen(
            [*self.launcher, "unshare", "--mount", "sh", "-c", f'{mount} && exec "$0" "$@"',
             package / "usr/bin/prometheus-alertmanager", f"--config.file={self.settings}", f"--storage.path={self.folder / 'alerts'}",
             f"--web.listen-address={self.address}", "--cluster.listen-address="],
            env=self.environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        said = []
        for line in self.process.stderr:
            if "Listening on" in line:
                return self
            said.append(line)
        self.__exit__()
        raise AssertionError("Alertmanager did not start:\n" + "".join(said))

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        self.process.stderr.close()

    def post(self, *alerts):
        """Sends alerts to it, as Prometheus does: dictionaries of labels, annotations and times."""
        subprocess.run(
            [*self.launcher, "curl", "--silent", "--show-error", "--fail", "--max-time", str(PATIENCE_SECONDS),
             "--json", json.dumps(alerts), f"http://{self.address}/api/v2/alerts"], check=True, capture_output=True)


def alert(name, summary, resolved=False, **labels):
    """An alert that fires, or one that has ended a second ago."""
    now = time.time()
    moment = lambda seconds: time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds))
    return {
        "labels": {"alertname": name, **labels}, "annotations": {"summary": summary},
        "startsAt": moment(now - 60), "endsAt": moment(now - 1 if resolved else now + 600)}
