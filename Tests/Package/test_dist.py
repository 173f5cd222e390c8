"""The files of a release of packages: the apt repository, its signatures, the notes. Needs no build and no network."""

import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

from Tests.support.project import ROOT, load

spdx = load("packaging/spdx.py")
COMMIT_TIME = "1000000000"
# Files with a signature, or with the key itself.
SIGNED = {"InRelease", "Release.gpg", "SHA256SUMS.asc", "deskbell-key.asc", "bookworm.sources", "trixie.sources"}


def run(*command, **more):
    return subprocess.run(
        [str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **more)


class Repository(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = Path(cls.enterClassContext(tempfile.TemporaryDirectory(prefix="deskbell-dist-")))
        cls.first = cls.release("first", TZ="UTC")
        cls.second = cls.release("second", TZ="Asia/Tokyo", LC_ALL="C.UTF-8")

    @classmethod
    def release(cls, name, **environment):
        """Makes packages of one file each, and a release of them."""
        release = cls.folder / name
        environment = {**os.environ, **environment, "SOURCE_DATE_EPOCH": COMMIT_TIME}
        for suite, number, architecture in (("bookworm", 12, "amd64"), ("trixie", 13, "amd64"), ("trixie", 13, "arm64")):
            tree = cls.folder / f"{name}-{suite}-{architecture}"
            (tree / "DEBIAN").mkdir(parents=True)
            (tree / "DEBIAN/control").write_text(
                f"Package: deskbell\nVersion: 2.0+deb{number}\nArchitecture: {architecture}\n"
                "Maintainer: A test <test@localhost>\nDescription: a package of a test\n")
            pool = release / "apt/pool" / suite
            pool.mkdir(parents=True, exist_ok=True)
            package = pool / f"deskbell_2.0+deb{number}_{architecture}.deb"
            made = run("dpkg-deb", "--root-owner-group", "--build", tree, package, env=environment)
            assert made.returncode == 0, made.stdout
            shutil.copy(package, release)
        made = run(ROOT / "packaging/repository.sh", release, "--url", f"file://{release}/apt", env=environment)
        assert made.returncode == 0, made.stdout
        return release

    def files(self, release):
        return {str(path.relative_to(release)): path for path in release.rglob("*") if path.is_file()}

    def apt(self, release, suite, architecture):
        """Returns apt's output about that repository, without anything of this system."""
        etc = self.folder / f"apt-{release.name}-{suite}-{architecture}"
        shutil.rmtree(etc, ignore_errors=True)
        for part in ("lists/partial", "cache/archives/partial", "parts", "trusted", "etc/apt/apt.conf.d"):
            (etc / part).mkdir(parents=True)
        (etc / "status").touch()
        shutil.copy(release / f"apt/{suite}.sources", etc / "parts")
        (etc / "apt.conf").write_text(
            f'Dir "{etc}/";\nDir::Etc::SourceList "{etc}/none";\nDir::Etc::SourceParts "{etc}/parts";\n'
            f'Dir::Etc::TrustedParts "{etc}/trusted";\nDir::State "{etc}";\nDir::State::status "{etc}/status";\n'
            f'Dir::Cache "{etc}/cache";\nAPT::Architecture "{architecture}";\nAPT::Architectures {{ "{architecture}"; }};\n'
            'APT::Sandbox::User "";\nAcquire::Languages "none";\n')
        environment = {**os.environ, "APT_CONFIG": str(etc / "apt.conf"), "LC_ALL": "C"}
        updated = run("apt-get", "--quiet", "update", env=environment)
        policy = run("apt-cache", "policy", "deskbell", env=environment).stdout.splitlines()
        return updated, [line.strip() for line in policy if "Candidate" in line]

    def test_twice_gives_the_same_bytes_but_for_signatures(self):
        first, second = self.files(self.first), self.files(self.second)
        self.assertEqual(sorted(first), sorted(second))
        self.assertEqual(
            {name.rsplit("/", 1)[-1] for name in first if first[name].read_bytes() != second[name].read_bytes()}, SIGNED)

    def test_the_time_of_a_release_is_its_commits(self):
        release = (self.first / "apt/dists/trixie/Release").read_text()
        self.assertIn("\nDate: Sun, 09 Sep 2001 01:46:40 +0000\n", release)
        self.assertTrue(release.startswith("Architectures: amd64 arm64\n"), release)

    def test_apt_finds_the_package_of_its_release_and_architecture(self):
        for suite, architecture, version in (
                ("bookworm", "amd64", "2.0+deb12"), ("trixie", "amd64", "2.0+deb13"), ("trixie", "arm64", "2.0+deb13")):
            updated, candidate = self.apt(self.first, suite, architecture)
            self.assertEqual((updated.returncode, candidate), (0, [f"Candidate: {version}"]), updated.stdout)
            self.assertNotRegex(updated.stdout, "(?m)^[WE]:")

    def test_apt_refuses_what_was_changed_after_it_was_signed(self):
        changed = self.folder / "changed"
        shutil.copytree(self.second, changed)
        self.addCleanup(shutil.rmtree, changed)
        sources = changed / "apt/trixie.sources"
        sources.write_text(sources.read_text().replace("/second/", "/changed/"))
        signed = changed / "apt/dists/trixie/InRelease"
        signed.write_text(signed.read_text().replace("Label: Deskbell", "Label: Doorbell"))
        updated, candidate = self.apt(changed, "trixie", "amd64")
        self.assertIn("BADSIG", updated.stdout)
        self.assertNotIn("Candidate: 2.0+deb13", candidate)

    def test_the_checksums_are_signed_with_the_key_beside_them(self):
        sums = run("sha256sum", "--check", "--strict", "SHA256SUMS", cwd=self.first)
        self.assertEqual((sums.returncode, len(sums.stdout.splitlines())), (0, 3), sums.stdout)
        home = self.folder / "gnupg"
        home.mkdir(mode=0o700)
        environment = {**os.environ, "GNUPGHOME": str(home)}
        self.addCleanup(run, "gpgconf", "--kill", "all", env=environment)
        run("gpg", "--batch", "--import", self.first / "deskbell-key.asc", env=environment)
        signature = self.first / "SHA256SUMS.asc"
        good = run("gpg", "--batch", "--verify", signature, self.first / "SHA256SUMS", env=environment)
        self.assertEqual(good.returncode, 0, good.stdout)
        # Another key made the other signature.
        bad = run("gpg", "--batch", "--verify", self.second / "SHA256SUMS.asc", self.first / "SHA256SUMS", env=environment)
        self.assertNotEqual(bad.returncode, 0)

    def test_a_key_that_is_not_there_is_an_error(self):
        refused = run(
            ROOT / "packaging/repository.sh", self.second, "--key", "nobody@localhost",
            env={**os.environ, "SOURCE_DATE_EPOCH": COMMIT_TIME, "GNUPGHOME": str(self.folder)})
        self.assertEqual(
            (refused.returncode, refused.stdout.splitlines()[-1]),
            (1, "repository.sh: GnuPG has no key 'nobody@localhost': see gpg --list-secret-keys"))


class Changes(unittest.TestCase):
    def test_a_version_that_is_not_released_is_none(self):
        folder = Path(self.enterContext(tempfile.TemporaryDirectory(prefix="deskbell-dist-")))
        version = folder / "Sources/Daemon/Composition/Daemon.swift"
        version.parent.mkdir(parents=True)
        version.write_text('  public static let version = "2.0"\n')
        (folder / "packaging").mkdir()
        for name in ("dist.sh", "release-notes.sh"):
            shutil.copy(ROOT / "packaging" / name, folder / "packaging")
        git = ("git", "-C", folder, "-c", "user.name=A test", "-c", "user.email=test@localhost")
        run(*git, "init")
        refusal = "dist.sh: the heading of 2.0 in CHANGELOG.md is not '## 2.0'"
        for heading, options, is_refused in (
                ("2.0 (not released)", [], True), ("2.0.1", [], True), ("2.0", [], False),
                ("2.0 (not released)", ["--dirty"], False)):
            with self.subTest(heading=heading, options=options):
                (folder / "CHANGELOG.md").write_text(f"## {heading}\n\nWords.\n")
                run(*git, "add", "--all")
                run(*git, "commit", "--message", heading)
                # Without the programs and the other scripts it ends in either case.
                refused = run(folder / "packaging/dist.sh", *options)
                self.assertNotEqual(refused.returncode, 0)
                self.assertEqual(refused.stdout.startswith(refusal), is_refused, refused.stdout)

    def test_a_file_that_only_one_of_two_runs_makes_is_found(self):
        """reproduce.sh compares the lists of a whole release in both directions."""
        folder = Path(self.enterContext(tempfile.TemporaryDirectory(prefix="deskbell-dist-")))
        (folder / "apt").mkdir()
        for name in ("a", "apt/b", "SHA256SUMS.asc"):
            (folder / name).write_text(name)
        again = ["sh", "-c", 'mkdir -p "$2/apt"; for name in $FILES; do printf %s "$name" >"$2/$name"; done', "sh"]

        def reproduced(files, *options):
            return run(ROOT / "Tests/Package/reproduce.sh", *options, folder, *again, env={**os.environ, "FILES": files})

        all_of_it = "a apt/b SHA256SUMS.asc"
        same = reproduced(all_of_it, "--whole")
        self.assertEqual((same.returncode, "3 files" in same.stdout), (0, True), same.stdout)
        differs = reproduced("a SHA256SUMS.asc c", "--whole")
        self.assertEqual(differs.returncode, 1, differs.stdout)
        self.assertIn("\n< apt/b\n", differs.stdout)
        self.assertIn("\n> c\n", differs.stdout)
        # A folder of packages may have older ones.
        self.assertEqual(reproduced("a").returncode, 0)


class Notes(unittest.TestCase):
    def test_the_notes_are_the_section_of_the_version(self):
        notes = run(ROOT / "packaging/release-notes.sh", "0.2.0").stdout
        changes = (ROOT / "CHANGELOG.md").read_text()
        self.assertEqual(notes.strip(), changes.split("\n## 0.2.0\n")[1].split("\n## ")[0].strip())

    def test_a_version_that_the_changelog_does_not_have_is_an_error(self):
        refused = run(ROOT / "packaging/release-notes.sh", "0.2")
        self.assertEqual(
            (refused.returncode, refused.stdout),
            (1, "release-notes.sh: CHANGELOG.md has no section '## 0.2' with text: write it first\n"))


class SPDX(unittest.TestCase):
    def test_says_how_the_program_has_each_part(self):
        def part(name, purl, **more):
            return {"type": "library", "name": name, "version": "1+a", "purl": purl, **more}

        program = {**part("deskbell", "pkg:deb/deskbell@1", licenses=[{"license": {"id": "Apache-2.0"}}]),
                   "type": "application"}
        written = spdx.document({
            "metadata": {"component": program, "timestamp": "2001-09-09T01:46:40Z"}, "serialNumber": "urn:uuid:a1",
            "components": [
                part("libc6", "pkg:deb/debian/libc6@1"), part("swift-nio", "pkg:swift/github.com/apple/swift-nio@1"),
                part("swift-nio-http2", "pkg:swift/github.com/apple/swift-nio-http2@1", scope="excluded")]})
        self.assertEqual(
            [" ".join(each.values()) for each in written["relationships"]], [
                "SPDXRef-DOCUMENT DESCRIBES SPDXRef-deskbell-1-a",
                "SPDXRef-deskbell-1-a DYNAMIC_LINK SPDXRef-libc6-1-a",
                "SPDXRef-deskbell-1-a STATIC_LINK SPDXRef-swift-nio-1-a",
                "SPDXRef-swift-nio-http2-1-a TEST_DEPENDENCY_OF SPDXRef-deskbell-1-a"])
        self.assertEqual(
            [(each["name"], each["licenseDeclared"]) for each in written["packages"]],
            [("deskbell", "Apache-2.0"), ("libc6", "NOASSERTION"), ("swift-nio", "NOASSERTION"),
             ("swift-nio-http2", "NOASSERTION")])
