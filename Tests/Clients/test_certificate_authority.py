"""The authority that clients trust: only a command replaces it, and the error for damaged files says what to do. And a
certificate of the user's own, without a signature of a system authority and without this machine's name."""

import json
import shlex
import socket
import ssl
import subprocess
import threading
import unittest
from datetime import timedelta
from pathlib import Path

from cryptography import x509

from Tests.support.appliance import APP, Appliance, ApplianceCase, Mailroom
from Tests.support.certificates import make
from Tests.support.project import PATIENCE_SECONDS

LETTER = json.dumps({"aps": {"alert": "A letter"}})


class CertificateAuthorityTests(unittest.TestCase):
    def test_a_person_makes_a_new_one(self):
        with Mailroom() as appliance:
            self.assertEqual(appliance.curl(LETTER)[0], 200)
            first, tls = appliance.ca.read_text(), appliance.state / "tls"
            key = (tls / "ca-key.pem").read_text()
            said = appliance.run("ca", "renew").splitlines()
            self.assertEqual(
                said[0],
                "created a new certificate authority; give its certificate to every client: deskbell ca > ca.pem")
            self.assertTrue(said[1].startswith(f"the old authority is kept: {tls.resolve()}/ca-replaced-"), said[1])
            kept = [Path(path) for path in said[1].split(": ", 1)[1].split(", ")]
            self.assertEqual([path.stat().st_mode & 0o777 for path in kept], [0o600, 0o600])
            self.assertEqual([path.read_text() for path in kept], [first, key])

            # TLS of a client that trusts the old authority refuses the server; the new authority is accepted.
            with self.assertRaises(subprocess.CalledProcessError) as refused:
                appliance.curl(LETTER)
            self.assertEqual(refused.exception.returncode, 60)
            second = appliance.run("ca")
            self.assertNotEqual(second, first)
            self.assertEqual((tls / "ca.pem").read_text(), second)
            appliance.ca.write_text(second)
            self.assertEqual(appliance.curl(LETTER)[0], 200)
            # The daemon's own commands use the new authority.
            appliance.run("push", "com.example.mailroom", "--title", "Hello")

            appliance.restart()
            self.assertEqual(appliance.ca.read_text(), second)
            self.assertEqual(appliance.curl(LETTER)[0], 200)

    def test_damaged_files_are_named_and_left_as_they_are(self):
        with Appliance() as appliance:
            appliance.stop()
            tls = appliance.state / "tls"
            certificate, key = tls / "ca.pem", tls / "ca-key.pem"
            good = {path: path.read_bytes() for path in (certificate, key)}
            for damaged, content, problem in [
                    (certificate, None, f"{tls}/ca.pem: is missing, and its key is there; restore "),
                    (certificate, b"", f"{tls}/ca.pem: it or ca-key.pem cannot be read as PEM of a P-256 key; restore "),
                    (key, None, f"{tls}/ca.pem: it or ca-key.pem cannot be read as PEM of a P-256 key; restore ")]:
                for path, bytes in good.items():
                    path.write_bytes(bytes)
                damaged.unlink() if content is None else damaged.write_bytes(content)
                self.assertIn(problem, appliance.refusal(*appliance.arguments(0)))
                for path in good:
                    if path != damaged:
                        self.assertEqual(path.read_bytes(), good[path])
            for path, bytes in good.items():
                path.write_bytes(bytes)
            appliance.start()
            self.assertEqual(appliance.ca.read_bytes(), good[certificate])

    def test_a_clock_ahead_is_an_error_that_says_what_to_do(self):
        library = next(Path("/usr/lib").glob("*/faketime/libfaketime.so.1"), None)
        if not library:
            self.skipTest("faketime is not installed")
        with Appliance() as appliance:
            first = appliance.ca.read_text()
            appliance.stop()
            appliance.launcher = ["env", f"LD_PRELOAD={library}", "FAKETIME=+15y"]
            appliance.start()
            self.assertEqual(appliance.ca.read_text(), first)
            problem = next(line for line in appliance.errors if "certificate authority" in line)
            self.assertIn("error: the certificate authority ended on ", problem)
            advice = (
                ": set the clock if it is wrong, else make a new authority with 'deskbell ca renew' and give it to every"
                " client")
            self.assertTrue(problem.endswith(advice), problem)
            about = [finding for finding in appliance.findings() if finding["subject"] == "certificate authority"]
            self.assertEqual([finding["grade"] for finding in about], ["broken"])
            self.assertTrue(about[0]["text"].endswith(advice), about)
            # A faked clock prevents an orderly end.
            appliance.kill()
            appliance.launcher = []
            appliance.start()
            self.assertEqual(appliance.ca.read_text(), first)
            self.assertEqual([line for line in appliance.errors if "error" in line], [])
            self.assertNotIn("certificate authority", [device["name"] for device in appliance.report("state")["devices"]])

    def issue(self, appliance, name):
        """Issues a server's certificate and key with the authority's key, as an attacker could."""
        tls, folder = appliance.state / "tls", appliance.folder
        certificate, key = folder / f"{name}.pem", folder / f"{name}.key"
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days",
             "30", "-subj", "/CN=thief", "-addext", f"subjectAltName=DNS:{name}", "-addext",
             "basicConstraints=critical,CA:false", "-CA", tls / "ca.pem", "-CAkey", tls / "ca-key.pem", "-out",
             certificate, "-keyout", key],
            check=True, capture_output=True)
        return certificate, key

    def connect(self, appliance, name):
        """Returns curl's exit code, and an error of Python's ssl or None, for a server with such a certificate."""
        server = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        server.load_cert_chain(*self.issue(appliance, name))
        with socket.create_server(("127.0.0.1", 0)) as listener:
            port = listener.getsockname()[1]

            def answer():
                for _ in range(2):
                    connection, _ = listener.accept()
                    try:
                        with server.wrap_socket(connection, server_side=True) as secured:
                            secured.recv(4096)
                            secured.sendall(b"HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n")
                    except OSError:
                        pass

            answering = threading.Thread(target=answer)
            answering.start()
            curl = subprocess.run(
                ["curl", "--silent", "--cacert", appliance.ca, "--connect-to", f"::127.0.0.1:{port}", f"https://{name}/"],
                timeout=PATIENCE_SECONDS)
            error = None
            context = ssl.create_default_context(cafile=appliance.ca)
            with socket.create_connection(("127.0.0.1", port)) as plain:
                try:
                    with context.wrap_socket(plain, server_hostname=name) as secured:
                        secured.sendall(b"GET / HTTP/1.1\r\n\r\n")
                        self.assertIn(b"204", secured.recv(4096))
                except ssl.SSLCertVerificationError as refused:
                    error = refused.verify_message
            answering.join()
        return curl.returncode, error

    def test_its_key_is_of_no_use_for_the_servers_of_others(self):
        with Appliance() as appliance:
            def verify(certificate, *options):
                done = subprocess.run(
                    ["openssl", "verify", "-CAfile", appliance.ca, *options, certificate], capture_output=True, text=True)
                return done.returncode, done.stdout + done.stderr

            own = appliance.state / "tls/server.pem"
            self.assertEqual(verify(own, "-purpose", "sslserver", "-verify_hostname", "localhost")[0], 0)
            self.assertEqual(verify(own, "-purpose", "sslclient")[0], 2)
            self.assertEqual(verify(self.issue(appliance, "kitchen.local")[0])[0], 0)
            status, text = verify(self.issue(appliance, "www.example.com")[0])
            self.assertEqual(status, 2)
            self.assertIn("permitted subtree violation", text)
            self.assertEqual(self.connect(appliance, "kitchen.local"), (0, None))
            self.assertEqual(self.connect(appliance, "www.example.com"), (60, "permitted subtree violation"))

            certificate = x509.load_pem_x509_certificate(own.read_bytes())
            self.assertEqual(
                certificate.not_valid_after_utc - certificate.not_valid_before_utc, timedelta(days=397))

    def test_a_client_may_pin_the_servers_key(self):
        with Appliance() as appliance:
            pin = appliance.run("ca", "--pin").strip()
            report = appliance.report("ca", "--pin")
            self.assertEqual(report["pin"], pin)
            self.assertIn("localhost", report["names"])

            def connect(pin):
                return subprocess.run(
                    ["curl", "--silent", "--insecure", "--pinnedpubkey", pin, f"https://127.0.0.1:{appliance.port}/"],
                    stdout=subprocess.DEVNULL, timeout=PATIENCE_SECONDS).returncode

            self.assertEqual(connect(pin), 0)
            # Another certificate under the same authority has the same key.
            appliance.configure("tls-names: [desk.local]\n")
            appliance.restart()
            self.assertIn("desk.local", appliance.report("ca", "--pin")["names"])
            self.assertEqual(connect(pin), 0)
            appliance.run("ca", "renew")
            self.assertEqual(connect(pin), 90)
            self.assertEqual(connect(appliance.run("ca", "--pin").strip()), 0)

    def test_doctor_names_what_the_authority_may_not_certify(self):
        with Appliance() as appliance:
            def findings():
                return [(one["grade"], one["text"]) for one in appliance.findings()
                        if one["subject"] == "certificate authority"]

            self.assertEqual(findings(), [])
            appliance.configure("tls-names: [push.example.org, desk.local]\n")
            appliance.restart()
            text = (
                "the certificate authority may not certify push.example.org, of this machine or its settings: make a new one"
                " with 'deskbell ca renew' and give it to every client")
            self.assertEqual(findings(), [("notable", text)])
            names = appliance.report("ca", "--pin")["names"]
            self.assertIn("desk.local", names)
            self.assertNotIn("push.example.org", names)
            appliance.run("ca", "renew")
            self.assertEqual(findings(), [])
            self.assertIn("push.example.org", appliance.report("ca", "--pin")["names"])


HOSTS = ["*.example.org", "bell.example.org"]


class OwnCertificateTests(ApplianceCase):
    @classmethod
    def make(cls):
        appliance = Mailroom()
        folder = appliance.folder
        cls.certificate = make(folder, "server", hosts=HOSTS)
        appliance.configure(f"certificate: {{ chain: {cls.certificate}, key: {folder / 'server.key'} }}\n")
        appliance.environment |= {"HOME": str(folder), "XDG_CONFIG_HOME": str(folder)}
        return appliance

    def badge(self):
        return self.appliance.report("state")["presentation"]["badge"]

    def test_pushes_on_this_machine_need_no_further_word(self):
        self.appliance.run("push", APP, "--badge", 3)
        self.assertEqual(self.badge(), 3)
        self.appliance.run("push", APP, "--via", "2008", "--badge", 4)
        self.assertEqual(self.badge(), 4)
        words = shlex.split(self.appliance.run("push", APP, "--badge", 5, "--curl"))
        self.assertEqual(words[words.index("--connect-to") + 1], f"::127.0.0.1:{self.appliance.port}")
        self.assertEqual(
            words[-1], f"https://bell.example.org:{self.appliance.port}/3/device/{self.appliance.token}")
        done = subprocess.run(words, capture_output=True, text=True, timeout=PATIENCE_SECONDS)
        self.assertEqual((done.returncode, self.badge()), (0, 5), done.stderr)

    def test_a_server_that_is_named_has_to_be_vouched_for(self):
        words = ["push", APP, "--badge", 9, "--host", "127.0.0.1", "--port", self.appliance.port]
        for more, problem in [([], "not trusted"), (["--ca", self.certificate], "not for '127.0.0.1'")]:
            self.assertIn(f"its certificate is {problem}", self.appliance.refusal(*words, *more))

    def test_the_doctor_says_whose_it_is(self):
        findings = {finding["subject"]: finding for finding in self.appliance.findings()}
        self.assertEqual(
            findings["push port"]["text"],
            f"127.0.0.1:{self.appliance.port} answers, with a certificate of your own, for {', '.join(HOSTS)}")
