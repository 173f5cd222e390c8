"""The list of the program's components, and the audit of that list. Needs no build and no network."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from Tests.support.http_server import serving
from Tests.support.project import ROOT


class Supply(unittest.TestCase):
    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory(prefix="deskbell-audit-")))

    def audit(self, bill, *words, osv=None):
        path = self.folder / "bill.json"
        path.write_text(json.dumps(bill))
        result = subprocess.run(
            [sys.executable, ROOT / "scripts/audit.py", path, "--json", "--osv", osv or "file:///nowhere", *words],
            stdout=subprocess.PIPE, text=True)
        return result.returncode, json.loads(result.stdout)


class Bill(Supply):
    """The list of a program that loads the C library, with checkouts made here."""

    def setUp(self):
        super().setUp()
        (self.folder / "Package.resolved").write_text(json.dumps({"pins": [
            {"identity": name, "location": f"https://github.com/apple/{name}.git",
             "state": {"revision": "a1", "version": "1.2.3"}}
            for name in ("swift-crypto", "swift-nio", "swift-nio-http2", "swift-nio-ssl")]}))
        header = "#define LLHTTP_VERSION_MAJOR 9\n#define LLHTTP_VERSION_MINOR 3\n#define LLHTTP_VERSION_PATCH 0\n"
        for name in ("swift-crypto", "swift-nio", "swift-nio-http2", "swift-nio-ssl"):
            checkout = self.folder / ".build/checkouts" / name
            (checkout / "Sources/CNIOLLHTTP/include").mkdir(parents=True)
            (checkout / "LICENSE.txt").write_text("\n   Apache License\n   Version 2.0\n")
            (checkout / "Package.swift").write_text(f"// BoringSSL Commit: {'0' * 40}\n")
            (checkout / "Sources/CNIOLLHTTP/include/c_nio_llhttp.h").write_text(header)
        self.program = self.folder / "program"
        shutil.copy(shutil.which("true"), self.program)
        with open(self.program, "ab") as program:
            program.write(b"Swift version 6.3.1 (swift-6.3.1-RELEASE)\0libmosquitto.so.1\0libnats.so.3.4\0")

    def write(self, program):
        return subprocess.run(
            [sys.executable, ROOT / "packaging/sbom.py", "--root", self.folder, "--binary", program, "--version", "1",
             "--architecture", "amd64"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            env={**os.environ, "SOURCE_DATE_EPOCH": "1000000000"})

    def test_names_all_that_it_consists_of(self):
        written = self.write(self.program)
        bill = json.loads(written.stdout)
        parts = {part["name"]: part for part in bill["components"]}
        self.assertEqual(parts["swift-nio"]["purl"], "pkg:swift/github.com/apple/swift-nio@1.2.3")
        self.assertEqual(parts["swift-nio"]["licenses"], [{"license": {"id": "Apache-2.0"}}])
        self.assertEqual(parts["swift-nio-http2"]["scope"], "excluded")
        self.assertEqual(parts["llhttp"]["version"], "9.3.0")
        self.assertEqual(parts["swift-runtime"]["version"], "6.3.1")
        installed = subprocess.run(
            ["dpkg-query", "--show", "--showformat=${Version}", "libc6"], stdout=subprocess.PIPE, text=True).stdout
        self.assertEqual(parts["libc6"]["version"], installed)
        self.assertIn({"name": "deskbell:source", "value": "glibc"}, parts["libc6"]["properties"])
        # Loaded while the program runs; it contains their names.
        for opened, source in (("libmosquitto1", "mosquitto"), ("libnats3.4", "nats.c")):
            self.assertIn({"name": "deskbell:source", "value": source}, parts[opened]["properties"])
        self.assertEqual(bill["metadata"]["timestamp"], "2001-09-09T01:46:40Z")
        linked = bill["dependencies"][0]["dependsOn"]
        self.assertIn(parts["libc6"]["purl"], linked)
        self.assertNotIn(parts["swift-nio-http2"]["purl"], linked)
        self.assertEqual(self.write(self.program).stdout, written.stdout)

    def test_a_library_that_is_opened_and_not_named_is_an_error(self):
        self.program.write_bytes(self.program.read_bytes().replace(b"libnats.so.3.4", b""))
        refused = self.write(self.program)
        self.assertEqual(
            (refused.returncode, refused.stderr),
            (1, f"sbom.py: {self.program} does not name a library that it opens: libnats\\.so\\.\\d+\\.\\d+\n"))

    def test_a_version_that_cannot_be_told_is_an_error(self):
        refused = self.write(shutil.which("true"))
        self.assertEqual(
            (refused.returncode, refused.stderr),
            (1, f"sbom.py: {shutil.which('true')} does not name its compiler: it must not be stripped yet\n"))


def debian(name, version, source):
    return {"name": name, "version": version, "purl": f"pkg:deb/debian/{name}@{version}?arch=amd64&distro=bookworm",
            "properties": [{"name": "deskbell:source", "value": source},
                           {"name": "deskbell:sourceVersion", "value": version}]}


SWIFT = {"name": "swift-nio", "version": "2.1.0", "purl": "pkg:swift/github.com/apple/swift-nio@2.1.0"}
EXPAT = debian("libexpat1", "2.5.0-1+deb12u1", "expat")


class Audit(Supply):
    def tracker(self, known):
        path = self.folder / "tracker.json"
        path.write_text(json.dumps(known))
        return ("--cache", path)

    def test_an_issue_that_an_update_fixes(self):
        def known(fixed):
            release = {"status": "resolved", "fixed_version": fixed, "urgency": "not yet assigned"}
            return {"expat": {"CVE-2024-1": {"releases": {"bookworm": release}}}}

        status, found = self.audit({"components": [EXPAT]}, *self.tracker(known("2.5.0-1+deb12u2")))
        self.assertEqual(status, 1)
        self.assertEqual(found["vulnerable"], [
            {"name": "libexpat1", "version": "2.5.0-1+deb12u1", "issue": "CVE-2024-1", "fixed": "2.5.0-1+deb12u2"}])
        for fixed in ("2.5.0-1+deb12u1", "0"):
            status, found = self.audit({"components": [EXPAT]}, *self.tracker(known(fixed)), osv=self.osv([]))
            self.assertEqual((status, found["vulnerable"], found["unchecked"]), (0, [], []))

    def test_an_issue_without_a_fix_is_named_and_no_failure(self):
        known = {"expat": {"CVE-2024-2": {"releases": {"bookworm": {"status": "open", "urgency": "low"}}}}}
        status, found = self.audit({"components": [EXPAT]}, *self.tracker(known), osv=self.osv([]))
        self.assertEqual(status, 0)
        self.assertEqual(found["open"], [
            {"name": "libexpat1", "version": "2.5.0-1+deb12u1", "issue": "CVE-2024-2", "urgency": "low"}])

    def test_what_cannot_be_checked_is_named(self):
        other = {**debian("libx", "1", "x"), "purl": "pkg:deb/debian/libx@1?arch=amd64&distro=elsewhere"}
        boring = {"name": "boringssl", "version": "a1", "purl": "pkg:generic/boringssl@a1"}
        status, found = self.audit(
            {"components": [other, SWIFT, boring]}, "--tracker", "file:///nowhere", "--cache", self.folder / "none")
        self.assertEqual(status, 3)
        self.assertEqual([each["name"] for each in found["unchecked"]], ["libx", "swift-nio", "boringssl"])
        # A component without a tracker list is no failure on its own.
        status, found = self.audit({"components": [boring]}, *self.tracker({}), osv=self.osv([]))
        self.assertEqual((status, len(found["unchecked"])), (0, 1))

    def test_swift_packages(self):
        bill = {"components": [SWIFT, {**SWIFT, "name": "of the tests", "scope": "excluded"}]}
        status, found = self.audit(bill, *self.tracker({}), osv=self.osv([{"vulns": [{"id": "GHSA-1"}]}]))
        self.assertEqual(status, 1)
        self.assertEqual(
            found["vulnerable"], [{"name": "swift-nio", "version": "2.1.0", "issue": "GHSA-1", "fixed": None}])
        self.assertEqual(self.asked, {"queries": [{"package": {"purl": SWIFT["purl"]}}]})

    def osv(self, results):
        """Returns a server in place of osv.dev, with those results."""
        def answer(handler, body):
            self.asked = json.loads(body)
            handler.send_response(200)
            handler.end_headers()
            handler.wfile.write(json.dumps({"results": results}).encode())

        return f"http://127.0.0.1:{self.enterContext(serving(answer))}/"
