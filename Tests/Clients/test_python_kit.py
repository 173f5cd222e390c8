"""The kit for pytest, in kits/python: the tests of the mailer with it, each of the mailer's mistakes, and the first
minute of docs/test-bench.md in an environment of its own."""

import concurrent.futures
import os
import re
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

from Tests.support.pages import blocks
from Tests.support.project import DESKBELL, PATIENCE_SECONDS, ROOT, load

KIT, PROVIDERS = ROOT / "kits/python", ROOT / "examples/providers"
TESTS = PROVIDERS / "tests"
MISTAKES = load("examples/providers/mailer/mistakes.py").MISTAKES
# A failing test is awaited for as long as it waits itself.
PYTEST_SECONDS = 4 * PATIENCE_SECONDS


def pytest(*words, folder=TESTS, python=sys.executable, environment=None, path=(KIT, PROVIDERS)):
    """Runs pytest with the kit as a plugin. Returns the finished process."""
    plugin = ["-p", "pytest_deskbell.plugin"] if KIT in path else []
    return subprocess.run(
        [python, "-m", "pytest", "-q", "-p", "no:cacheprovider", *plugin, *map(str, words)], cwd=folder,
        env={**os.environ, "DESKBELL": DESKBELL, "PYTHONPATH": os.pathsep.join(map(str, path)), **(environment or {})},
        stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=PYTEST_SECONDS)


def failures(text):
    """Returns the names of the failed tests, of the output with -rf."""
    return set(re.findall(r"(?m)^FAILED \S+?::(\w+)", text))


def printed_form(shown):
    """Returns the pattern of a report as the page shows it: times, identifiers and events' numbers vary, and a line with
    an ellipsis is any number of lines."""
    lines = "".join("(?:.*\n)*?" if line == "…" else re.escape(line) + "\n" for line in shown.strip().splitlines())
    # From Python 3.11 on, pytest marks the failing part of the line.
    lines = re.sub(r"(?m)^(>.*\n)", r"\1(?: +\\^+\\n)?", lines)
    varies = {r"\d\d:\d\d:\d\d\\\.\d\d\d": r"[\d:.]+", r"\b[0-9A-F]{8}…": "[0-9A-F]{8}…", r"(?m)^\d+(?=\\ )": r"\d+"}
    for part, form in varies.items():
        lines = re.sub(part, lambda _, form=form: form, lines)
    return lines


def named_mistakes():
    """Returns the tests that find each mistake, by the comments before them."""
    found = {}
    source = (TESTS / "test_mailer.py").read_text()
    for names, test in re.findall(r"(?m)^# (.+)\n(?:@.+\n)?def (test_\w+)", source):
        for name in names.split(", "):
            found.setdefault(name, set()).add(test)
    return found


class MailerTests(unittest.TestCase):
    maxDiff = None

    def test_the_right_provider_passes(self):
        for words in ((), ("-n", "4")):
            with self.subTest(words=words):
                done = pytest(*words)
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_each_mistake_fails_in_its_tests(self):
        named = named_mistakes()
        self.assertEqual(set(named), set(MISTAKES))

        def run(mistake):
            tests = (f"test_mailer.py::{test}" for test in sorted(named[mistake]))
            return pytest("-rf", "--tb=short", *tests, environment={"MISTAKE": mistake})

        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            for mistake, done in zip(MISTAKES, pool.map(run, MISTAKES), strict=True):
                with self.subTest(mistake=mistake):
                    self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
                    self.assertEqual(named[mistake] - failures(done.stdout), set(), done.stdout)

    def test_the_harness_is_short(self):
        lines = [line for line in (TESTS / "conftest.py").read_text().splitlines() if line.strip()]
        self.assertLess(len(lines), 15)


class ReportTests(unittest.TestCase):
    """The report of a failure."""

    def failure(self, body):
        """Returns the output of a test with this body."""
        with tempfile.TemporaryDirectory(prefix="deskbell-kit-") as folder:
            lines = "\n".join(f"    {line}" for line in body.splitlines())
            (Path(folder) / "test_it.py").write_text(f"import sys\n\n\ndef test_it(bell):\n{lines}\n")
            done = pytest(folder=folder)
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        return done.stdout

    def test_it_has_the_requests_the_faults_and_the_output_of_the_provider(self):
        text = self.failure(
            'mailer = bell.run([sys.executable, "-m", "mailer", "--mistake", "gives-up"], name="mailer",\n'
            '                  ready=r"listening on (\\d+)")\n'
            'bell.fault(name="busy", answer=503, retry_after=2, pushes=2, app="mail")\n'
            'mailer.post("/mail", to=bell.token("mail"), text="Hello")\n'
            'bell.requests(app="mail").wait_for(3, advancing="1m")')
        self.assertRegex(
            text, r"AssertionError: 3 requests expected of app mail, 1 came while the clock advanced by 60 s\n"
            r"E +#\d+  [\d:.]+  c\d+  mail  alert p10  id [0-9a-fA-F]{8}…  503 ServiceUnavailable \(fault busy\)")
        self.assertRegex(text, r"-+ bell: requests -+\n#\d+ ")
        self.assertRegex(text, r"-+ bell: faults -+\nbusy: .*503.*: struck once\n")
        self.assertRegex(text, r"-+ mailer -+\nlistening on \d+\nmailer: giving up on [0-9a-f-]{36} \(failed\): 503")

    def test_a_comparison_names_each_request(self):
        text = self.failure(
            "from mailer import Mailer\n"
            "with Mailer(bell.url, ca=bell.ca, key=bell.key, key_id=bell.key_id, team_id=bell.team_id,\n"
            '            token=bell.token("mail"), clock=bell.clock) as mailer:\n'
            '    mailer.mails(["one", "two"])\n'
            "    assert bell.requests().statuses == [200, 503, 503]")
        self.assertRegex(text, r"answers are 200, 200, expected 200, 503, 503\n"
                         r"E +#.* 200\nE +#.* 200   <- expected 503\nE +no request #3 came, expected 503\n")

    def test_a_fault_that_never_struck_fails_the_test(self):
        text = self.failure('bell.fault(name="busy", answer=503)')
        self.assertRegex(text, r"a fault was armed and never struck, so the test did not test it:\n  busy: .*503")

    def test_a_refused_fault_says_why(self):
        self.assertRegex(self.failure('bell.fault(answer=503, pushed=2)'), r"ControlError: POST /v1/faults: .*pushed")

    def test_without_a_program_it_says_what_to_install(self):
        with tempfile.TemporaryDirectory(prefix="deskbell-kit-") as folder:
            (Path(folder) / "test_it.py").write_text("def test_it(bell):\n    pass\n")
            done = pytest(folder=folder, environment={"DESKBELL": "/nowhere/deskbell"})
        self.assertIn("there is no program '/nowhere/deskbell'. Install Deskbell, set DESKBELL", done.stdout)


class PackageTests(unittest.TestCase):
    def test_its_types_are_complete(self):
        for folder, package in ((KIT, "pytest_deskbell"), (PROVIDERS, "mailer")):
            done = subprocess.run(
                [sys.executable, "-m", "mypy", "--strict", "--cache-dir", os.devnull, package], cwd=folder,
                capture_output=True, text=True, timeout=PYTEST_SECONDS)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_a_stranger_has_a_first_failure_in_a_minute(self):
        """From `pip install` on: the first test of the page passes, and the second fails as the page says."""
        with tempfile.TemporaryDirectory(prefix="deskbell-stranger-") as folder:
            folder = Path(folder)
            subprocess.run([sys.executable, "-m", "venv", folder / "venv"], check=True)
            python = folder / "venv/bin/python"
            begun = time.monotonic()
            installed = subprocess.run(
                [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", KIT, "httpx[http2]", "pyjwt",
                 "cryptography"], capture_output=True, text=True, timeout=PYTEST_SECONDS)
            self.assertEqual(installed.returncode, 0, installed.stderr)
            [test] = [block for block in blocks("docs/test-bench.md")
                      if block.language == "python" and "def test_a_push_rings" in block.text]
            (folder / "test_push.py").write_text(test.text + "\n")
            done = pytest("-rf", "test_push.py", folder=folder, python=python, path=())
            took = time.monotonic() - begun
        self.assertEqual((done.returncode, failures(done.stdout)), (1, {"test_a_503_is_repeated"}), done.stdout)
        self.assertRegex(done.stdout, r"1 failed, 1 passed")
        [shown] = [block for block in blocks("docs/test-bench.md")
                   if block.language == "text" and "AssertionError: 2 requests expected" in block.text]
        self.assertRegex(done.stdout, printed_form(shown.text))
        self.assertLess(took, 60)

    def test_the_wheel_has_its_types_and_needs_pytest_alone(self):
        with tempfile.TemporaryDirectory(prefix="deskbell-wheel-") as folder:
            subprocess.run(
                [sys.executable, "-m", "pip", "wheel", "--quiet", "--disable-pip-version-check", "--no-deps",
                 "--no-build-isolation", "--wheel-dir", folder, KIT], check=True, timeout=PYTEST_SECONDS)
            [wheel] = Path(folder).glob("*.whl")
            unpacked = Path(folder) / "unpacked"
            subprocess.run([sys.executable, "-m", "zipfile", "-e", wheel, unpacked], check=True)
            [metadata] = unpacked.glob("*.dist-info/METADATA")
            self.assertTrue((unpacked / "pytest_deskbell/py.typed").is_file())
            self.assertEqual(re.findall(r"(?m)^Requires-Dist: (.+)$", metadata.read_text()), ["pytest>=8"])
