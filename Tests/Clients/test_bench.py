"""`deskbell bench`, started as a test would start it, and driven by a provider that is not ours."""

import json
import os
import secrets
import shlex
import signal
import stat
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

import httpx
import jwt

from Tests.support.appliance import APP, Mailroom, make_key
from Tests.support.http2_wire import client_context
from Tests.support.project import DESKBELL, PATIENCE_SECONDS, ROOT

LOUD = {"aps": {"alert": "hello", "badge": 3, "sound": "default"}}


class Bench:
    """A bench that ends with the standard input. Use it in a `with` statement."""

    def __init__(self, *options):
        self.folder = tempfile.TemporaryDirectory(prefix="deskbell-")
        self.process = subprocess.Popen(
            [DESKBELL, "bench", "--json", "--until-eof", *options], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True, env={**os.environ, "TMPDIR": self.folder.name})

    def __enter__(self):
        line = self.process.stdout.readline()
        if not line:
            raise AssertionError(self.process.communicate(timeout=PATIENCE_SECONDS)[1])
        self.variables = json.loads(line)
        self.control = httpx.Client(
            transport=httpx.HTTPTransport(uds=self["BELL_CONTROL"]), base_url="http://bell/v1", timeout=PATIENCE_SECONDS)
        self.provider = httpx.Client(
            http2=True, verify=client_context(self["BELL_CA"]), base_url=self["BELL_URL"], timeout=PATIENCE_SECONDS)
        return self

    def __getitem__(self, name):
        return self.variables[name]

    def __exit__(self, *words):
        self.provider.close()
        self.control.close()
        self.code = self.end()
        self.left = os.listdir(self.folder.name)
        self.folder.cleanup()

    def end(self):
        if self.process.poll() is None:
            self.process.stdin.close()
        code = self.process.wait(timeout=PATIENCE_SECONDS)
        self.process.stdout.close()
        self.process.stderr.close()
        return code

    def bearer(self, key=None, key_id=None, team=None):
        """Makes a provider token at the bench's own time."""
        seconds = self.control.get("/clock").json()["wallMicroseconds"] // 1_000_000
        return jwt.encode(
            {"iss": team or self["BELL_TEAM_ID"], "iat": seconds}, key or Path(self["BELL_KEY"]).read_text(),
            algorithm="ES256", headers={"kid": key_id or self["BELL_KEY_ID"]})

    def push(self, topic, token=None, bearer=None):
        answer = self.provider.post(
            f"/3/device/{token or self['BELL_TOKEN']}", json=LOUD,
            headers={"authorization": f"bearer {bearer or self.bearer()}", "apns-topic": topic,
                     "apns-push-type": "alert"})
        return (answer.status_code, answer.json()["reason"]) if answer.content else answer.status_code

    def get(self, path):
        answer = self.control.get(path)
        answer.raise_for_status()
        return answer.json()

    def reset(self, path="/bench/reset"):
        self.control.post(path).raise_for_status()


def runs(process):
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def gone(process):
    """Waits until a process has ended; in a container nobody may reap it."""
    end = time.monotonic() + PATIENCE_SECONDS
    while runs(process) and time.monotonic() < end:
        time.sleep(0.02)
    return not runs(process)


class BenchTests(unittest.TestCase):
    def test_a_first_push_and_nothing_left(self):
        with Bench() as bench:
            folder = Path(bench["BELL_CA"]).parent
            self.assertEqual(stat.S_IMODE(folder.stat().st_mode), 0o700)
            self.assertEqual(stat.S_IMODE(os.stat(bench["BELL_KEY"]).st_mode), 0o600)
            self.assertTrue(Path(bench["BELL_CLOCK"]).exists())
            bearer = bench.bearer()
            self.assertEqual(bench.push("com.example.mail", bearer=bearer), 200)
            self.assertEqual(bench.get("/state")["presentation"]["badge"], 3)
            request = bench.get("/requests")["requests"][-1]
            self.assertEqual((request["provider"], request["app"]), ("bench", "com.example.mail"))
            self.assertEqual(bench.push("com.example.other", bearer=bearer), (400, "DeviceTokenNotForTopic"))
            self.assertEqual(bench.push("com.example.other", secrets.token_hex(32), bearer), 200)
            daemon = int(bench["BELL_PID"])
        self.assertEqual((bench.code, bench.left), (0, []))
        self.assertTrue(gone(daemon))

    def test_a_key_that_nobody_knows_and_one_that_is_forged(self):
        with Bench() as bench:
            unknown = bench.bearer(make_key(), "ABCDEFGHIJ", "KLMNOPQRST")
            self.assertEqual(bench.push("com.example.mail", bearer=unknown), 200)
            request = bench.get("/requests")["requests"][-1]
            self.assertEqual(request["provider"], "unverified KLMNOPQRST/ABCDEFGHIJ")
        with Bench() as bench:
            forged = bench.bearer(make_key())
            self.assertEqual(bench.push("com.example.mail", bearer=forged), (403, "InvalidProviderToken"))

    def test_resets_are_quick_and_complete(self):
        with Bench("--handsets", "2") as bench:
            bearer = bench.bearer()
            for token in [bench["BELL_TOKEN_1"], bench["BELL_TOKEN_2"]]:
                self.assertEqual(bench.push("com.example.mail", token, bearer), 200)
            bench.reset("/handsets/2/bench/reset")
            self.assertEqual(bench.get("/handsets/1/state")["unseen"], 1)
            self.assertEqual(bench.get("/handsets/2/state")["unseen"], 0)
            bench.reset()
            self.assertEqual(bench.get("/state")["unseen"], 0)
            self.assertEqual(bench.get("/requests")["requests"], [])
            times = []
            for _ in range(20):
                self.assertEqual(bench.push("com.example.mail", bench["BELL_TOKEN_1"], bearer), 200)
                began = time.perf_counter()
                bench.reset()
                times.append(time.perf_counter() - began)
            self.assertLess(min(times), 0.005)

    def test_a_thousand_handsets(self):
        with Bench("--handsets", "1000") as bench:
            self.assertEqual(len(bench.get("/handsets")), 1000)
            self.assertEqual(bench.push("com.example.mail", bench["BELL_TOKEN_1000"]), 200)
            self.assertEqual(bench.get("/handsets/1000/state")["unseen"], 1)

    def test_our_own_commands_find_it(self):
        with Bench() as bench:
            environment = {**os.environ, "DESKBELL_CONTROL": bench["DESKBELL_CONTROL"], "HOME": bench.folder.name,
                           "XDG_STATE_HOME": bench.folder.name + "/state"}

            def run(*words):
                return subprocess.run(
                    [DESKBELL, *words], env=environment, check=True, capture_output=True, text=True).stdout

            run("push", "com.example.never-named", "--title", "A letter")
            self.assertIn("com.example.never-named", run("app", "list"))
            run("bench", "reset")
            self.assertEqual(bench.get("/state")["unseen"], 0)

    def test_a_command_has_the_variables_and_its_exit_code_counts(self):
        with tempfile.TemporaryDirectory(prefix="deskbell-") as folder:
            program = "import os; print(os.environ['BELL_URL'], os.environ['BELL_TOKEN']); raise SystemExit(7)"
            done = subprocess.run(
                [DESKBELL, "bench", "--run", sys.executable, "-c", program], env={**os.environ, "TMPDIR": folder},
                capture_output=True, text=True, timeout=PATIENCE_SECONDS)
            self.assertEqual(done.returncode, 7, done.stderr)
            url, token = done.stdout.split()
            self.assertRegex(url, r"^https://127\.0\.0\.1:\d+$")
            self.assertRegex(token, "^[0-9a-f]{64}$")
            self.assertEqual(os.listdir(folder), [])
            missing = subprocess.run(
                [DESKBELL, "bench", "--run", "/no/such/program"], env={**os.environ, "TMPDIR": folder},
                capture_output=True, text=True, timeout=PATIENCE_SECONDS)
            self.assertEqual(missing.returncode, 127)
            self.assertEqual(os.listdir(folder), [])

    def test_in_the_background_with_a_file_for_ci(self):
        with tempfile.TemporaryDirectory(prefix="deskbell-") as folder:
            file = Path(folder, "env")
            lines = subprocess.run(
                [DESKBELL, "bench", "--background", "--env-file", file], env={**os.environ, "TMPDIR": folder},
                capture_output=True, text=True, check=True, timeout=PATIENCE_SECONDS).stdout
            printed = dict(shlex.split(line)[1].split("=", 1) for line in lines.splitlines())
            written = dict(line.split("=", 1) for line in file.read_text().splitlines())
            self.assertEqual(printed, written)
            daemon = int(printed["BELL_PID"])
            transport = httpx.HTTPTransport(uds=printed["BELL_CONTROL"])
            with httpx.Client(transport=transport, timeout=PATIENCE_SECONDS) as control:
                self.assertEqual(control.get("http://bell/v1/bench").json()["url"], printed["BELL_URL"])
            os.kill(daemon, signal.SIGTERM)
            self.assertTrue(gone(daemon))
            self.assertEqual(os.listdir(folder), ["env"])

    def test_signals_leave_nothing(self):
        for number in [signal.SIGINT, signal.SIGTERM, signal.SIGHUP]:
            with Bench() as bench:
                daemon = int(bench["BELL_PID"])
                bench.process.send_signal(number)
                self.assertEqual(bench.process.wait(timeout=PATIENCE_SECONDS), 0)
            self.assertEqual(bench.left, [], number)
            self.assertTrue(gone(daemon))

    def test_it_ends_with_the_program_that_started_it_and_with_a_kill(self):
        with tempfile.TemporaryDirectory(prefix="deskbell-") as folder:
            starter = (
                "import subprocess, sys; bench = subprocess.Popen([sys.argv[1], 'bench', '--json'], "
                "stdout=subprocess.PIPE, text=True); print(bench.stdout.readline(), flush=True); sys.stdin.read()")
            parent = subprocess.Popen(
                [sys.executable, "-c", starter, DESKBELL], env={**os.environ, "TMPDIR": folder},
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
            daemon = int(json.loads(parent.stdout.readline())["BELL_PID"])
            parent.kill()
            parent.communicate(timeout=PATIENCE_SECONDS)
            self.assertTrue(gone(daemon))
            end = time.monotonic() + PATIENCE_SECONDS
            while os.listdir(folder) and time.monotonic() < end:
                time.sleep(0.02)
            self.assertEqual(os.listdir(folder), [])
        with Bench() as bench:
            daemon = int(bench["BELL_PID"])
            bench.process.kill()
            self.assertTrue(gone(daemon))
        self.assertEqual(bench.left, [])


class DeskTests(unittest.TestCase):
    """The daemon of a desk has no bench: nothing but the option of `deskbell bench` makes one."""

    # What only a bench answers, and what a desk answers instead.
    ROUTES = {
        "GET /v1/faults": 404, "POST /v1/faults": 404, "DELETE /v1/faults": 404, "DELETE /v1/faults/busy": 404,
        "GET /v1/faults/presets": 404, "GET /v1/bench": 404, "POST /v1/bench/reset": 404, "POST /v1/bench/tokens": 404,
        "POST /v1/handsets/1/bench/reset": 404, "GET /v1/lint": 404, "GET /v1/requests": 404, "GET /v1/settled": 404}
    FAULT = {"name": "busy", "answer": 503, "bench": True, "fault": "busy", "value": "on"}

    def answers(self, control):
        def ask(route):
            method, path = route.split()
            return control.request(method, path, json=self.FAULT).status_code

        return {route: ask(route) for route in self.ROUTES}

    def test_no_route_key_setting_or_variable_makes_one(self):
        with Bench() as bench:
            variables = {name: value for name, value in bench.variables.items() if name.startswith("BELL_")}
        more = {f"{prefix}_{name}": "1" for prefix in ("DESKBELL", "BELL") for name in ("BENCH", "FAULT", "FAULTS")}
        # As one would start it by mistake in a shell that has a bench's variables.
        with Mailroom("--clock", "virtual", "--all", environment={**variables, **more}) as desk, httpx.Client(
                transport=httpx.HTTPTransport(uds=str(desk.folder / "c.sock")), base_url="http://bell",
                timeout=PATIENCE_SECONDS) as control:
            self.assertEqual(self.answers(control), self.ROUTES)
            for path, methods in json.loads((ROOT / "docs/openapi.json").read_text())["paths"].items():
                for method in methods:
                    if method == "parameters" or path.rpartition("/")[2] in ("events", "audio"):
                        continue
                    words = {"{handset}": "1", "{app}": APP, "{key}": "bench", "{name}": "busy"}
                    for name, value in words.items():
                        path = path.replace(name, value)
                    control.request(method, f"/v1{path}?bench=true&fault=busy", json=self.FAULT)
            self.assertEqual(self.answers(control), self.ROUTES)
            keys = [setting["key"] for setting in desk.report("settings")]
            self.assertEqual([key for key in keys if key.startswith(("bench", "fault"))], [])
            self.assertIn("NotABench", desk.refusal("fault", "add", "answer=503"))

    def test_the_hidden_option_alone_makes_none(self):
        with tempfile.TemporaryDirectory(prefix="deskbell-") as folder:
            own, control = f"{folder}/deskbell-bench.a", f"{folder}/c.sock"
            for words, why in (
                    (["--state", f"{folder}/state"], "--bench needs --bench-folder"),
                    (["--state", f"{folder}/state", "--bench-folder", own], "is not in"),
                    (["--state", f"{own}/state", "--bench-folder", own, "--listen", "*:0"], "is not this machine's")):
                done = subprocess.run(
                    [DESKBELL, "serve", "--config", "none", "--board", "simulated", "--panel", "off", "--control",
                     control, "--listen", "127.0.0.1:0", "--bench", *words],
                    capture_output=True, text=True, timeout=PATIENCE_SECONDS)
                self.assertNotEqual(done.returncode, 0, words)
                self.assertIn(why, done.stderr)
            self.assertEqual(os.listdir(folder), [])

    def test_a_second_start_leaves_the_folder_of_a_bench_that_runs(self):
        with Bench() as bench:
            folder = Path(bench["BELL_CA"]).parent
            before = sorted(os.listdir(folder))
            done = subprocess.run(
                [DESKBELL, "serve", "--config", "none", "--board", "simulated", "--panel", "off", "--control",
                 bench["BELL_CONTROL"], "--listen", "127.0.0.1:0", "--state", folder / "state", "--bench",
                 "--bench-folder", folder], capture_output=True, text=True, timeout=PATIENCE_SECONDS)
            self.assertNotEqual(done.returncode, 0, done.stderr)
            self.assertEqual(sorted(os.listdir(folder)), before)
            self.assertEqual(bench.push("com.example.mail"), 200)

    def test_no_push_reaches_a_fault(self):
        with Mailroom() as desk:
            words = {"answer": "503", "reason": "Shutdown", "x-fault": "cut=answer", "bench": "true", "delay": "1h",
                     "deskbell-fault": "answer=503"}
            for number in range(3):
                desk.push({"aps": {"alert": "hello"}, **self.FAULT, "faults": [self.FAULT]}, headers=words)
                self.assertEqual(desk.curl("{}", token=f"{desk.token}?answer=503&fault=busy")[0], 400, number)

    def test_no_settings_file_makes_one(self):
        with tempfile.TemporaryDirectory(prefix="deskbell-") as folder:
            file = Path(folder, "deskbell.yaml")
            for key, value in {"bench": "true", "faults": "{ busy: { answer: 503 } }", "fault": "answer=503"}.items():
                file.write_text(f"board: simulated\n{key}: {value}\n")
                done = subprocess.run(
                    [DESKBELL, "check", file], capture_output=True, text=True, timeout=PATIENCE_SECONDS)
                self.assertEqual(done.returncode, 1, key)
                self.assertIn(f"{file}:2:1: error: unknown key '{key}'", done.stdout + done.stderr)


if __name__ == "__main__":
    unittest.main()
