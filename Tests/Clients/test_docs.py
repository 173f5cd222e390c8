"""Runs every command line in README, docs, kits and examples as printed, in order, against a daemon of its own.

A block that starts `deskbell serve` gives the page its daemon; any other page gets one on a virtual clock. Blocks after
`<!-- not run: why -->` and lines that build or install are not run, only checked: the command, its options and the make
target must exist. A `text` block after a run block must be its output.
"""

import contextlib
import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import textwrap
import unittest
from pathlib import Path
from xml.etree import ElementTree

from Tests.support.appliance import APP, KEY_ID, Appliance, Mailroom
from Tests.support.certificates import make
from Tests.support.pages import blocks
from Tests.support.project import DESKBELL, PATIENCE_SECONDS, ROOT

PAGES = ["README.md", "docs/README.md", *sorted(
    str(path.relative_to(ROOT)) for path in (ROOT / "docs").rglob("*.md")
    if path.name not in ("README.md",) and "node_modules" not in path.parts), *sorted(
    str(path.relative_to(ROOT)) for folder in ("examples", "kits") for path in (ROOT / folder).glob("*/README.md"))]
BENCH_PAGE = "docs/test-bench.md"
# Pages whose commands ask for what only a test bench has.
BENCH_PAGES = (BENCH_PAGE, "docs/faults.md", "docs/lint.md")
# Lines that install or build, end in a program that stays, or name things that only a reader has.
NOT_RUN = re.compile(r"^(sudo |make |apt|systemctl |journalctl |git |cd |ssh |scp |export )")


class DocsTests(unittest.TestCase):
    maxDiff = None
    # The least number of commands run: a change of the pages' form would leave them out.
    least = 60

    def folder(self):
        return Path(self.enterContext(tempfile.TemporaryDirectory(prefix="deskbell-docs-")))

    def sandbox(self):
        """Returns a folder in which paths of the pages are valid, and `deskbell` is on the path."""
        folder = self.folder()
        (folder / "bin").mkdir()
        (folder / "bin/deskbell").symlink_to(DESKBELL)
        for name in ["examples", "kits", "board-configs", "Sounds", "docs"]:
            (folder / name).symlink_to(ROOT / name)
        return folder

    def environment(self, folder, control):
        # Pages name python3, which then has the packages that the examples need.
        path = f"{folder / 'bin'}:{Path(sys.executable).parent}:{os.environ['PATH']}"
        return {**os.environ, "PATH": path, "HOME": str(folder), "DESKBELL_CONTROL": str(control),
                "DESKBELL_SHARE": str(ROOT)}

    def test_every_command_runs(self):
        ran = 0
        for page in self.pages():
            with self.subTest(page=page):
                ran += self.run_page(page)
        self.assertGreaterEqual(ran, self.least)

    def pages(self):
        return PAGES

    def is_run(self, line):
        return not NOT_RUN.match(line) and not line.startswith("deskbell serve")

    def appliance(self, folder, page):
        """Returns the daemon for a page."""
        appliance = Appliance(
            "--clock", "virtual", "--record", str(folder / "inputs.jsonl"), "--panel", "127.0.0.1:0")
        if page in BENCH_PAGES:
            appliance.options += ["--bench", "--bench-folder", str(appliance.folder)]
        appliance.environment = self.environment(folder, folder / "c.sock")
        return appliance

    def run_page(self, page):
        """Runs all blocks of a page as one script: later blocks may use the variables of earlier ones."""
        shell = [block for block in blocks(page) if block.language == "sh"]
        if not shell:
            return 0
        folder = self.sandbox()
        with self.appliance(folder, page) as appliance:
            appliance.install_mailroom()
            self.prepare(folder, appliance)
            push = json.loads(appliance.run("push", APP, "--title", "To be explained", "--json"))["id"]
            lines, ran = [], 0
            named = re.findall(r"--id (\S+)", (ROOT / page).read_text())
            for place, block in enumerate(shell):
                lines.append("{ :")
                for line, where in block.lines():
                    is_run = not block.why_not and self.is_run(line)
                    ran += is_run and "deskbell " in line
                    if not is_run:
                        self.check(line, where)
                    lines.append(self.adapted(line, appliance, push, named) if is_run else ":")
                lines.append(f"}} >{place}.printed")
            script = folder / "page.sh"
            script.write_text("\n".join(lines) + "\n")
            done = subprocess.run(
                ["bash", "-eEu", "-o", "pipefail", "-c", "trap 'echo \"failed: $BASH_COMMAND\" >&2' ERR; . ./page.sh"],
                cwd=folder, env=appliance.environment, capture_output=True, text=True, stdin=subprocess.DEVNULL,
                timeout=PATIENCE_SECONDS)
            printed = "".join(path.read_text() for path in sorted(folder.glob("*.printed")))
            self.assertEqual(done.returncode, 0, f"{page}\n{printed}{done.stderr}")
            for place, block in enumerate(shell):
                if block.printed is not None and not block.why_not:
                    differing = block.differing((folder / f"{place}.printed").read_text())
                    if differing:
                        self.assertEqual(*differing, f"{block.page}:{block.line} prints something else")
        return ran

    def test_the_questions_are_those_of_setup(self):
        block = next(block for block in blocks("docs/desk-notifier.md") if block.language == "text")
        source = (ROOT / "Sources/Daemon/Commands/Setup/DeviceQuestions.swift").read_text()
        forms = [".*".join(map(re.escape, re.split(r"\\\([^)]*\)", text))) for text in re.findall(r'"([^"\n]+[?\]] ?)"', source)]
        for line in block.text.splitlines():
            question = line.removesuffix(" [Y/n]")
            self.assertTrue(any(re.fullmatch(form, text) for form in forms for text in (question, line + " ")), line)

    def adapted(self, line, appliance, push, named):
        """Returns the line with a reader's values for an example's names, and with an end if it has none."""
        if not any(name in line for name in named):
            line = re.sub(r"(deskbell explain )[0-9A-Fa-f-]{8,}", rf"\g<1>{push}", line)
        line = line.replace("/run/deskbell/control.sock", '"$DESKBELL_CONTROL"')
        line = line.replace("/usr/share/deskbell/", f"{ROOT}/").replace("/etc/deskbell/", "")
        line = line.replace("https://localhost:2197", f"https://localhost:{appliance.port}")
        if line.startswith(("deskbell panel password", "deskbell panel enable")):
            line = f"{line.split('#')[0]} secret.txt"
        if line.startswith("deskbell setup"):
            line = f"DESKBELL_CONTROL= DESKBELL_STATE=$PWD/setup {line.split('#')[0]} --listen 127.0.0.1:0"
        if "--follow" in line or line.startswith("deskbell app listen"):
            line = f"{{ timeout 1 {line.split('  #')[0]} </dev/null || test $? = 124; }}"
        if line.startswith("deskbell doctor"):
            line = f"{{ {line.split('#')[0]} || test $? = 1; }}"
        return line

    def prepare(self, folder, appliance):
        """Makes the files that the pages expect the reader to have."""
        (folder / "ca.pem").write_text(appliance.ca.read_text())
        (folder / f"AuthKey_{KEY_ID}.p8").write_text(appliance.key)
        (folder / "AuthKey_F6G7H8J9K0.p8").write_text(appliance.key)
        (folder / "letters.jsonl").write_text('{"aps":{"alert":"one"}}\n{"aps":{"alert":"two"}}\n')
        (folder / "my-board.yaml").write_text((ROOT / "board-configs/raspberry-pi-4.yaml").read_text())
        (folder / "deskbell.yaml").write_text("board: simulated\n")
        (folder / "secret.txt").write_text("correct horse battery staple\n")
        make(folder, "mine", topic=APP)

    def check(self, line, where):
        """Checks a line as far as possible without running it."""
        if line.startswith("make "):
            self.assertRegex((ROOT / "Makefile").read_text(), rf"(?m)^{re.escape(line.split()[1])}:", where)
        elif "deskbell " in line:
            self.check_options(line, where)

    def check_options(self, command, where):
        words = shlex.split(command, comments=True)
        words = words[words.index("deskbell") + 1:] if "deskbell" in words else []
        # What follows is another program's.
        words = words[:words.index("--run") + 1] if "--run" in words else words
        subcommands = [word for word in words[:2] if re.match(r"^[a-z][a-z-]*$", word)]
        helped = subprocess.run([DESKBELL, "help", *subcommands[:1]], capture_output=True, text=True, check=True).stdout
        # A second word may be a subcommand's subcommand, or an argument.
        helped += subprocess.run([DESKBELL, "help", *subcommands], capture_output=True, text=True).stdout
        for word in words:
            if word.startswith("--"):
                self.assertIn(word.split("=")[0], helped, where)

    def test_the_job_of_the_test_bench(self):
        """Runs the last step of the CI file, which passes; and must fail if the push at night must ring too."""
        [job] = [block for block in blocks(BENCH_PAGE) if block.text.startswith("jobs:")]
        step = textwrap.dedent(job.text.split("- run: |\n")[1])
        for script, code in (step, 0), (step.replace("! deskbell push", "deskbell push"), 1):
            with self.subTest(code=code):
                folder = self.sandbox()
                environment = {**self.environment(folder, ""), "DESKBELL_CONTROL": ""}
                # As GitHub runs a step.
                job = subprocess.Popen(
                    ["bash", "-e", "-c", script], cwd=folder, env=environment, stdout=subprocess.DEVNULL,
                    stderr=subprocess.PIPE, text=True, start_new_session=True)
                try:
                    said = job.communicate(timeout=PATIENCE_SECONDS)[1]
                    self.assertEqual(job.returncode, code, said)
                finally:
                    with contextlib.suppress(ProcessLookupError):
                        os.killpg(job.pid, signal.SIGTERM)

    def test_the_steps_of_the_job_before(self):
        """Runs the step with pytest, on the page's first test. test_python_kit.py installs as the steps before it do."""
        [job] = [block for block in blocks(BENCH_PAGE) if block.text.startswith("jobs:")]
        steps = re.findall(r"(?m)^ *- run: (?!\|)(.+)$", job.text)
        installs = [step for step in steps if re.search(r"apt-get|-m venv|pip install", step)]
        [pytest] = [step for step in steps if step not in installs]
        self.assertIn(" /usr/share/deskbell/kits/python ", installs[-1])
        [program] = [block.text for block in blocks(BENCH_PAGE) if "def test_a_push_rings" in block.text]
        folder = self.folder()
        (folder / ".venv").symlink_to(sys.prefix)
        (folder / "test_push.py").write_text(program.split("\n\n\ndef test_a_503")[0] + "\n")
        environment = {**self.environment(folder, ""), "DESKBELL": DESKBELL, "PYTHONPATH": str(ROOT / "kits/python"),
                       "PYTEST_PLUGINS": "pytest_deskbell.plugin"}
        del environment["DESKBELL_CONTROL"]
        done = subprocess.run(["bash", "-e", "-c", pytest], cwd=folder, env=environment, capture_output=True, text=True,
                              timeout=4 * PATIENCE_SECONDS)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        [suite] = ElementTree.parse(folder / "report.xml").getroot()
        self.assertEqual((suite.get("tests"), suite.get("failures"), suite.get("errors")), ("1", "0", "0"))

    def test_the_clients_ring(self):
        """Runs the programs of docs/clients.md, each in its language, if that is installed."""
        programs = {block.language: block for block in blocks("docs/clients.md")
                    if block.language in ("bash", "python", "js", "go")}
        tools = {"bash": ["bash", "-eu"], "python": [sys.executable], "js": ["node"], "go": ["go", "run"]}
        badges = {"bash": 1, "python": 2, "js": 3, "go": 4}
        self.assertEqual(set(programs), set(tools))
        folder = self.sandbox()
        with Mailroom() as appliance:
            self.prepare(folder, appliance)
            appliance.run("provider", "add", "mine", "--apps", APP, "--team", "A1B2C3D4E5", "--key-id", "F6G7H8J9K0",
                          "--key", folder / "AuthKey_F6G7H8J9K0.p8")
            (folder / "token").write_text(appliance.token + "\n")
            environment = {**os.environ, "HOME": str(folder), "BELL": f"localhost:{appliance.port}"}
            for language, block in programs.items():
                if not shutil.which(tools[language][0]):
                    self.assertIn(language, ("js", "go"), "every machine that runs the tests has this")
                    continue
                with self.subTest(language=language):
                    suffix = {"python": "py", "bash": "sh"}.get(language, language)
                    program = folder / f"push.{suffix}"
                    program.write_text(block.text)
                    done = subprocess.run([*tools[language], program], cwd=folder, env=environment,
                                          capture_output=True, text=True, timeout=4 * PATIENCE_SECONDS)
                    self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
                    self.assertEqual(appliance.report("state")["presentation"]["badge"], badges[language])

    def test_the_programs_of_the_test_bench(self):
        """Runs the programs of docs/test-bench.md that use a bench by HTTP, each in its language, if it is installed."""
        programs = {block.language: block.text for block in blocks(BENCH_PAGE) if block.language in ("js", "go", "java")}
        tools = {"js": ["node", "bench.js"], "go": ["go", "run", "bench.go"], "java": ["java", "Bench.java"]}
        printed = {"js": r"64 0\n", "go": r"64 0\n",
                   "java": r'\{.*"token":"[0-9a-f]{64}".*\}\s+\{"requests":\[\]\}\s+'}
        self.assertEqual(set(programs), set(tools))
        folder = self.sandbox()
        for language, text in programs.items():
            if not shutil.which(tools[language][0]):
                continue
            with self.subTest(language=language):
                (folder / tools[language][-1]).write_text(text)
                done = subprocess.run(
                    [DESKBELL, "bench", "--run", *tools[language]], cwd=folder, env=self.environment(folder, ""),
                    capture_output=True, text=True, timeout=4 * PATIENCE_SECONDS)
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
                self.assertRegex(done.stdout, rf"^{printed[language]}$")

    def test_the_reference_is_what_the_program_says(self):
        done = subprocess.run([sys.executable, ROOT / "docs/reference/generate.py", "--check"], capture_output=True,
                              text=True, env={**os.environ, "DESKBELL": DESKBELL}, timeout=PATIENCE_SECONDS)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
