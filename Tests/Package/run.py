#!/usr/bin/env python3
"""The package in a Debian of its own: installed, used, killed, rebooted, upgraded and purged, under systemd in QEMU.

Prints each step with the seconds since the start. The guest's disk is made once and kept in .build/package.
"""

import argparse
import re
import resource
import shutil
import subprocess
import sys
import tarfile
import tempfile
import threading
from pathlib import Path

from debian_package import Timetable, dependencies

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path += [str(ROOT / "Tests/Fleet"), str(ROOT / "Tests/Released")]
from released import releases, restore  # noqa: E402
from servers import server  # noqa: E402


def older_package(package, folder):
    """Returns this package with the first release's version, and with a settings file, as packages before 0.7.2 had."""
    tree = folder / "old"
    subprocess.run(["dpkg-deb", "--raw-extract", package, tree], check=True)
    control = tree / "DEBIAN/control"
    control.write_text(re.sub(r"(?m)^Version: .*$", f"Version: {releases()[0].name}", control.read_text()))
    shutil.copy(tree / "usr/share/doc/deskbell/deskbell.yaml", tree / "etc/deskbell/deskbell.yaml")
    with open(tree / "DEBIAN/conffiles", "a") as files:
        files.write("/etc/deskbell/deskbell.yaml\n")
    subprocess.run(
        ["dpkg-deb", "--root-owner-group", "-Zgzip", "-z1", "--build", tree, folder / "old.deb"], check=True,
        stdout=subprocess.DEVNULL)
    shutil.rmtree(tree)
    return folder / "old.deb"


def older_database(folder):
    """Returns the database of the first release that is read."""
    path = folder / "old.sqlite"
    restore(releases()[0], path)
    return path


def payload(package, old, folder):
    """Returns the second disk: an archive that the guest unpacks."""
    files = {
        "new.deb": Path(package), "old.deb": Path(old) if old else older_package(package, folder),
        "nats-server": server(), "old.sqlite": older_database(folder), "steps.sh": HERE / "guest/steps.sh",
        "look": HERE / "guest/look"}
    disk = folder / "payload.tar"
    with tarfile.open(disk, "w") as archive:
        for name, path in files.items():
            archive.add(path, arcname=name)
    return disk


def qemu(guest, disk):
    return [
        "qemu-system-x86_64", "-accel", "tcg,thread=multi", "-cpu", "max", "-smp", "2", "-m", "1024",
        "-nodefaults", "-no-user-config", "-display", "none", "-serial", "stdio", "-nic", "none",
        "-kernel", guest / "vmlinux", "-initrd", guest / "initramfs.cpio",
        "-append", "console=ttyS0 quiet loglevel=3 systemd.show_status=false random.trust_cpu=on",
        "-drive", f"file={guest / 'disk.ext4'},format=raw,if=virtio,snapshot=on",
        "-drive", f"file={disk},format=raw,if=virtio,readonly=on"]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("package", help="the .deb to test")
    parser.add_argument("--old", metavar="DEB", help="the package of the release before; else made of this one")
    parser.add_argument("--minutes", type=float, default=20, help="after which it has failed (default: %(default)s)")
    options = parser.parse_args()
    report = Timetable()
    say = report.say

    libraries = ",".join(dependencies(options.package))
    guest = Path(subprocess.run(
        [HERE / "image.sh", libraries], check=True, stdout=subprocess.PIPE, text=True).stdout.strip())
    passed = timed_out = False
    with tempfile.TemporaryDirectory(prefix="deskbell-package-") as folder:
        disk = payload(options.package, options.old, Path(folder))
        say(f"QEMU boots Debian for {Path(options.package).name}")
        machine = subprocess.Popen(
            qemu(guest, disk), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            errors="replace")

        def stop():
            nonlocal timed_out
            timed_out = True
            machine.kill()

        alarm = threading.Timer(options.minutes * 60, stop)
        alarm.start()
        with open(ROOT / ".build/package/console.log", "w") as console:
            for line in machine.stdout:
                line = line.rstrip("\r\n")
                console.write(line + "\n")
                kind, _, rest = line.partition(" ")
                if kind == "STEP":
                    say(rest)
                elif kind == "NOTE":
                    say(f"    {rest}")
                elif line == "PASSED":
                    passed = True
                elif "Kernel panic" in line:
                    say(line)
                    machine.kill()
                elif line and not passed:
                    say(f"    | {line}")
        machine.wait()
        alarm.cancel()
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        say(f"the machine's processors worked {used.ru_utime + used.ru_stime:.0f} s for it")
    if timed_out:
        say(f"no end after {options.minutes:g} minutes")
    passed = passed and not timed_out
    say("passed" if passed else "FAILED: the guest's console is in .build/package/console.log")
    report.write(ROOT / ".build/package/report.txt")
    sys.exit(0 if passed else 1)


if __name__ == "__main__":
    main()
