"""From nothing to the first push: setup without a terminal and on one, the daemon that it leaves behind, and doctor."""

import json
import os
import pty
import stat
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

import jwt

from appliance import APP, DESKBELL, PATIENCE_SECONDS, Appliance


class SetupTests(unittest.TestCase):
    def setUp(self):
        handle = tempfile.TemporaryDirectory(prefix="deskbell-setup-")
        self.addCleanup(handle.cleanup)
        self.folder = Path(handle.name)
        self.environment = {**os.environ, "HOME": str(self.folder), "DESKBELL_CONTROL": str(self.folder / "c.sock")}
        self.environment.pop("XDG_CONFIG_HOME", None)
        self.config = self.folder / "desk.yaml"
        self.words = ["setup", "--config", str(self.config), "--state", str(self.folder / "state"),
                      "--listen", "127.0.0.1:0", "--name", "localhost"]

    def deskbell(self, *words):
        return subprocess.run([DESKBELL, *words], cwd=self.folder, env=self.environment, capture_output=True, text=True,
                              stdin=subprocess.DEVNULL, timeout=PATIENCE_SECONDS)

    def test_without_a_terminal(self):
        done = self.deskbell(*self.words, "--board", "simulated", "--json")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        report = json.loads(done.stdout)
        self.assertEqual((report["board"], report["devices"], report["isRunning"]), ("simulated", [], False))
        card = json.loads((self.folder / "deskbell-provider/provider.json").read_text())
        self.assertEqual(card, report["provider"])
        self.assertEqual((card["host"], card["topic"], card["certificateAuthority"]), ("localhost", APP, "ca.pem"))
        for name in ["provider.json", "ca.pem", card["key"]]:
            mode = stat.S_IMODE((self.folder / "deskbell-provider" / name).stat().st_mode)
            self.assertEqual(mode, 0o600, name)

        # What it leaves behind rings with nothing but what is in that folder.
        appliance = Appliance("--config", str(self.config), board=None)
        appliance.environment = self.environment
        appliance.state = self.folder / "state"
        with appliance:
            appliance.key = (self.folder / "deskbell-provider" / card["key"]).read_text()
            token = jwt.encode({"iss": card["teamID"], "iat": int(time.time())}, appliance.key, algorithm="ES256",
                               headers={"kid": card["keyID"]})
            status, answer, _ = appliance.curl(
                '{"aps":{"alert":"Hello","badge":1}}', token=card["deviceToken"], bearer=token)
            self.assertEqual((status, answer), (200, None))
            self.assertEqual(appliance.report("state")["presentation"]["badge"], 1)

    def test_nothing_is_overwritten_unasked(self):
        self.config.write_text("board: simulated\n")
        done = self.deskbell(*self.words, "--board", "simulated")
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertIn(f"{self.config} already exists\n  give --force", done.stderr)
        self.assertEqual(self.config.read_text(), "board: simulated\n")
        self.assertEqual(self.deskbell(*self.words, "--board", "simulated", "--force").returncode, 0)
        self.assertEqual((self.folder / "desk.yaml~").read_text(), "board: simulated\n")

    def test_a_wrong_board_changes_nothing(self):
        done = self.deskbell(*self.words, "--board", "raspbery-pi-4")
        self.assertEqual(done.returncode, 1)
        self.assertIn("did you mean 'raspberry-pi-4'?", done.stderr)
        self.assertEqual(list(self.folder.iterdir()), [])
        self.assertEqual(self.deskbell(*self.words).returncode, 2)

    def test_on_a_terminal(self):
        master, slave = pty.openpty()
        process = subprocess.Popen([DESKBELL, *self.words], cwd=self.folder, env=self.environment, stdin=slave,
                                   stdout=slave, stderr=slave)
        os.close(slave)
        seen = ""
        try:
            seen = self.read_until(master, "Which board? ")
            boards = [line.strip() for line in seen.splitlines()]
            number = next(line.split()[0] for line in boards if line.endswith("Simulated board"))
            os.write(master, f"{number}\n".encode())
            seen += self.read_until(master, "Which display? ")
            os.write(master, b"3\n")
            seen += self.read_until(master, None)
        finally:
            os.close(master)
            process.wait(PATIENCE_SECONDS)
        self.assertEqual(process.returncode, 0, seen)
        self.assertIn("Raspberry Pi 4 Model B", seen)
        self.assertIn("(max7219)", seen)
        self.assertRegex(self.config.read_text(), '(?m)^board: "simulated" .*\ndisplay: "max7219" ')
        self.assertIn(f"Wrote {self.config}", seen)
        self.assertIn(f"deskbell serve --config {self.config}", seen)
        self.assertIn(f"deskbell push {APP} --title Hello --badge 1", seen)

    def read_until(self, master, text):
        """What a terminal shows, up to that text; to the end for None."""
        seen = ""
        while text is None or text not in seen:
            try:
                part = os.read(master, 4096)
            except OSError:
                part = b""
            if not part:
                self.assertIsNone(text, seen)
                break
            seen += part.decode()
        return seen


class DoctorTests(unittest.TestCase):
    def findings(self, done):
        return {(found["subject"], found["grade"]): found for found in json.loads(done.stdout)}

    def test_a_daemon_that_is_well(self):
        with Appliance() as appliance:
            appliance.install_mailroom()
            appliance.run("conditions", "silent", "on")
            done = appliance.command("doctor", "--json")
            self.assertEqual(done.returncode, 0)
            found = self.findings(done)
            self.assertEqual(found["push port", "fine"]["text"],
                             f"127.0.0.1:{appliance.port} answers, and its certificate is good")
            self.assertEqual(found["apps", "fine"]["text"], "1 app, 1 provider")
            self.assertEqual(found["handset", "notable"]["advice"], "deskbell conditions silent off")
            self.assertNotIn("broken", [grade for _, grade in found])
            for device in ["lamp", "display", "speaker"]:
                self.assertIn((device, "fine"), found)

    def test_a_daemon_whose_board_is_missing(self):
        with Appliance(board="raspberry-pi-4") as appliance:
            done = appliance.command("doctor", "--json", check=False)
            self.assertEqual(done.returncode, 1)
            found = self.findings(done)
            self.assertIn("pinctrl-bcm2711", found["lamp", "broken"]["text"])
            self.assertIn(("speaker", "fine"), found)

    def test_no_daemon(self):
        appliance = Appliance()
        self.addCleanup(appliance.folder_handle.cleanup)
        done = appliance.command("doctor", "--json", check=False)
        self.assertEqual(done.returncode, 3)
        self.assertIn(("daemon", "broken"), self.findings(done))


if __name__ == "__main__":
    unittest.main()
