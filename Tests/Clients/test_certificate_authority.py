"""The authority that clients trust: replaced by a person alone, and damaged files are an error that says what to do."""

import json
import subprocess
import unittest
from pathlib import Path

from appliance import DESKBELL, PATIENCE_SECONDS, Appliance

LETTER = json.dumps({"aps": {"alert": "A letter"}})


class CertificateAuthorityTests(unittest.TestCase):
    def test_a_person_makes_a_new_one(self):
        with Appliance() as appliance:
            appliance.install_mailroom()
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

            # Who trusts the one before is refused by its own TLS; who has the new one is not.
            with self.assertRaises(subprocess.CalledProcessError) as refused:
                appliance.curl(LETTER)
            self.assertEqual(refused.exception.returncode, 60)
            second = appliance.run("ca")
            self.assertNotEqual(second, first)
            self.assertEqual((tls / "ca.pem").read_text(), second)
            appliance.ca.write_text(second)
            self.assertEqual(appliance.curl(LETTER)[0], 200)
            # What the daemon's own commands trust follows.
            appliance.run("push", "com.example.mailroom", "--title", "Hello")

            appliance.stop()
            appliance.start()
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
                done = subprocess.run(
                    [DESKBELL, "serve", "--state", appliance.state, *appliance.options, "--listen", "127.0.0.1:0"],
                    env=appliance.environment, capture_output=True, text=True, timeout=PATIENCE_SECONDS)
                self.assertEqual(done.returncode, 1, done.stderr)
                self.assertIn(problem, done.stderr)
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
            # Twice: the library changes the environment of the first program that it is loaded into, and Swift finds its
            # arguments behind the environment.
            appliance.launcher = ["env", f"LD_PRELOAD={library}", "FAKETIME=+15y", "env"]
            appliance.start()
            self.assertEqual(appliance.ca.read_text(), first)
            problem = next(line for line in appliance.errors if "certificate authority" in line)
            self.assertIn("error: the certificate authority ended on ", problem)
            advice = (
                ": set the clock if it is wrong, else make a new authority with 'deskbell ca renew' and give it to every"
                " client")
            self.assertTrue(problem.endswith(advice), problem)
            findings = json.loads(appliance.command("doctor", "--json", check=False).stdout)
            about = [finding for finding in findings if finding["subject"] == "certificate authority"]
            self.assertEqual([finding["grade"] for finding in about], ["broken"])
            self.assertTrue(about[0]["text"].endswith(advice), about)
            # A clock that is faked is no good for ending in order.
            appliance.kill()
            appliance.launcher = []
            appliance.start()
            self.assertEqual(appliance.ca.read_text(), first)
            self.assertEqual([line for line in appliance.errors if "error" in line], [])
            self.assertNotIn("certificate authority", [device["name"] for device in appliance.report("state")["devices"]])


if __name__ == "__main__":
    unittest.main()
