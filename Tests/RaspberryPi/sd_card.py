"""Uses the image of an SD card on an emulated Raspberry Pi 3, and pulls the plug again and again.

    python3 -m Tests.RaspberryPi.sd_card IMAGE.img.xz

The first start reads deskbell.txt, sets everything up, and is rung by the line of curl that it prints; lamp and digits
are read from the level registers. Then the initial RAM disk is made again, as an update of the kernel does, and the next
start uses it. Then for each pull: pushes are sent until QEMU is killed, and after the next start each
push that was answered 200 must be in Notification Center. Prints each step with the seconds since the start, and leaves
them in .build/sd-card-test/report.txt, beside the consoles. The exit code is 1 if something was lost or not seen.
"""

import argparse
import http.client
import os
import random
import re
import shlex
import shutil
import signal
import socket
import ssl
import statistics
import subprocess
import sys
import threading
import time
from pathlib import Path

from Tests.RaspberryPi.run import BOARD, Board, Levels, Watch
from Tests.support.guest import Timetable
from Tests.support.pages import blocks
from Tests.support.project import ROOT

CACHE = ROOT / ".build/sd-card-test"
# The firmware's partition begins there (packaging/sd-card.sh).
FIRMWARE_OFFSET = 4 << 20
START_SECONDS = 900
# Making an initial RAM disk, which an emulated board takes long for.
UPDATE_SECONDS = 7200
SETTINGS = {"board": BOARD, "display": "multiplexed-cathode", "panel-password": "correct horse battery staple"}


def run(*words, **more):
    return subprocess.run(words, check=True, stdout=subprocess.PIPE, text=True, **more).stdout


class Card:
    """The image on a card of the next larger size, with deskbell.txt filled in."""

    def __init__(self, image):
        self.path = CACHE / "card.img"
        with open(self.path, "wb") as output:
            subprocess.run(["xz", "--decompress", "--stdout", image], check=True, stdout=output)
        # QEMU's cards are as large as real ones: a power of two.
        self.size = 1 << (self.path.stat().st_size - 1).bit_length()
        os.truncate(self.path, self.size)
        self.firmware = f"{self.path}@@{FIRMWARE_OFFSET}"
        self.key = CACHE / "key"
        self.key.unlink(missing_ok=True)
        run("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", self.key)
        text = self.settings()
        for key, value in {**SETTINGS, "ssh-key": (CACHE / "key.pub").read_text().strip()}.items():
            text = re.sub(rf"(?m)^{key}:.*$", f"{key}: {value}\r", text)
        (CACHE / "deskbell.txt").write_text(text, newline="")
        run("mcopy", "-o", "-i", self.firmware, CACHE / "deskbell.txt", "::deskbell.txt")
        self.take_kernel()

    def take_kernel(self):
        """Takes what the boot loader would load, which QEMU does not have."""
        self.kernel, self.initrd, self.tree = (
            self.take(pattern) for pattern in ["vmlinuz-*", "initrd.img-*", "bcm2837-rpi-3-b.dtb"])
        self.command_line = self.take("cmdline.txt").read_text().strip()

    def take(self, pattern):
        for old in CACHE.glob(pattern):
            old.unlink()
        run("mcopy", "-o", "-i", self.firmware, f"::{pattern}", CACHE)
        found, = CACHE.glob(pattern)
        return found

    def settings(self):
        return run("mtype", "-i", self.firmware, "::deskbell.txt")

    def problems(self):
        """Yields what the checkers of file systems report of the card, which no machine uses."""
        table = run("sfdisk", "--dump", self.path)
        for number, (start, size) in enumerate(re.findall(r"start= *(\d+), size= *(\d+)", table)):
            part = CACHE / "partition"
            subprocess.run(
                ["dd", f"if={self.path}", f"of={part}", "bs=1M", f"skip={int(start) // 2048}",
                 f"count={int(size) // 2048}", "conv=sparse", "status=none"], check=True)
            check = ["fsck.vfat", "-n"] if number == 0 else ["e2fsck", "-f", "-n"]
            done = subprocess.run([*check, part], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            if done.returncode != 0:
                yield f"partition {number + 1}: {done.stdout.strip()}"
            part.unlink()


class Machine:
    """A Raspberry Pi 3 with the card, from power on."""

    def __init__(self, card, console):
        self.card, self.console = card, console
        self.ports = {port: free_port() for port in (22, 2197, 2198)}
        self.monitor = CACHE / "monitor"
        self.monitor.unlink(missing_ok=True)
        console.unlink(missing_ok=True)
        forwards = "".join(f",hostfwd=tcp:127.0.0.1:{here}-:{there}" for there, here in self.ports.items())
        # The board has no clock with a battery, and here is no time server.
        clock = f"systemd.clock-usec={int(time.time() * 1e6)}"
        self.started = time.monotonic()
        self.process = subprocess.Popen(
            ["qemu-system-aarch64", "-M", "raspi3b", "-display", "none", "-no-reboot", "-kernel", card.kernel,
             "-initrd", card.initrd, "-dtb", card.tree, "-append", f"{card.command_line} {clock}",
             "-drive", f"file={card.path},if=sd,format=raw", "-netdev", f"user,id=net{forwards}",
             "-device", "usb-net,netdev=net", "-serial", "null", "-serial", f"file:{console}",
             "-qmp", f"unix:{self.monitor},server=on,wait=off", "-monitor", "none"])

    @property
    def seconds(self):
        return time.monotonic() - self.started

    def until(self, found, what):
        """Calls it until it returns something, which is returned."""
        while self.seconds < START_SECONDS:
            if self.process.poll() is not None:
                break
            result = found()
            if result:
                return result
            time.sleep(0.5)
        raise SystemExit(f"never came: {what}; {self.console} has the console")

    def printed(self, pattern):
        return re.search(pattern, self.console.read_text(errors="replace") if self.console.exists() else "", re.M)

    def ssh(self, command, seconds=300):
        """Returns what it prints; nothing if that failed."""
        done = subprocess.run(
            ["ssh", "-q", "-i", self.card.key, "-p", str(self.ports[22]), "-o", "StrictHostKeyChecking=no",
             "-o", "UserKnownHostsFile=/dev/null", "-o", "ConnectTimeout=60", "root@127.0.0.1", command],
            stdout=subprocess.PIPE, text=True, timeout=seconds)
        return done.stdout if done.returncode == 0 else ""

    def switch_off(self):
        self.ssh("systemctl poweroff")
        self.process.wait(START_SECONDS)

    def pull_the_plug(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()


class Pusher(threading.Thread):
    """Sends pushes to the topic, one after the other, until the connection ends; keeps the texts that were accepted."""

    def __init__(self, machine, key, name):
        super().__init__(daemon=True)
        self.machine, self.key, self.name_of_all = machine, key, name
        self.accepted = []
        self.refused = []

    def run(self):
        connection = None
        number = 0
        while self.machine.process.poll() is None:
            text = f"{self.name_of_all}, push {number}"
            try:
                connection = connection or http.client.HTTPSConnection(
                    "127.0.0.1", self.machine.ports[2197], timeout=60, context=ssl._create_unverified_context())
                connection.request("POST", "/bell", text, {"Authorization": f"Bearer {self.key}", "Priority": "2"})
                answer = connection.getresponse()
                answer.read()
            except (OSError, http.client.HTTPException):
                # It does not listen yet, or no longer.
                connection = None
                time.sleep(0.2)
                continue
            number += 1
            (self.accepted if answer.status == 200 else self.refused).append(text)
            # Notification Center keeps the newest 1,000.
            time.sleep(0.02)


def free_port():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


def first_start(card, say):
    """From power on to the first ring. Returns the machine, the topic's key, and whether all was seen."""
    board = Board(BOARD)
    machine = Machine(card, CACHE / "console-first.log")
    say(f"power on, with a card of {card.size >> 30} GiB")
    machine.until(lambda: machine.printed("Linux|Deskbell"), "the kernel")
    line = machine.until(lambda: machine.printed(r"^ +(curl .*/bell)\s*$"), "a line of curl").group(1)
    say(f"{machine.seconds:.0f} s after power on it prints its line of curl")
    words = [*shlex.split(line), "--silent", "--connect-to", f"::127.0.0.1:{machine.ports[2197]}", "--header",
             "Badge: 27", "--write-out", "\n%{http_code} HTTP/%{http_version}", "--max-time", "60"]
    answer = machine.until(
        lambda: re.search("200 HTTP/.*", subprocess.run(words, stdout=subprocess.PIPE, text=True).stdout), "200")
    say(f"{machine.seconds:.0f} s after power on a push is answered {answer.group()}")
    watch = Watch(board, Levels(str(machine.monitor)))
    passed = True
    for what, seen in [("lamp", watch.lamp()), ("27 on the digits", watch.number("27"))]:
        say(f"    {'seen' if seen else 'NOT SEEN'}: {what}")
        passed = passed and seen
    say(f"{machine.seconds:.0f} s after power on both were read from the level registers")
    machine.until(lambda: machine.printed("Web panel .*:2198"), "the panel")
    left = re.search(r"(?m)^panel-password:[ \t]*(\S*)", card.settings()).group(1)
    passed = report(say, not left, "the panel's password is removed from deskbell.txt") and passed
    ways = machine.until(
        lambda: machine.ssh("findmnt -nro TARGET,OPTIONS; df --block-size=1M --output=size /state | tail -n 1"), "ssh")
    passed = report(say, re.search(r"(?m)^/ ro,", ways), "the system is mounted read-only") and passed
    # The other partitions have 1,540 MiB; what ext4 keeps for itself is not counted.
    state = int(ways.split()[-1])
    passed = report(say, state > (card.size >> 20) - 1640, f"the state's partition was enlarged to {state} MiB") and passed
    failed = machine.ssh("systemctl --failed --plain --no-legend; echo .").strip(" .\n")
    passed = report(say, not failed, f"no unit failed {failed}") and passed
    for unit in re.findall(r"(?m)^(\S+\.\S+)", failed):
        say(machine.ssh(f"journalctl --boot --no-pager --output short-monotonic --unit {unit}"))
    return machine, re.search(r"Bearer (\w+)", line).group(1), passed


def update(card, machine, say):
    """Makes the initial RAM disk again, with the commands of docs/sd-card.md around it, and starts with it. Returns the
    machine, and whether it was made."""
    remount = next(line for block in blocks("docs/sd-card.md") for line in block.text.splitlines() if "remount,rw /" in line)
    began = time.monotonic()
    made = machine.ssh(f"{remount} && update-initramfs -u 2>&1; echo status $?; df -m /state / /boot/firmware; ls -A /state/tmp",
                       UPDATE_SECONDS)
    passed = report(say, "status 0\n" in made and made.endswith("/boot/firmware\n"),
                    f"update-initramfs made a new initial RAM disk, in {time.monotonic() - began:.0f} s, and left no file behind")
    if not passed:
        say(made)
    machine.switch_off()
    old = card.initrd.read_bytes()
    card.take_kernel()
    passed = report(say, card.initrd.read_bytes() != old, "the boot loader's partition has it") and passed
    machine = Machine(card, CACHE / "console-updated.log")
    machine.until(lambda: machine.ssh("deskbell center"), "a list of notifications")
    say(f"{machine.seconds:.0f} s after power on it lists notifications, started with the new initial RAM disk")
    return machine, passed


def report(say, is_right, what):
    say(f"    {'seen' if is_right else 'NOT SEEN'}: {what}")
    return bool(is_right)


def pulls(card, machine, key, count, say):
    """Pulls the plug that often. Returns the texts that were lost."""
    kept, lost, starts = [], [], []
    for number in range(1, count + 1):
        pusher = Pusher(machine, key, f"pull {number}")
        pusher.start()
        machine.until(lambda: len(pusher.accepted) > 2, "pushes")
        time.sleep(random.uniform(0, 8))
        machine.pull_the_plug()
        pusher.join()
        kept = (kept + pusher.accepted)[-900:]
        machine = Machine(card, CACHE / f"console-{number}.log")
        center = machine.until(
            lambda: machine.ssh("deskbell center --limit 1000 --json && dmesg | grep -i 'EXT4-fs error'; true"), "ssh")
        starts.append(machine.seconds)
        gone = [text for text in kept if f'"{text}"' not in center]
        lost += gone
        kept = [text for text in kept if text not in gone]
        say(f"pull {number}: {len(pusher.accepted)} accepted, {len(pusher.refused)} refused; it answers again "
            f"{machine.seconds:.0f} s after power on, {len(gone)} lost{', file system errors' if 'EXT4' in center else ''}")
        if "EXT4-fs error" in center:
            lost.append(f"the file system after pull {number}")
    if starts:
        say(f"from power on to a list of notifications: {min(starts):.0f} to {max(starts):.0f} s, half of them in "
            f"{statistics.median(starts):.0f} s")
    return machine, lost


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("image", help="the .img.xz")
    parser.add_argument("--pulls", type=int, default=20, help="how often the plug is pulled (default: %(default)s)")
    options = parser.parse_args()
    for tool in ["qemu-system-aarch64", "mcopy", "e2fsck", "fsck.vfat", "ssh", "curl"]:
        if not shutil.which(tool):
            raise SystemExit(f"sd_card.py: {tool} is missing: scripts/install-packages.sh sd-card test-sd-card")
    CACHE.mkdir(parents=True, exist_ok=True)
    timetable = Timetable()
    say = timetable.say
    machine = None
    try:
        card = Card(options.image)
        machine, key, passed = first_start(card, say)
        machine, is_updated = update(card, machine, say)
        passed = passed and is_updated
        machine, lost = pulls(card, machine, key, options.pulls, say)
        machine.switch_off()
        problems = list(card.problems())
        for what in [*lost, *problems]:
            say(f"LOST: {what}")
        passed = report(say, not problems, "the file systems are clean") and passed and not lost
        say("passed" if passed else f"FAILED: {CACHE} has the consoles")
    finally:
        if machine and machine.process.poll() is None:
            machine.process.kill()
        timetable.write(CACHE / "report.txt")
    sys.exit(0 if passed else 1)


if __name__ == "__main__":
    main()
