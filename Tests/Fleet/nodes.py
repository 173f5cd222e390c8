#!/usr/bin/env python3
"""The nodes of a fleet on loopback: a pinned nats-server, started from the folder that `deskbell fleet init` made.

As a program it makes a fleet and runs its nodes until Ctrl-C: Tests/Fleet/nodes.py DESKBELL FOLDER [COUNT]
"""

import collections
import hashlib
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import urllib.request
from pathlib import Path

PATIENCE_SECONDS = 60
ROOT = Path(__file__).resolve().parents[2]
# Debian 13's, which is static: it runs on Debian 12 too.
PACKAGE = "nats-server_2.10.27-1+b2_amd64.deb"
ADDRESS = "http://deb.debian.org/debian/pool/main/n/nats-server/" + PACKAGE
SHA256 = "6d913ac987b78734c08537c2adeb1526cf735f216173a9170d94b185fcfe6f8a"


def server():
    """The nats-server, fetched when it is first needed into .build/fleet."""
    folder = ROOT / ".build" / "fleet"
    program = folder / SHA256[:12] / "usr" / "sbin" / "nats-server"
    if program.exists():
        return program
    folder.mkdir(parents=True, exist_ok=True)
    package = folder / PACKAGE
    if not package.exists() or digest(package) != SHA256:
        with urllib.request.urlopen(ADDRESS, timeout=PATIENCE_SECONDS) as answer:
            package.write_bytes(answer.read())
    if digest(package) != SHA256:
        raise SystemExit(f"{package} is not the one that is pinned: fetch {ADDRESS}, or pin another in {__file__}")
    with tempfile.TemporaryDirectory(dir=folder) as unpacked:
        subprocess.run(["dpkg-deb", "-x", package, unpacked], check=True)
        shutil.copytree(unpacked, program.parents[2], dirs_exist_ok=True)
    return program


def digest(file):
    return hashlib.sha256(file.read_bytes()).hexdigest()


def free_ports(count):
    """Ports that nobody has at the moment."""
    listeners = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [listener.getsockname()[1] for listener in listeners]
    for listener in listeners:
        listener.close()
    return ports


def make_fleet(deskbell, folder, count=3):
    """Runs `deskbell fleet init` with that many nodes on loopback, at random ports: a, b, c."""
    ports = free_ports(2 * count)
    nodes = [f"--node={chr(97 + index)}=127.0.0.1:{ports[2 * index]}:{ports[2 * index + 1]}" for index in range(count)]
    subprocess.run([deskbell, "fleet", "init", "--fleet", folder, *nodes], check=True, stdout=subprocess.PIPE)


class Node:
    """One nats-server."""

    def __init__(self, name, source, folder):
        self.name, self.source, self.folder = name, source, folder
        self.process = None
        # The last lines of its log.
        self.lines = collections.deque(maxlen=200)
        self.changed = threading.Condition()

    def install(self):
        """As on a server of its own, with other places."""
        self.folder.mkdir(exist_ok=True)
        for file in self.source.iterdir():
            text = file.read_text().replace("/etc/nats", str(self.folder))
            (self.folder / file.name).write_text(text.replace("/var/lib/nats", str(self.folder / "store")))

    def start(self, *command):
        """`command` stands before the server's own, such as a tracer."""
        self.install()
        self.lines.clear()
        self.process = subprocess.Popen(
            [*command, server(), "-c", self.folder / "nats-server.conf"], stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        threading.Thread(target=self.read, args=[self.process], daemon=True).start()
        self.wait_for("Server is ready")

    def read(self, process):
        with process.stderr:
            for line in process.stderr:
                with self.changed:
                    self.lines.append(line)
                    self.changed.notify_all()

    def wait_for(self, text):
        """Until that is in its log."""
        with self.changed:
            if not self.changed.wait_for(lambda: any(text in line for line in self.lines), PATIENCE_SECONDS):
                raise TimeoutError(f"the node {self.name} has not said '{text}':\n" + "".join(self.lines))

    def reload(self):
        """After `deskbell fleet` has changed its files."""
        self.install()
        self.lines.clear()
        self.process.send_signal(signal.SIGHUP)
        self.wait_for("Reloaded server configuration")

    def kill(self):
        self.process.kill()
        self.process.wait()

    def stop(self):
        if self.process and self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(PATIENCE_SECONDS)
            except subprocess.TimeoutExpired:
                self.kill()


class Nodes:
    """All nodes of a fleet. Use it in a `with` statement; what they store is gone after it."""

    def __init__(self, fleet):
        self.folder_handle = tempfile.TemporaryDirectory(prefix="deskbell-nodes-")
        folder = Path(self.folder_handle.name)
        self.nodes = {source.name: Node(source.name, source, folder / source.name)
                      for source in sorted((Path(fleet) / "nodes").iterdir())}

    def __enter__(self):
        try:
            for node in self.nodes.values():
                node.start()
            self.wait_for_leader()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        for node in self.nodes.values():
            node.stop()
        self.folder_handle.cleanup()

    def wait_for_leader(self):
        """Several nodes store nothing before they have chosen one that leads."""
        if len(self.nodes) > 1:
            for node in self.nodes.values():
                node.wait_for("new metadata leader")

    def reload(self):
        for node in self.nodes.values():
            node.reload()


def main():
    deskbell, folder, *count = sys.argv[1:]
    if not os.path.exists(f"{folder}/fleet.json"):
        make_fleet(deskbell, folder, *map(int, count))
    with Nodes(folder) as nodes:
        print(f"nodes {', '.join(nodes.nodes)} run; Ctrl-C stops them", flush=True)
        signal.sigwait({signal.SIGINT, signal.SIGTERM})


if __name__ == "__main__":
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGTERM})
    main()
