"""A restart in the middle of 500 pushes, for independent clients: no answered push is lost, and none rings twice
because an application sent a stored push again."""

import collections
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
import unittest
from pathlib import Path

from Tests.support.appliance import APP, KEY_ID, TEAM, Mailroom
from Tests.support.project import PATIENCE_SECONDS, ROOT

HERE = Path(__file__).resolve().parent / "restarts"
# make test-restarts sends the full number.
PUSHES = 500 if "EVERY_CLIENT" in os.environ else 120
# The limit that docs/http2.md promises for silent clients.
LIMIT_SECONDS = 0.3
PYTHON = [sys.executable, HERE / "in_python.py"]
CLIENTS = {
    "httpx": [*PYTHON, "httpx"], "aioapns": [*PYTHON, "aioapns"], "kalyke": [*PYTHON, "kalyke"],
    "pyapns2": [ROOT / ".build/pyapns2/bin/python", *PYTHON[1:], "pyapns2"], "curl": ["bash", HERE / "push.sh"],
    "node": ["node", HERE / "push.mjs"], "go": ["go", "run", HERE / "push.go"], "java": ["java", HERE / "Push.java"]}


class RestartTests(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.appliance = cls.enterClassContext(Mailroom(wav=False))

    def push_through(self, client, signal_number):
        """Stops the daemon with that signal after a third of the answers, and starts it again. Returns the answers of
        each push, the failures, the stored counts, and the duration of the stop."""
        appliance = self.appliance
        appliance.run("center", "--clear")
        environment = {
            **os.environ, "URL": f"https://localhost:{appliance.port}/3/device/{appliance.token}", "CA": str(appliance.ca),
            "BEARER": appliance.bearer(), "TOPIC": APP, "COUNT": str(PUSHES), "HOST": "localhost",
            "PORT": str(appliance.port), "DEVICE": appliance.token, "KEY": str(appliance.folder / "key.p8"),
            "KEY_ID": KEY_ID, "TEAM": TEAM}
        program = subprocess.Popen(
            CLIENTS[client], env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            text=True, cwd=appliance.folder)
        guard = threading.Timer(4 * PATIENCE_SECONDS, program.kill)
        guard.start()
        said, failures, seconds = collections.defaultdict(list), collections.Counter(), None
        for line in program.stdout:
            number, status = line.split(maxsplit=1)
            if status.startswith("failed"):
                failures[status.strip()] += 1
                continue
            said[int(number)].append(int(status))
            if len(said) == PUSHES // 3 and seconds is None:
                began = time.monotonic()
                if signal_number == signal.SIGTERM:
                    appliance.stop()
                else:
                    appliance.kill()
                seconds = time.monotonic() - began
                appliance.start(appliance.port)
        program.wait()
        guard.cancel()
        self.assertEqual(program.returncode, 0, program.stderr.read())
        program.stdout.close()
        program.stderr.close()
        stored = collections.Counter(each["body"] for each in appliance.report("center", "--limit", 2 * PUSHES))
        return said, failures, stored, seconds

    def check(self, client):
        program = CLIENTS[client][0]
        if not shutil.which(program):
            self.assertNotIn("EVERY_CLIENT", os.environ, f"{program} is not installed")
            self.skipTest(f"{program} is not installed: make test-restarts installs it")
        with self.subTest("SIGTERM"):
            said, failures, stored, seconds = self.push_through(client, signal.SIGTERM)
            self.assertEqual(said, {number: [200] for number in range(PUSHES)})
            self.assertEqual(stored, {str(number): 1 for number in range(PUSHES)}, failures)
            if "EVERY_CLIENT" in os.environ:
                print(f"{client}: stopped in {seconds:.2f} s; {sum(failures.values())} failures: {dict(failures)}")
            # A busy machine may be late.
            self.assertLess(seconds, 10 * LIMIT_SECONDS)
        with self.subTest("kill -9"):
            said, failures, stored, _ = self.push_through(client, signal.SIGKILL)
            self.assertEqual(said, {number: [200] for number in range(PUSHES)})
            self.assertEqual(set(stored), {str(number) for number in range(PUSHES)}, failures)
            # Pushes stored without an answer, lost with the process, come again under a new identifier.
            if "EVERY_CLIENT" in os.environ:
                print(f"{client}: {sum(stored.values()) - PUSHES} twice after kill -9")

    def test_pyapns2(self):
        # Its own library needs an older h2 than httpx does.
        subprocess.run(
            [ROOT / "scripts/python-environment.sh", ROOT / ".build/pyapns2", ROOT / "Tests/Clients/pyapns2.txt"],
            env={**os.environ, "PYTHON": sys.executable}, check=True, capture_output=True)
        self.check("pyapns2")


def tested(client):
    return lambda self: self.check(client)


for name in CLIENTS.keys() - {"pyapns2"}:
    setattr(RestartTests, f"test_{name}", tested(name))
