"""The workflows for GitHub: what they run is there, and the compilers fit Package.swift. They themselves need GitHub."""

import re
import subprocess
import unittest

import yaml

from Tests.support.project import ROOT

WORKFLOWS = sorted((ROOT / ".github/workflows").glob("*.yml"))


def jobs(path):
    return yaml.safe_load(path.read_text())["jobs"].values()


def matrix():
    return next(iter(jobs(ROOT / ".github/workflows/ci.yml")))["strategy"]["matrix"]


def scripts():
    """Yields the lines of shell of each step, and of the matrix, where GitHub's expressions are words."""
    steps = [step["run"] for path in WORKFLOWS for job in jobs(path) for step in job.get("steps", []) if "run" in step]
    for text in [*steps, *matrix()["run"], *(cell["run"] for cell in matrix()["include"])]:
        yield re.sub(r"\$\{\{.*?\}\}", "word", text)


def release_job():
    return yaml.safe_load((ROOT / ".github/workflows/release.yml").read_text())["jobs"]["release"]


class WorkflowTests(unittest.TestCase):
    def test_what_they_run_is_there(self):
        targets = set(re.findall(r"(?m)^([a-z0-9-]+):", (ROOT / "Makefile").read_text()))
        made, paths = set(), set()
        for text in scripts():
            done = subprocess.run(["bash", "-n"], input=text, capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, f"{text}\n{done.stderr}")
            made |= {word for words in re.findall(r"(?m)(?:^|&& )make ((?:[a-z0-9-]+ ?)+)", text) for word in words.split()}
            paths |= set(re.findall(r"(?<![\w./])(?:\.ci|\.github|scripts|packaging|Tests)/[\w./-]+", text))
        self.assertLessEqual(made, targets)
        self.assertTrue({"dist", "deb"} <= made, made)
        self.assertIn(".ci/run", paths)
        for path in paths:
            self.assertTrue((ROOT / path).is_file(), path)

    def test_the_compilers_fit_the_package(self):
        """The oldest is the one that Package.swift asks for; a release is built by one that is tested."""
        least = re.match(r"// swift-tools-version: (\S+)", (ROOT / "Package.swift").read_text())[1]
        versions = matrix()["swift"]
        self.assertTrue(min(versions).startswith(least + "."), versions)
        release = release_job()
        [version] = [step["run"].split()[1] for step in release["steps"] if step.get("run", "").startswith(".github/swift.sh ")]
        debian = release["container"]["image"].removeprefix("debian:")
        # With everything, and not only with the package.
        self.assertIn({"debian": debian, "swift": version, "run": ".ci/run"}, matrix()["include"])
        self.assertTrue(all(cell["swift"] in versions and cell["debian"] in matrix()["debian"]
                            for cell in matrix()["include"]))

    def test_a_release_waits_for_the_tests_and_has_the_card(self):
        workflow = yaml.safe_load((ROOT / ".github/workflows/release.yml").read_text())
        self.assertEqual(workflow["jobs"][release_job()["needs"]], {"uses": "./.github/workflows/ci.yml"})
        # PyYAML reads `on` as true.
        self.assertIn("workflow_call", yaml.safe_load((ROOT / ".github/workflows/ci.yml").read_text())[True])
        self.assertIn("make dist SD_CARD=1 ", "\n".join(step.get("run", "") for step in release_job()["steps"]))
