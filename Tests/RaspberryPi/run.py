"""Runs the arm64 package twice: in an emulator of that processor, and on an emulated Raspberry Pi 3.

The first has independent clients. The second has Debian's kernel with its own driver for the board's lines, whose
levels are read from outside, from the registers of a real board.

    python3 -m Tests.RaspberryPi.run PACKAGE.deb

Prints each step with the seconds since the start, and leaves them in .build/raspberry-pi/report.txt. The exit code is 1
if an expected state was not seen.
"""

import argparse
import collections
import json
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from Tests.Hardware import boards, image
from Tests.Hardware.decoders import glyphs
from Tests.support.guest import Timetable, dependencies, run_guest
from Tests.support.project import ROOT

HERE = Path(__file__).resolve().parent
# Reads the board files.
DESKBELL = Path(os.environ.get("DESKBELL", ROOT / ".build/release/deskbell"))
CACHE = ROOT / ".build/raspberry-pi"
SUITE, ARCHITECTURE, BOARD = "trixie", "arm64", "raspberry-pi-3"
# BCM2837 ARM Peripherals, 6.1: GPLEV0 and GPLEV1, two words, the levels of lines 0 to 53.
LEVEL_REGISTERS = 0x3F200034
# The readings in which each digit must show its figure; for darkness, as many per digit with none lit.
WANTED_LOOKS = 25
PATIENCE_SECONDS = 120
# The tests of Tests/Clients that run: pushes by curl, by an APNs library, and in the protocol of 2008.
CLIENT_TESTS = ["test_apns.CurlTests", "test_aioapns", "test_service2008"]


class Board:
    """The parts wired to the lines by the board file: a lamp, and digits that take turns."""

    def __init__(self, name):
        board = boards.read(DESKBELL, ROOT / "board-configs")[name]
        lines, display = board["offsets"], board["display"]
        self.lamp = lines[board["lamp"]["line"]]
        self.segments = [lines[line] for line in display["segments"]]
        self.digits = [lines[line] for line in display["digits"]]

    def lamp_is_lit(self, levels):
        return bool(levels >> self.lamp & 1)

    def lit(self, levels):
        """Returns the lit digits' positions, and the figure of each."""
        segments = sum((levels >> line & 1) << bit for bit, line in enumerate(self.segments))
        return {
            position: glyphs.text([segments]) for position, line in enumerate(self.digits) if levels >> line & 1}


class Levels:
    """The registers, through the emulator's monitor."""

    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(PATIENCE_SECONDS)
        self.socket.connect(path)
        self.answers = self.socket.makefile("rw")
        self.answers.readline()
        self.ask("qmp_capabilities")

    def ask(self, command, **arguments):
        self.answers.write(json.dumps({"execute": command, "arguments": arguments}) + "\n")
        self.answers.flush()
        while True:
            answer = json.loads(self.answers.readline())
            if "event" not in answer:
                return answer["return"]

    def read(self):
        said = self.ask("human-monitor-command", **{"command-line": f"xp /2wx {LEVEL_REGISTERS:#x}"})
        low, high = (int(word, 16) for word in re.findall(r"0x[0-9a-f]{8}\b", said)[-2:])
        return high << 32 | low


class Watch:
    """The states seen on the lines."""

    def __init__(self, board, levels):
        self.board, self.levels = board, levels
        self.looks = self.faults = 0

    def look(self):
        value = self.levels.read()
        self.looks += 1
        lit = self.board.lit(value)
        # Two lit digits would show each other's figure; and a digit is dark while its segments change.
        self.faults += len(lit) > 1 or any("?" in figure for figure in lit.values())
        return self.board.lamp_is_lit(value), lit

    def until(self, found):
        end = time.monotonic() + PATIENCE_SECONDS
        while time.monotonic() < end:
            if found(*self.look()):
                return True
        return False

    def dark(self):
        in_a_row = 0

        def found(lamp, lit):
            nonlocal in_a_row
            in_a_row = 0 if lamp or set(lit.values()) - {" "} else in_a_row + 1
            return in_a_row >= WANTED_LOOKS * len(self.board.digits)

        return self.until(found)

    def lamp(self):
        return self.until(lambda lamp, _: lamp)

    def number(self, text):
        """Waits until each of its digits was seen that often, without other figures."""
        wanted = dict(enumerate(text.rjust(len(self.board.digits))))
        seen = collections.Counter()

        def found(_, lit):
            for position, figure in lit.items():
                if figure == wanted[position]:
                    seen[position] += 1
                elif figure != " ":
                    # The previous number.
                    seen.clear()
            return all(seen[position] >= WANTED_LOOKS for position, figure in wanted.items() if figure != " ")

        return self.until(found)


def unpack_system(package):
    """Unpacks Debian's kernel and libraries for the board, once; returns the folder."""
    system = CACHE / "system"
    libraries = [name for name in dependencies(package) if name.startswith("lib")]
    subprocess.run(
        [ROOT / "scripts/debian-root.sh", SUITE, ARCHITECTURE, system, "base-files", "busybox-static",
         "linux-image-arm64", "libasound2-data", *libraries], check=True)
    return system


def one(paths, what):
    found = sorted(paths)
    if not found:
        raise SystemExit(f"run.py: there is no {what}: remove {CACHE} and run this again")
    return found[-1]


def make_image(package, system, folder):
    """Makes a file system in memory: the installed package, and its libraries."""
    root = folder / "root"
    subprocess.run(["dpkg-deb", "--extract", package, root], check=True)
    for name in ["bin", "modules"]:
        (root / name).mkdir()
    shutil.copy(one(system.glob("usr/bin/busybox"), "busybox"), root / "bin")
    module = one(system.glob("usr/lib/modules/*/kernel/drivers/watchdog/bcm2835_wdt.ko.xz"), "bcm2835_wdt")
    with open(root / "modules/bcm2835_wdt.ko", "wb") as output:
        subprocess.run(["xz", "--decompress", "--stdout", module], check=True, stdout=output)
    shutil.copytree(system / "usr/share/alsa", root / "usr/share/alsa")
    add_libraries(root / "usr/bin/deskbell", system, root)
    shutil.copy(HERE / "guest/init", root / "init")
    (root / "init").chmod(0o755)
    image.archive(root, folder / "initramfs.cpio")
    shutil.rmtree(root)
    return folder / "initramfs.cpio"


def add_libraries(program, system, root):
    said = subprocess.run(
        ["readelf", "--dynamic", "--program-headers", "--wide", program], check=True, stdout=subprocess.PIPE,
        text=True).stdout
    needed = re.findall(r"\(NEEDED\).*\[(.*)\]", said)
    for name in needed:
        place = root / "usr/lib/aarch64-linux-gnu" / name
        if not place.exists():
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(one(system.glob(f"usr/lib/aarch64-linux-gnu/{name}"), name), place)
            add_libraries(place, system, root)
    # The loader is named by its path.
    for loader in re.findall(r"interpreter: /lib/(.*)\]", said):
        target = root / "lib" / loader
        target.parent.mkdir(exist_ok=True)
        if not target.exists():
            shutil.copy(one(system.glob(f"usr/lib/aarch64-linux-gnu/{loader}"), loader), target)


def run_clients(package, system, folder, seconds, say):
    """Runs the program alone, as if this machine had the other processor."""
    say(f"clients push to the program of {package.name}, in QEMU's user mode")
    subprocess.run(["dpkg-deb", "--extract", package, folder / "package"], check=True)
    program = folder / "deskbell"
    program.write_text(f'#!/bin/sh\nexec qemu-aarch64-static -L {system} {folder}/package/usr/bin/deskbell "$@"\n')
    program.chmod(0o755)
    chosen = [word for test in CLIENT_TESTS for word in ("-k", test)]
    with open(CACHE / "clients.log", "w+") as log:
        done = subprocess.run(
            [ROOT / "Tests/Clients/run.sh", *chosen], env={**os.environ, "DESKBELL": str(program)}, stdout=log,
            stderr=subprocess.STDOUT, timeout=seconds)
        log.seek(0)
        ran = [line for line in log.read().splitlines() if re.search(r"\bRan [1-9]\d* test", line)]
    passed = done.returncode == 0 and bool(ran)
    say(f"    {' '.join(CLIENT_TESTS)}: {', '.join(ran)}, {'passed' if passed else 'FAILED'}")
    return passed


def qemu(system, archive, monitor):
    return [
        "qemu-system-aarch64", "-M", "raspi3b", "-accel", "tcg,thread=single", "-display", "none", "-no-reboot",
        "-kernel", one(system.glob("boot/vmlinuz-*"), "kernel"),
        "-dtb", one(system.glob("usr/lib/linux-image-*/broadcom/bcm2837-rpi-3-b.dtb"), "device tree"), "-initrd", archive,
        "-append", f"console=ttyS1,115200 quiet loglevel=1 panic=-1 rdinit=/init time={int(time.time())}",
        "-serial", "null", "-serial", "stdio", "-qmp", f"unix:{monitor},server=on,wait=off", "-monitor", "none"]


def run_board(package, system, folder, seconds, say):
    """Runs the whole package on its board."""
    archive = make_image(package, system, folder)
    say(f"QEMU starts a Raspberry Pi 3 with {package.name}")
    watch = None

    def look(words):
        nonlocal watch
        watch = watch or Watch(Board(BOARD), Levels(str(folder / "monitor")))
        what, _, value = words.partition(" ")
        seen = getattr(watch, what)(*([value] if value else []))
        say(f"    {'seen' if seen else 'NOT SEEN'}: {words}")
        return "seen" if seen else "not seen"

    passed = run_guest(
        qemu(system, archive, folder / "monitor"), CACHE / "console.log", seconds, say, look, prints_all=False)
    if watch:
        say(f"the registers were read {watch.looks} times; {watch.faults} times two digits were lit or one was torn")
    return passed and (not watch or watch.faults == 0)


PARTS = {"clients": run_clients, "board": run_board}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("package", help="the .deb for arm64")
    parser.add_argument("--only", choices=["clients", "board"], help="one of the two")
    parser.add_argument("--minutes", type=float, default=15, help="after which it has failed (default: %(default)s)")
    options = parser.parse_args()
    report = Timetable()
    say = report.say

    package = Path(options.package).resolve()
    system = unpack_system(package)
    parts = [options.only] if options.only else ["clients", "board"]
    passed = True
    with tempfile.TemporaryDirectory(prefix="deskbell-pi-") as folder:
        for part in parts:
            passed = PARTS[part](package, system, Path(folder), options.minutes * 60, say) and passed
    say("passed" if passed else f"FAILED: {CACHE} has the console and the clients' log")
    report.write(CACHE / "report.txt")
    sys.exit(0 if passed else 1)


if __name__ == "__main__":
    main()
