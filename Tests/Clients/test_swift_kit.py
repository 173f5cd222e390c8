"""DeskbellTesting in a package outside: it depends on this repository by URL and on nothing else, its three tests pass with
a provider that does right, and a failure of one that does wrong says what happened. Builds for half a minute."""

import json
import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

from Tests.support.project import DESKBELL, ROOT

# The package outside accepts this version and later ones.
VERSION = "1.0.0"
SEND = "post(payload, id: id,"


class SwiftKitTests(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = Path(cls.enterClassContext(tempfile.TemporaryDirectory(prefix="deskbell-swift-")))
        cls.repository = cls.folder / "deskbell"
        cls.git("clone", "--quiet", ROOT, cls.repository)
        # What is not committed yet is tested too.
        shutil.copy(ROOT / "Package.swift", cls.repository)
        shutil.copytree(ROOT / "kits/swift", cls.repository / "kits/swift", dirs_exist_ok=True)
        cls.git("-C", cls.repository, "add", "--all")
        cls.git("-C", cls.repository, "commit", "--quiet", "--allow-empty", "--message", "The tree under test")
        cls.git("-C", cls.repository, "tag", "--force", VERSION)
        cls.package = cls.folder / "swift-mailer"
        shutil.copytree(
            ROOT / "examples/providers/swift-mailer", cls.package, ignore=shutil.ignore_patterns(".build", ".swiftpm"))

    @staticmethod
    def git(*words):
        subprocess.run(
            ["git", "-c", "user.name=Tests", "-c", "user.email=tests@localhost", "-c", "commit.gpgsign=false",
             *map(str, words)], check=True, stdout=subprocess.DEVNULL)

    def swift(self, command):
        """Runs `swift COMMAND` in the package. Everything that SwiftPM stores is in the folder."""
        environment = {**os.environ, "DESKBELL_REPOSITORY": self.repository.as_uri(), "DESKBELL": DESKBELL}
        # A bench that runs already would be used.
        environment.pop("BELL_CONTROL", None)
        done = subprocess.run(
            ["swift", command, "--cache-path", self.folder / "cache", "--security-path", self.folder / "security",
             "--config-path", self.folder / "config"],
            cwd=self.package, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        return done.returncode, done.stdout

    def test_a_package_outside(self):
        code, output = self.swift("test")
        self.assertEqual(code, 0, output)
        self.assertRegex(output, r"Test run with 3 tests in 1 suite passed", output)
        pins = json.loads((self.package / "Package.resolved").read_text())["pins"]
        self.assertEqual([(pin["identity"], pin["state"]["version"]) for pin in pins], [("deskbell", VERSION)])

        # Another identifier at each attempt: what arrived without its answer is shown twice.
        mailer = self.package / "Sources/Mailer/Mailer.swift"
        source = mailer.read_text()
        self.assertEqual(source.count(SEND), 1)
        mailer.write_text(source.replace(SEND, SEND.replace("id: id", "id: UUID().uuidString.lowercased()")))
        code, output = self.swift("test")
        self.assertNotEqual(code, 0, output)
        self.assertIn("✔ Test tokenThatIsGoneIsForgotten() passed", output)
        self.assertIn("✘ Test pushWithoutAnswerRingsOnce() failed", output)
        self.assertIn("What happened on the bench:", output)
        self.assertRegex(output, r"\+0\.000 s  #\d+ c\d+ mail p10 id \S+ no answer: cut")
        self.assertRegex(output, r"\+2\.\d{3} s  #\d+ c\d+ mail p10 id \S+ 200 .*other apns-id than #\d+")
        self.assertRegex(output, r"fault-1  struck once")
        self.assertIn("Attached 'deskbell-requests.json' to pushWithoutAnswerRingsOnce()", output)
