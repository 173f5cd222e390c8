"""From nothing to the first push: setup with and without a terminal, the daemon that results, and doctor."""

import json
import os
import stat
import subprocess
import tempfile
import unittest
from pathlib import Path

from Tests.support.appliance import APP, Appliance, Mailroom
from Tests.support.project import DESKBELL, PATIENCE_SECONDS, ROOT, free_port
from Tests.support.terminal import Terminal


def refusal(appliance, port=0):
    """Returns the output of a daemon that does not start."""
    appliance.launch(port)
    appliance.finish()
    return "\n".join(appliance.errors)


class SetupTests(unittest.TestCase):
    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory(prefix="deskbell-setup-")))
        self.environment = {**os.environ, "HOME": str(self.folder), "DESKBELL_CONTROL": str(self.folder / "c.sock")}
        self.environment.pop("XDG_CONFIG_HOME", None)
        self.config = self.folder / "desk.yaml"
        self.words = ["setup", "--config", str(self.config), "--state", str(self.folder / "state"),
                      "--listen", "127.0.0.1:0", "--name", "localhost"]

    def deskbell(self, *words, umask=-1):
        return subprocess.run([DESKBELL, *words], cwd=self.folder, env=self.environment, capture_output=True, text=True,
                              stdin=subprocess.DEVNULL, timeout=PATIENCE_SECONDS, umask=umask)

    def resulting(self):
        """Returns the daemon that setup has made."""
        appliance = Appliance("--config", self.config, board=None)
        appliance.environment = self.environment
        appliance.state = self.folder / "state"
        return appliance

    def test_without_a_terminal(self):
        done = self.deskbell(*self.words, "--board", "simulated", "--json")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        report = json.loads(done.stdout)
        self.assertEqual((report["board"], report["devices"], report["isRunning"]), ("simulated", [], False))
        card = json.loads((self.folder / "deskbell-provider/provider.json").read_text())
        self.assertEqual(card, report["provider"])
        self.assertEqual((card["host"], card["topic"], card["certificateAuthority"]), ("localhost", APP, "ca.pem"))
        # The files named in docs/clients.md, which its programs read.
        names = {"provider.json", "ca.pem", "token", card["key"]}
        self.assertEqual({path.name for path in (self.folder / "deskbell-provider").iterdir()}, names)
        page = (ROOT / "docs/clients.md").read_text().split("\n## ")[0]
        self.assertEqual({name for name in names if f"`{name}`" in page.replace("AuthKey_KEYID.p8", card["key"])}, names)
        self.assertEqual((self.folder / "deskbell-provider/token").read_text(), card["deviceToken"] + "\n")
        for name in names:
            mode = stat.S_IMODE((self.folder / "deskbell-provider" / name).stat().st_mode)
            self.assertEqual(mode, 0o600, name)

        # The resulting daemon rings with only the files of that folder.
        with self.resulting() as appliance:
            appliance.key = (self.folder / "deskbell-provider" / card["key"]).read_text()
            token = appliance.bearer(iss=card["teamID"], kid=card["keyID"])
            appliance.push({"aps": {"alert": "Hello", "badge": 1}}, token=card["deviceToken"], bearer=token)
            self.assertEqual(appliance.report("state")["presentation"]["badge"], 1)

    def test_the_daemons_user_may_read_what_a_careful_root_writes(self):
        board = self.folder / "desk-board.yaml"
        for words in [["board", "new", str(board), "--with", "{ like: raspberry-pi-4, board: Desk }"],
                      [*self.words, "--board", "simulated"]]:
            done = self.deskbell(*words, umask=0o077)
            self.assertEqual(done.returncode, 0, done.stderr)
        for file in [self.config, board, board.with_suffix(".svg")]:
            self.assertEqual(stat.S_IMODE(file.stat().st_mode), 0o644, file)
        key = self.folder / "deskbell-provider/provider.json"
        self.assertEqual(stat.S_IMODE(key.stat().st_mode), 0o600)

    def test_nothing_is_overwritten_unasked(self):
        self.config.write_text("board: simulated\n")
        done = self.deskbell(*self.words, "--board", "simulated")
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertIn(f"{self.config} already exists\n  give --force", done.stderr)
        self.assertEqual(self.config.read_text(), "board: simulated\n")
        self.assertEqual(self.deskbell(*self.words, "--board", "simulated", "--force").returncode, 0)
        self.assertEqual((self.folder / "desk.yaml~").read_text(), "board: simulated\n")

    def test_it_runs_again(self):
        self.words[self.words.index("--listen") + 1] = f"127.0.0.1:{free_port()}"
        first = json.loads(self.deskbell(*self.words, "--board", "simulated", "--json").stdout)
        provider = self.folder / "deskbell-provider"
        files = {path.name: path.read_text() for path in provider.iterdir()}
        again = self.deskbell(*self.words, "--board", "simulated", "--json")
        self.assertEqual((again.returncode, again.stderr), (0, ""))
        report = json.loads(again.stdout)
        # A tester's copy of the folder stays valid, and the topic keeps its key.
        self.assertEqual(report["provider"], first["provider"])
        self.assertEqual({path.name: path.read_text() for path in provider.iterdir()}, files)
        self.assertTrue(first["topic"]["key"])
        self.assertNotIn("key", report["topic"])
        self.assertFalse((self.folder / "desk.yaml~").exists())
        # An invalid folder is kept beside the new one.
        (provider / "ca.pem").write_text("another authority\n")
        other = json.loads(self.deskbell(*self.words, "--board", "simulated", "--json").stdout)
        self.assertNotEqual(other["provider"]["keyID"], first["provider"]["keyID"])
        self.assertEqual((self.folder / "deskbell-provider~/ca.pem").read_text(), "another authority\n")
        self.assertEqual((provider / "ca.pem").read_text(), files["ca.pem"])

    def test_the_line_of_curl_rings_as_printed(self):
        self.words[self.words.index("--listen") + 1] = f"127.0.0.1:{free_port()}"
        said = self.deskbell(*self.words, "--board", "simulated").stdout
        line = next(line.strip() for line in said.splitlines() if line.startswith("  curl "))
        appliance = self.resulting()
        appliance.arguments = lambda port: ["serve", *appliance.options]
        with appliance:
            done = subprocess.run(["bash", "-c", line], capture_output=True, text=True, timeout=PATIENCE_SECONDS)
            self.assertEqual(done.returncode, 0, line + done.stderr)
            self.assertIn("A parcel", json.dumps(appliance.report("center")))

    def test_a_wrong_board_changes_nothing(self):
        done = self.deskbell(*self.words, "--board", "raspbery-pi-4")
        self.assertEqual(done.returncode, 1)
        self.assertIn("did you mean 'raspberry-pi-4'?", done.stderr)
        self.assertEqual(list(self.folder.iterdir()), [])
        self.assertEqual(self.deskbell(*self.words).returncode, 2)

    def test_on_a_terminal(self):
        with Terminal([DESKBELL, *self.words], cwd=self.folder, env=self.environment) as terminal:
            seen = terminal.wait_for("Which board? ")
            number = next(line.split()[0] for line in seen.splitlines() if line.strip().endswith("Simulated board"))
            terminal.press(f"{number}\n")
            displays = terminal.wait_for("Which display? ")
            number = next(line.split()[0] for line in displays.splitlines() if line.strip().endswith("(max7219)"))
            seen += displays
            terminal.press(f"{number}\n")
            status, last = terminal.finish()
        seen += last
        self.assertEqual(status, 0, seen)
        self.assertIn("Raspberry Pi 4 Model B", seen)
        self.assertIn("(max7219)", seen)
        self.assertRegex(self.config.read_text(), '(?m)^board: "simulated" .*\ndisplay: "max7219" ')
        self.assertIn(f"Wrote {self.config}", seen)
        self.assertIn(f"deskbell serve --config {self.config}", seen)
        self.assertIn(f"deskbell push {APP} --title Hello --badge 1", seen)
        self.assertRegex(seen, r"  curl -k --pinnedpubkey 'sha256//\S+' -H 'Authorization: Bearer \S+' -d 'A parcel' https://")


class DoctorTests(unittest.TestCase):
    def findings(self, appliance, status=None):
        """Returns what doctor finds, by subject and grade; it ends with that exit status."""
        done = appliance.command("doctor", "--json", check=False)
        self.assertIn(done.returncode, (0, 1, 3) if status is None else (status,), done)
        return {(found["subject"], found["grade"]): found for found in json.loads(done.stdout)}

    def test_a_daemon_that_is_well(self):
        with Mailroom() as appliance:
            appliance.run("conditions", "silent", "on")
            found = self.findings(appliance, 0)
            self.assertEqual(found["push port", "fine"]["text"],
                             f"127.0.0.1:{appliance.port} answers, and its certificate is good")
            self.assertEqual(found["apps", "fine"]["text"], "1 app, 1 provider")
            self.assertEqual(found["handset", "notable"]["advice"], "deskbell conditions silent off")
            self.assertNotIn("broken", [grade for _, grade in found])
            for device in ["lamp", "display", "speaker"]:
                self.assertIn((device, "fine"), found)

    def test_a_daemon_whose_board_is_missing(self):
        with Appliance(board="raspberry-pi-4") as appliance:
            found = self.findings(appliance, 1)
            self.assertIn("pinctrl-bcm2711", found["lamp", "broken"]["text"])
            self.assertIn(("speaker", "fine"), found)

    def test_the_settings_file_is_the_daemons(self):
        with Appliance(board=None, settings="board: simulated\n") as appliance:
            found, config = self.findings(appliance), appliance.folder / "settings.yaml"
            self.assertEqual(found["configuration", "fine"]["text"], f"{config.resolve()} is fine")
            self.assertIn(str(appliance.state.resolve()), found["state", "fine"]["text"])

    def test_serve_reads_the_file_that_setup_wrote(self):
        appliance = Appliance(board=None)
        self.addCleanup(appliance.folder_handle.cleanup)
        folder = appliance.folder / "settings"
        folder.mkdir()
        (folder / "deskbell.yaml").write_text("board: none-such\n")
        appliance.environment |= {"CONFIGURATION_DIRECTORY": str(folder), "HOME": str(appliance.folder)}
        self.assertIn("board 'none-such': no such file and no shipped board", refusal(appliance))
        self.assertIn("board 'none-such'", self.findings(appliance)["configuration", "broken"]["text"])

    def test_the_log_is_shown_where_no_daemon_runs(self):
        appliance = Appliance()
        self.addCleanup(appliance.folder_handle.cleanup)
        program = appliance.folder / "journalctl"
        program.write_text("#!/bin/sh\necho \"deskbell[1]: the last words, $2\"\n")
        program.chmod(0o755)
        appliance.environment["PATH"] = f"{appliance.folder}:{os.environ['PATH']}"
        found = self.findings(appliance)
        self.assertEqual(found["log", "notable"]["text"], "deskbell[1]: the last words, deskbell.service")

    def test_no_daemon(self):
        appliance = Appliance()
        self.addCleanup(appliance.folder_handle.cleanup)
        self.assertIn(("daemon", "broken"), self.findings(appliance, 3))


class TwoDaemonsTests(unittest.TestCase):
    def test_a_taken_port_names_who_has_it(self):
        with Appliance() as first:
            second = Appliance()
            self.addCleanup(second.folder_handle.cleanup)
            said = refusal(second, first.port)
            self.assertIn(f" (process {first.process.pid}, user ", said)
            # A test of a system's service runs in its unit.
            self.assertRegex(
                said, f"stop it with '(kill {first.process.pid}|sudo .*)', or choose another with --listen '127.0.0.1:")

    def test_two_control_sockets_in_one_folder(self):
        with Appliance() as first:
            second = Appliance(environment={"DESKBELL_CONTROL": str(first.folder / "d.sock")})
            with second:
                self.assertTrue((first.folder / "c-apps.sock").is_socket())
                self.assertTrue((first.folder / "d-apps.sock").is_socket())
            third = Appliance(environment={"DESKBELL_CONTROL": str(first.folder / "c.sock")})
            self.addCleanup(third.folder_handle.cleanup)
            self.assertIn(f" (process {first.process.pid}, user ", refusal(third))
