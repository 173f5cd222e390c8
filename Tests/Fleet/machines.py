"""Machines of a fleet: each a chroot with a network and a name of its own, and ssh between them.

No systemd runs in a chroot. Its start, stop and reload are done here with the command and the user that the unit names.
Everything is in one namespace of processes and mounts, and ends with it.
"""

import configparser
import os
import shutil
import signal
import socket
import subprocess
import sys
import threading
from pathlib import Path

from Tests.support.output import Output
from Tests.support.project import ROOT

HERE = Path(__file__).resolve().parent
PATIENCE_SECONDS = 120
ENVIRONMENT = {
    "HOME": "/root", "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL": "C.UTF-8",
    "DEBIAN_FRONTEND": "noninteractive"}
SSH = """\
Host *
  StrictHostKeyChecking no
  UserKnownHostsFile /dev/null
  LogLevel ERROR
"""


def unpack(suite, root):
    """Unpacks a Debian, with the packages that the machines have before the page begins."""
    base = subprocess.run(
        [ROOT / "scripts/debian-base.sh", suite], check=True, stdout=subprocess.PIPE, text=True).stdout.strip()
    root.mkdir()
    run("tar", "--extract", "--numeric-owner", "--directory", root, "--file", base)
    (root / "etc/apt/apt.conf.d/test").write_text('APT::Get::Assume-Yes "true";\n')
    for name, text in (("systemctl", (HERE / "machine/systemctl").read_text()), ("sudo", '#!/bin/sh\nexec "$@"\n')):
        (root / "usr/local/bin" / name).write_text(text)
        (root / "usr/local/bin" / name).chmod(0o755)
    chroot(root, "apt-get -q update && apt-get -q install --no-install-recommends openssh-server openssh-client")
    (root / "root/.ssh").mkdir(mode=0o700, exist_ok=True)
    (root / "root/.ssh/config").write_text(SSH)


def chroot(root, script):
    """Runs a script in a root, in the network of this machine, which reaches Debian's archive."""
    done = subprocess.run(
        ["unshare", "--mount", "bash", "-euc",
         'mount -t proc proc "$1/proc"; mount --rbind /dev "$1/dev"; exec chroot "$1" bash -euo pipefail -c "$2"',
         "-", root, script],
        env=ENVIRONMENT, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    assert done.returncode == 0, done.stdout


class Network:
    """The cable between the machines, and the key with which root may sign in on all of them."""

    def __init__(self, work):
        self.work, self.machines = work, {}
        run("ip", "link", "add", "cable", "type", "bridge")
        run("ip", "link", "set", "cable", "up")
        run("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", work / "key")

    def machine(self, name, base, *addresses):
        self.machines[name] = machine = Machine(self, name, base, addresses)
        return machine

    def begin(self):
        """Makes all names known on all machines."""
        hosts = "127.0.0.1 localhost\n" + "".join(
            f"{machine.addresses[0]} {name}\n" for name, machine in self.machines.items())
        for machine in self.machines.values():
            (machine.root / "etc/hosts").write_text(hosts)
            machine.run("mkdir -p /run/sshd && /usr/sbin/sshd")


class Machine:
    """A machine of the network: a root, and processes in namespaces of its own."""

    def __init__(self, network, name, base, addresses):
        self.name, self.addresses, self.services = name, addresses, {}
        folder = network.work / name
        for part in ("root", "changes", "overlay"):
            (folder / part).mkdir(parents=True)
        self.root = folder / "root"
        run("mount", "-t", "overlay", "overlay", self.root, "-o",
            f"lowerdir={base},upperdir={folder / 'changes'},workdir={folder / 'overlay'}")
        run("mount", "-t", "proc", "proc", self.root / "proc")
        run("mount", "--rbind", "/dev", self.root / "dev")
        run("mount", "-t", "tmpfs", "tmpfs", self.root / "run")
        shutil.copy(network.work / "key", self.root / "root/.ssh/id_ed25519")
        shutil.copy(network.work / "key.pub", self.root / "root/.ssh/authorized_keys")
        # This process holds the namespaces.
        self.holder = subprocess.Popen(
            ["unshare", "--net", "--uts", "bash", "-c", 'hostname "$0"; echo here; read -r', name],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        assert self.holder.stdout.readline() == "here\n"
        run("ip", "link", "add", f"to-{name}", "type", "veth", "peer", "name", "eth0", "netns", str(self.holder.pid))
        run("ip", "link", "set", f"to-{name}", "master", "cable", "up")
        self.run_outside("ip", "link", "set", "lo", "up")
        self.run_outside("ip", "link", "set", "eth0", "up")
        for address in addresses:
            self.run_outside("ip", "address", "add", f"{address}/24", "dev", "eth0")
        for pipe in ("asked", "answered"):
            os.mkfifo(self.root / "run" / pipe, 0o600)
        threading.Thread(target=self.serve, daemon=True).start()

    def inside(self, *words):
        return ["nsenter", "--target", str(self.holder.pid), "--net", "--uts", *words]

    def run_outside(self, *words):
        run(*self.inside(*words))

    def run(self, script):
        """Runs a script as root in /root; returns its output."""
        done = subprocess.run(
            self.inside("chroot", self.root, "bash", "-euo", "pipefail", "-c", f"cd /root\n{script}"), env=ENVIRONMENT,
            stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=PATIENCE_SECONDS)
        assert done.returncode == 0, f"{self.name}: {script}\n{done.stdout}{done.stderr}{self.logs()}"
        return done.stdout

    def logs(self):
        return "".join(f"\n{name}: {line}" for name, service in self.services.items() for line in service.output.lines[-20:])

    def serve(self):
        """Carries out the requests of systemctl."""
        while True:
            verb, *names = (self.root / "run/asked").read_text().split()
            answer = "done"
            for name in names:
                if name == "--now" or name.endswith(".socket"):
                    continue
                try:
                    self.change(verb, name.removesuffix(".service"))
                except (AssertionError, OSError, KeyError, subprocess.CalledProcessError) as error:
                    answer = f"{type(error).__name__}: {error}".replace("\n", " ")
            (self.root / "run/answered").write_text(answer + "\n")

    def change(self, verb, name):
        service = self.services.get(name)
        if verb == "reload":
            service.process.send_signal(signal.SIGHUP)
            return
        if service and verb in ("restart", "disable", "stop"):
            self.services.pop(name).stop()
        if verb in ("restart", "enable", "start"):
            self.services[name] = Service(self, name)


class Service:
    """A unit's description, as far as the machines need it."""

    def __init__(self, machine, name):
        self.root = machine.root
        found = self.units(f"{name}.service")[0]
        settings = read([found, machine.root / f"etc/systemd/system/{name}.service.d/override.conf"])["Service"]
        user = settings["User"]
        environment = settings.get("Environment", "").replace("%S", "/var/lib").replace("%t", "/run").split()
        for key, parent in (("State", "var/lib"), ("Runtime", "run"), ("Configuration", "etc")):
            if directory := settings.get(f"{key}Directory"):
                environment.append(f"{key.upper()}_DIRECTORY=/{parent}/{directory}")
                machine.run(f"test -d /{parent}/{directory} || install -d -o {user} -g {user} -m 755 /{parent}/{directory}")
        self.notified = threading.Event()
        if settings.get("Type") == "notify":
            path = machine.root / f"run/notify-{name}"
            path.unlink(missing_ok=True)
            # The path of a socket has at most 108 bytes; this way the machine's root is not part of it.
            folder = os.open(path.parent, os.O_PATH)
            self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
            self.socket.bind(f"/proc/self/fd/{folder}/{path.name}")
            os.close(folder)
            path.chmod(0o666)
            environment.append(f"NOTIFY_SOCKET=/run/{path.name}")
            threading.Thread(target=self.listen, daemon=True).start()
        self.process = subprocess.Popen(
            machine.inside(
                *self.entry(name), "setpriv", f"--reuid={user}", f"--regid={user}", "--init-groups", "env",
                *environment, *settings["ExecStart"].split()),
            env=ENVIRONMENT, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.output = Output(f"{name} at {machine.name}", self.process.stdout, self.notified.set)
        if settings.get("Type") == "notify":
            assert self.notified.wait(PATIENCE_SECONDS) and self.process.poll() is None, "\n".join(self.output.lines)

    def units(self, pattern):
        """Returns files of units; a newer Debian has them only outside /lib."""
        return [*self.root.glob(f"usr/lib/systemd/system/{pattern}"), *self.root.glob(f"lib/systemd/system/{pattern}")]

    def entry(self, name):
        """Returns the command that enters the machine's root, with the service's sockets."""
        sockets = {}
        for path in self.units("*.socket"):
            socket = read([path])["Socket"]
            if socket.get("Service") == f"{name}.service" and "FileDescriptorName" in socket:
                access = [socket[key] for key in ("SocketUser", "SocketGroup", "SocketMode") if key in socket]
                sockets[socket["FileDescriptorName"]] = ",".join([socket["ListenStream"], *access])
        words = [f"{name}={address}" for name, address in sockets.items()]
        return [sys.executable, HERE / "activate.py", self.root, *words, "--"] if words else ["chroot", self.root]

    def listen(self):
        while b"READY=1" not in self.socket.recv(4096):
            pass
        self.notified.set()
        self.socket.close()

    def wait_for(self, text):
        self.output.wait_for(text, PATIENCE_SECONDS)

    def stop(self):
        self.process.terminate()
        self.process.wait(PATIENCE_SECONDS)


def read(files):
    """Reads systemd units."""
    unit = configparser.RawConfigParser(strict=False, interpolation=None)
    unit.optionxform = str
    unit.read(files)
    return unit


def run(*words):
    subprocess.run(list(map(str, words)), check=True, capture_output=True)
