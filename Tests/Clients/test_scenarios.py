"""The scenarios: a provider that does right passes, and one that does wrong fails with its line and sentence."""

import json
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from junitparser import JUnitXml

from Tests.support.project import DESKBELL, PATIENCE_SECONDS, ROOT

SCENARIOS = Path(ROOT, "examples/scenarios")
PROVIDERS = Path(ROOT, "examples/providers")
# Of each scenario: a mistake, a part of the line that fails (the last that has it), and the sentence.
WRONG = [
    ("01-badge", "badge-never-falls", 'board: { digits: ""', r'the digits show " *2", not ""'),
    ("02-three-updates-an-hour", "updates-unpaced", "requests:", r"[456] requests came, not 3"),
    ("03-the-newest-is-held", "urgent-updates", "- expect: { answer: 200 }",
     r"answer 400 BadPriority came to #1, not 200"),
    ("03-the-newest-is-held", "no-push-type", "lint: none", r"#1: .* \(lint L101\)"),
    ("04-thirty-seconds", "updates-thrice", "after-previous",
     r"#2 came 0 s after the previous one, not at least 30 s"),
    ("05-the-last-is-kept", "badge-of-one", 'digits: "4"', r'the digits show " *1", not "4"'),
    ("06-registered-again", "ignores-timestamp", "answer: 200", r"no answer 200 came: there is no second attempt"),
    ("07-wrong-environment", "wipes-table", "count: 6", r"3 requests came, not 6"),
    ("08-503-twice", "gives-up", "answer: 503", r"no answer 503 came: there is no second attempt"),
    ("08-503-twice", "ignores-retry-after", "answer: 503", r"#2 came 1 s after the previous one, not at least 2 s"),
    ("08-503-twice", "new-id", "same:", r"#2 has another apns-id than #1: \w{4}… instead of \w{4}…"),
    ("09-500-until-opened-anew", "keeps-bad-connection", "- expect: { answer: 200 }",
     r"answer 500 InternalServerError \(fault broken\) came to #4, not 200"),
    ("10-429-for-one", "stops-for-one", "within: 1s", r"no answer 200 came: there is no second attempt"),
    ("11-permanent", "repeats-permanent", "requests:", r"\d+ requests came, not 1"),
    ("12-one-provider-token", "token-per-push", "credentials", r"\d+ provider tokens came, not 1"),
    ("13-clock-ahead", "repeats-permanent", "requests:", r"\d+ requests came, not 1"),
    ("14-expiry-in-a-burst", "burst-first", "answers:", r"\d answers? 200 came, not 10"),
    ("15-goaway-in-flight", "loses-at-goaway", "presented:", r"mail was presented (once|\d times), not 10 times"),
    ("16-goaway-without-close", "stays-after-goaway", "presented:", r"mail was presented once, not 2 times"),
    ("17-committed-then-cut", "new-id", "presented:", r"mail was presented 2 times, not once"),
    ("17-committed-then-cut", "loses-after-cut", "answer: 200", r"no answer 200 came: there is no second attempt"),
    ("18-answers-cease", "waits-for-ever", "answer: 200", r"no answer 200 came: there is no second attempt"),
    ("19-one-stream", "burst-first", "answers:", r"\d answers? 200 came, not 10"),
    ("20-certificate-expired", "trusts-all", "requests: { count: 0 }", r"1 request came, not 0"),
    ("21-a-call", "keeps-calls", "reason=not-kept", r"there is no event 'discarded mail P2 reason=not-kept'"),
    ("22-a-live-activity", "timestamps-fall", 'board: { digits: "1" }', r'the digits show " *0", not "1"'),
    ("22-a-live-activity", "timestamp-of-attempt", 'board: { digits: "3" }', r'the digits show " *2", not "3"'),
    ("22-a-live-activity", "keeps-ended-token", "count: 8", r"9 requests came, not 8"),
    ("23-a-channel", "push-per-device", "count: 5", r"7 requests came, not 5"),
    ("24-fetched-by-hand", "deltas", "Carla", r'Notification Center lists "Carla"'),
    ("25-the-extension-fails", "text-only-in-extension", "texts: [Mail from Anna]",
     r'Notification Center lists "\(encrypted\)"'),
]


def run(*words, **options):
    environment = {**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
                   "PYTHONPATH": str(PROVIDERS)}
    return subprocess.run([DESKBELL, "scenario", *map(str, words)], env=environment, capture_output=True, text=True,
                          timeout=20 * PATIENCE_SECONDS, **options)


class Bench:
    """A bench that several runs share. Use it in a `with` statement."""

    def __enter__(self):
        self.process = subprocess.Popen([DESKBELL, "bench", "--json", "--until-eof"], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True)
        text = ""
        while line := self.process.stdout.readline():
            text += line
            try:
                self.control = json.loads(text)["BELL_CONTROL"]
                return self
            except ValueError:
                continue
        raise AssertionError(f"the bench ended: {text}")

    def __exit__(self, *_):
        self.process.stdin.close()
        self.process.wait(PATIENCE_SECONDS)
        self.process.stdout.close()


class ScenarioTests(unittest.TestCase):
    maxDiff = None

    def test_all_pass_with_a_provider_that_does_right(self):
        files = sorted(SCENARIOS.glob("*.yaml"))
        self.assertEqual(len(files), 25)
        with tempfile.TemporaryDirectory(prefix="deskbell-") as folder:
            report = Path(folder, "report.xml")
            ended = run("run", *files, "--jobs", 2, "--junit", report, "--out", folder)
            self.assertEqual(ended.returncode, 0, ended.stdout + ended.stderr)
            self.assertEqual(ended.stdout.splitlines()[-1], "25 scenarios passed")
            suite, = JUnitXml.fromfile(str(report))
            self.assertEqual((suite.tests, suite.failures, suite.errors), (25, 0, 0))
            self.assertEqual(len({case.name for case in suite}), 25)

    def test_each_mistake_fails_with_its_line_and_sentence(self):
        with tempfile.TemporaryDirectory(prefix="deskbell-") as folder, Bench() as bench:
            for name, mistake, part, sentence in WRONG:
                with self.subTest(name, mistake=mistake):
                    file = SCENARIOS / f"{name}.yaml"
                    lines = file.read_text(encoding="utf-8").splitlines()
                    command = next(line.split("run:")[1].strip() for line in lines if line.strip().startswith("run:"))
                    line = max(number for number, text in enumerate(lines, 1) if part in text)
                    ended = run("run", file, "--provider", f"{command} --mistake {mistake}", "--against",
                                bench.control, "--out", folder, "--patience", 2, "--json")
                    self.assertEqual(ended.returncode, 1, ended.stdout + ended.stderr)
                    result, = json.loads(ended.stdout)
                    failure = result["failure"]
                    self.assertRegex(failure["sentence"], f"^{sentence}$", failure)
                    self.assertEqual(failure["line"], line, failure)
                    self.assertRegex(failure["log"], rf"^{re.escape(folder)}/{name}/provider\.log:\d+$")

    def test_a_failure_shows_requests_explanation_and_log(self):
        with tempfile.TemporaryDirectory(prefix="deskbell-") as folder:
            report = Path(folder, "report.xml")
            ended = run("run", SCENARIOS / "08-503-twice.yaml", "--provider",
                        "python3 -m mailer --port ${provider.port} --mistake gives-up", "--out", folder,
                        "--junit", report, "--patience", 1)
            self.assertEqual(ended.returncode, 1, ended.stderr)
            self.assertRegex(ended.stdout, r"""(?x)
                ^FAIL\ 08-503-twice\.yaml:\d+\ \ no\ answer\ 503\ came:\ there\ is\ no\ second\ attempt\n
                \ \ expected\ \ answer\ 503,\ fault\ busy,\ at\ least\ 2\ s\ after\ the\ previous,\ before\ [\d:.]+\n
                \ \ happened\ \ [\d:.]+\ \#1\ c1\ mail\ p10\ id\ \w{4}…\ 503\ fault\ busy\ \(1\ of\ 2\)\n
                \ +nothing\ since\n
                \ \ explain\ \ \ \w{4}…:\ refused\ 503\ \(fault\ busy\),\ nothing\ presented\n
                \ \ provider\ \ ".*giving\ up.*"\ \ \ log:\ .*/08-503-twice/provider\.log:\d+\n""")
            case, = [case for suite in JUnitXml.fromfile(str(report)) for case in suite]
            self.assertEqual(case.result[0].message, "no answer 503 came: there is no second attempt")

    def test_a_fault_that_never_struck_fails(self):
        with tempfile.TemporaryDirectory(prefix="deskbell-") as folder:
            file = Path(folder, "never.yaml")
            file.write_text("scenario: nothing happens\nfaults:\n  busy: { answer: 503 }\nsteps:\n  - settle\n")
            ended = run("run", file, "--out", folder)
            self.assertEqual(ended.returncode, 1, ended.stderr)
            self.assertIn("FAIL never.yaml:3  fault busy never struck", ended.stdout)

    def test_a_wrong_file_is_named_with_line_and_column(self):
        with tempfile.TemporaryDirectory(prefix="deskbell-") as folder:
            file = Path(folder, "wrong.yaml")
            file.write_text("scenario: wrong\nsteps:\n  - lunch: mail\n")
            for command in ("run", "check"):
                ended = run(command, file)
                self.assertEqual(ended.returncode, 2)
                self.assertIn(f"{file}:3:5: error: 'lunch' is no step; did you mean 'launch'?",
                              ended.stdout + ended.stderr)
        ended = run("check", *SCENARIOS.glob("*.yaml"))
        self.assertEqual((ended.returncode, ended.stdout.count(": fine\n")), (0, 25))


if __name__ == "__main__":
    unittest.main()
