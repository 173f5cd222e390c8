"""A certificate of the user's own, without a signature of a system authority and without this machine's name."""

import shlex
import subprocess

from Tests.support.appliance import APP, ApplianceCase, Mailroom
from Tests.support.certificates import make
from Tests.support.project import PATIENCE_SECONDS

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
