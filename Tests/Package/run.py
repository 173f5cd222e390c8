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
from pathlib import Path

from Tests.Fleet.servers import program
from Tests.Released.released import releases, restore
from Tests.support.guest import Timetable, dependencies, run_guest
from Tests.support.project import ROOT

HERE = Path(__file__).resolve().parent


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
        "nats-server": program(), "old.sqlite": older_database(folder), "steps.sh": HERE / "guest/steps.sh",
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
    with tempfile.TemporaryDirectory(prefix="deskbell-package-") as folder:
        disk = payload(options.package, options.old, Path(folder))
        say(f"QEMU boots Debian for {Path(options.package).name}")
        passed = run_guest(qemu(guest, disk), ROOT / ".build/package/console.log", options.minutes * 60, say)
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        say(f"the machine's processors worked {used.ru_utime + used.ru_stime:.0f} s for it")
    say("passed" if passed else "FAILED: the guest's console is in .build/package/console.log")
    report.write(ROOT / ".build/package/report.txt")
    sys.exit(0 if passed else 1)


if __name__ == "__main__":
    main()
