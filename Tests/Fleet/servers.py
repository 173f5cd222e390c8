"""NATS servers from a fleet's folder: Debian 13's, a single static program that also runs on Debian 12."""

import hashlib
import lzma
import os
import shutil
import signal
import subprocess
import tarfile
import urllib.request
from io import BytesIO

from Tests.support.output import Output
from Tests.support.project import PATIENCE_SECONDS, ROOT

CACHE = ROOT / ".build/fleet"
VERSION = "2.10.27-1+b2"
PACKAGE = f"http://deb.debian.org/debian/pool/main/n/nats-server/nats-server_{VERSION}_amd64.deb"
SHA256 = "6d913ac987b78734c08537c2adeb1526cf735f216173a9170d94b185fcfe6f8a"


def program():
    """Returns the program, which is fetched once."""
    path = CACHE / f"nats-server-{VERSION}"
    if not path.exists():
        CACHE.mkdir(parents=True, exist_ok=True)
        with urllib.request.urlopen(PACKAGE, timeout=PATIENCE_SECONDS) as answer:
            package = answer.read()
        found = hashlib.sha256(package).hexdigest()
        assert found == SHA256, f"{PACKAGE} has SHA-256 {found} instead of {SHA256}"
        unpacked = path.with_name(f"{path.name}.{os.getpid()}")
        with tarfile.open(fileobj=BytesIO(lzma.decompress(member(package, b"data.tar.xz")))) as data:
            unpacked.write_bytes(data.extractfile("./usr/sbin/nats-server").read())
        unpacked.chmod(0o755)
        unpacked.rename(path)
    return path


def member(package, name):
    """Returns a file of an `ar` archive, the format of a .deb."""
    place = 8
    while place < len(package):
        header = package[place:place + 60]
        size = int(header[48:58])
        if header[:16].rstrip().rstrip(b"/") == name:
            return package[place + 60:place + 60 + size]
        place += 60 + size + size % 2
    raise AssertionError(f"the package has no {name}")


class Server:
    """A server of a fleet, which is started, killed and started again on the same files."""

    def __init__(self, folder, home, edit=None, disk=None):
        """`folder`: its own in the fleet's folder; `home`: the place of its copy and its data. `edit` changes its
        configuration, `disk` makes the disk for its data."""
        self.name, self.home, self.folder = folder.name, home / folder.name, folder
        self.edit, self.process, self.output = edit or (lambda text: text), None, None
        self.home.mkdir()
        self.disk = disk and disk(self.home / "data")
        self.update()

    def update(self):
        """Copies the changes of the fleet's administrator, as a person would."""
        shutil.copytree(self.folder, self.home / "etc", dirs_exist_ok=True)
        configuration = self.home / "etc/nats-server.conf"
        text = configuration.read_text()
        assert "store_dir: /var/lib/nats" in text or 'store_dir: "/var/lib/nats"' in text, text
        configuration.write_text(self.edit(text.replace("/var/lib/nats", str(self.home / "data")).replace(
            "/etc/nats/", f"{self.home / 'etc'}/")))
        if self.process:
            read = len(self.lines)
            self.process.send_signal(signal.SIGHUP)
            self.wait_for("Reloaded", read)

    def start(self):
        self.process = subprocess.Popen(
            [program(), "-c", self.home / "etc/nats-server.conf"], stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        self.output = Output(self.name, self.process.stderr)

    @property
    def lines(self):
        return self.output.lines if self.output else []

    def wait_for(self, text, after=0):
        self.output.wait_for(text, after=after)

    def kill(self):
        """Ends the server with kill -9."""
        if self.process:
            self.process.kill()
            self.finish()

    def finish(self):
        self.process.wait(PATIENCE_SECONDS)
        self.output.close()
        self.process = None
