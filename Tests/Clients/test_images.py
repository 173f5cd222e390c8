"""The files of examples/containers and packaging/image, each by what reads it. `make test-image` runs them."""

import ast
import json
import re
import subprocess
import unittest

import yaml

from Tests.support.project import DESKBELL, ROOT

RECIPES = ROOT / "examples/containers"
VERSION = re.search(
    r'static let version = "(.*)"', (ROOT / "Sources/Daemon/Composition/Daemon.swift").read_text())[1]


def read(name):
    return yaml.safe_load((RECIPES / name).read_text())


class ImageTests(unittest.TestCase):
    def test_images_are_of_this_version(self):
        for path in [*RECIPES.rglob("*.*"), *(ROOT / page for page in ("README.md", "docs/images.md", "docs/install.md"))]:
            for found in re.findall(r"\b(?:pytest_)?deskbell[:-](\d+\.\d+\.\d+)", path.read_text()):
                self.assertEqual(found, VERSION, path)

    def test_volumes_and_files_of_compose(self):
        for name in ("home-assistant", "devcontainer"):
            compose = read(f"{name}/compose.yaml")
            services = compose["services"]
            for service in services.values():
                self.assertIn("image", service)
                self.assertLessEqual(set(service.get("depends_on", ())), set(services))
                for volume in service.get("volumes", ()):
                    source = volume.split(":")[0]
                    if source.startswith("."):
                        self.assertTrue((RECIPES / name / source).exists(), source)
                    else:
                        self.assertIn(source, compose["volumes"])

    def test_the_devcontainer_names_a_service(self):
        devcontainer = json.loads((RECIPES / "devcontainer/devcontainer.json").read_text())
        compose = read(f"devcontainer/{devcontainer['dockerComposeFile']}")
        self.assertIn(devcontainer["service"], compose["services"])
        self.check_shell(devcontainer["postCreateCommand"])

    def test_steps_of_the_jobs_are_shell(self):
        jobs = read("github-actions.yaml")["jobs"]
        steps = [step["run"] for job in jobs.values() for step in job["steps"]]
        self.assertEqual(len(steps), 6)
        for step in steps:
            self.check_shell(step)

    def test_the_health_check_is_shell(self):
        self.check_shell((ROOT / "packaging/image/health").read_text(), "sh")

    def test_testcontainers_compiles(self):
        for path in sorted((RECIPES / "testcontainers").glob("*.py")):
            ast.parse(path.read_text(), path)

    def test_the_provider_is_the_one_of_the_page(self):
        provider = (RECIPES / "testcontainers/test_push.py").read_text().partition("import ssl")[2]
        self.assertIn(provider.rstrip(), (ROOT / "docs/test-bench.md").read_text())

    def test_settings_are_right(self):
        for path in (ROOT / "packaging/image/deskbell.yaml", RECIPES / "home-assistant/deskbell.yaml"):
            done = subprocess.run([DESKBELL, "check", path], capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def check_shell(self, text, shell="bash"):
        done = subprocess.run([shell, "-n"], input=text, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
