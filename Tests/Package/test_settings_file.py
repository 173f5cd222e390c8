"""An upgrade from a version whose package had a settings file, by dpkg itself, and postinst's handling of that file."""

import re
import subprocess
import tempfile
import unittest
from pathlib import Path

from Tests.support.project import ROOT

SETTINGS = "etc/deskbell/deskbell.yaml"


class SettingsFile(unittest.TestCase):
    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory(prefix="deskbell-conffile-")))
        self.root = self.folder / "root"
        for name in ("updates", "info"):
            (self.root / "var/lib/dpkg" / name).mkdir(parents=True)
        (self.root / "var/lib/dpkg/status").touch()
        self.package("0.7.1", has_settings=True)
        script = (ROOT / "packaging/debian/postinst").read_text()
        part = re.search(r"(?ms)^if \[ \"\$1\" = configure \].*?^fi$", script)[0]
        self.assertIn("/" + SETTINGS, part)
        self.package("0.7.2", postinst=f"#!/bin/sh\nset -e\n{part}\n")

    def package(self, version, has_settings=False, postinst=None):
        tree = self.folder / version
        (tree / "DEBIAN").mkdir(parents=True)
        (tree / "etc/deskbell").mkdir(parents=True)
        (tree / "DEBIAN/control").write_text(
            f"Package: deskbell\nVersion: {version}\nArchitecture: all\nMaintainer: A test <test@localhost>\n"
            "Description: a package of a test\n")
        if has_settings:
            (tree / SETTINGS).write_text("# board: raspberry-pi-4\n")
            (tree / "DEBIAN/conffiles").write_text(f"/{SETTINGS}\n")
        if postinst:
            (tree / "DEBIAN/postinst").write_text(postinst)
            (tree / "DEBIAN/postinst").chmod(0o755)
        self.run_("dpkg-deb", "--root-owner-group", "--build", tree, self.folder / f"{version}.deb")

    def run_(self, *command):
        done = subprocess.run(
            list(map(str, command)), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.assertEqual(done.returncode, 0, done.stdout)
        return done.stdout

    def install(self, version):
        """Installs a version without an answer to any question."""
        return self.run_(
            "dpkg", f"--root={self.root}", "--force-script-chrootless", "--force-not-root", "--install",
            self.folder / f"{version}.deb")

    def test_one_that_nobody_changed_goes(self):
        self.install("0.7.1")
        self.assertTrue((self.root / SETTINGS).exists())
        self.install("0.7.2")
        self.assertEqual(list((self.root / "etc/deskbell").iterdir()), [])

    def test_one_that_was_changed_stays_and_nothing_is_asked(self):
        self.install("0.7.1")
        (self.root / SETTINGS).write_text("board: raspberry-pi-5\n")
        for _ in range(2):
            self.assertNotIn("Configuration file", self.install("0.7.2"))
            self.assertEqual((self.root / SETTINGS).read_text(), "board: raspberry-pi-5\n")
            self.assertEqual(len(list((self.root / "etc/deskbell").iterdir())), 1)


class Package(unittest.TestCase):
    def test_it_ships_none_and_has_a_homepage(self):
        self.assertNotIn(f" {SETTINGS}\n", (ROOT / "packaging/deb.sh").read_text())
        self.assertIn("\nHomepage: @HOMEPAGE@\n", (ROOT / "packaging/debian/control").read_text())

    def test_it_says_in_three_lines_what_to_do_next(self):
        script = (ROOT / "packaging/debian/postinst").read_text()
        part = script[script.rindex("\nif ["):]
        for arguments, lines in ((("configure", ""), 3), (("configure", "0.7.1"), 0)):
            said = subprocess.run(["sh", "-euc", part, "postinst", *arguments], check=True, stdout=subprocess.PIPE, text=True)
            self.assertEqual(len(said.stdout.splitlines()), lines, said.stdout)
