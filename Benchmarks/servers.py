"""The compared servers: Deskbell, a plain Go server that stores the same pushes as durably, and nghttpd,
which stores nothing and answers with a file."""

import contextlib
import os
import struct
import subprocess
import tempfile
from pathlib import Path

from Tests.support.appliance import APP, Appliance
from Tests.support.project import DESKBELL, ROOT, free_port

BUILT = ROOT / ".build/bench"


def build():
    """The Go server, and the library that counts the waits for the disk."""
    BUILT.mkdir(parents=True, exist_ok=True)
    here = Path(__file__).parent
    subprocess.run(
        ["go", "build", "-tags", "libsqlite3", "-o", str(BUILT / "go-reference"), str(here / "reference/main.go")],
        check=True,
        env={**os.environ, "GO111MODULE": "off", "GOPATH": "/usr/share/gocode", "GOCACHE": str(BUILT / "go-cache")})
    subprocess.run(
        ["gcc", "-O2", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", "-o", str(BUILT / "syncs.so"),
         str(here / "syncs.c"), "-ldl"], check=True)


class DiskUse:
    """The bytes that a server with this `environment` writes, and its waits for the disk."""

    def __init__(self, folder, delay_microseconds=0):
        self.path = Path(folder) / "syncs"
        self.environment = {
            "LD_PRELOAD": str(BUILT / "syncs.so"), "SYNCS_FILE": str(self.path),
            "SYNC_DELAY_US": str(delay_microseconds)}

    def read(self):
        """Returns the number of waits, the bytes and the seconds waited."""
        waits, written, nanoseconds = struct.unpack("=QQQ", self.path.read_bytes())
        return waits, written, nanoseconds / 1e9


class Server:
    def __init__(self, name, pid, url, headers=(), disk=None):
        self.name, self.pid, self.url, self.headers, self.disk = name, pid, url, list(headers), disk


def unlimited(folder):
    """Writes a settings file without the limit that a single provider would soon reach."""
    path = Path(folder) / "settings.yaml"
    path.write_text("limits: { requests-per-second: 0 }\n")
    return path


# A card that takes every sound and is silent. It keeps no time: a sound has ended as soon as it is written.
CARD = "pcm.silent { type null }\n"


@contextlib.contextmanager
def deskbell(
        counting=False, delay_microseconds=0, program=DESKBELL, name="Deskbell", card=False, launcher=(), environment=None):
    """A daemon that may present everything. Without a `card` its sounds go to one that is not there."""
    with tempfile.TemporaryDirectory() as folder:
        disk = DiskUse(folder, delay_microseconds) if counting else None
        environment = {**(environment or {}), **(disk.environment if disk else {})}
        if card:
            environment["ALSA_CONFIG_PATH"] = f"{folder}/asound.conf"
            Path(environment["ALSA_CONFIG_PATH"]).write_text(CARD)
        appliance = Appliance(
            "--config", unlimited(folder), "--pcm", "silent" if card else "nowhere", wav=False,
            environment=environment, program=program, launcher=launcher)
        with appliance:
            appliance.install_mailroom()
            server = Server(
                name, appliance.process.pid, f"https://localhost:{appliance.port}/3/device/{appliance.token}",
                [f"authorization: bearer {appliance.bearer()}", f"apns-topic: {APP}", "apns-push-type: alert"], disk)
            server.appliance = appliance
            yield server


@contextlib.contextmanager
def go(server, counting=False, delay_microseconds=0):
    """The Go server, with the certificate of a Deskbell, and with the same requests."""
    tls = server.appliance.state / "tls"
    with tempfile.TemporaryDirectory() as folder:
        disk = DiskUse(folder, delay_microseconds) if counting else None
        process = subprocess.Popen(
            [str(BUILT / "go-reference"), "-database", f"{folder}/pushes.sqlite", "-cert", str(tls / "server.pem"),
             "-key", str(tls / "server-key.pem"), "-bearer", server.headers[0].rsplit(" ", 1)[1]],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
            env={**os.environ, **(disk.environment if disk else {})})
        with process:
            try:
                port = int(process.stdout.readline())
                path = server.url.split("/", 3)[3]
                yield Server("Go", process.pid, f"https://localhost:{port}/{path}", server.headers, disk)
            finally:
                process.kill()


@contextlib.contextmanager
def nghttpd(server):
    tls = server.appliance.state / "tls"
    with tempfile.TemporaryDirectory() as folder:
        path = server.url.split("/", 3)[3]
        file = Path(folder) / path
        file.parent.mkdir(parents=True)
        file.write_text("")
        port = free_port()
        with subprocess.Popen(
                ["nghttpd", "-d", folder, str(port), str(tls / "server-key.pem"), str(tls / "server.pem")],
                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
            try:
                yield Server("nghttpd", process.pid, f"https://localhost:{port}/{path}")
            finally:
                process.kill()
