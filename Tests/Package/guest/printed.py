"""Runs the commands of README and docs on the package, as the user of the board, who may use sudo.

Runs in a machine of Tests/Fleet/machines.py, with the repository in /srv/deskbell. A page about a separate daemon, or a
test bench, has one; the others have the service, with only what the page expects. The pages of kits and examples are
about a clone.
"""

import os
import re
import subprocess
import sys
import unittest

from Tests.Clients import test_docs
from Tests.support.appliance import Appliance
from Tests.support.pages import blocks

# The package's own paths, which are valid unchanged.
OWN_PATHS = r"/(etc|run|usr/share)/deskbell/"
SET_ASIDE = "sudo sh -c 'cd /var/lib/deskbell; mkdir damaged-1; mv *.sqlite* damaged-1'"
OWN_DAEMON = ("deskbell serve", "deskbell clock", "deskbell replay")


def sudo(*words):
    subprocess.run(["sudo", *words], check=True, capture_output=True)


class Service(Appliance):
    """The package's own daemon, as after its installation."""

    def __init__(self, folder):
        super().__init__()
        self.environment = {key: value for key, value in os.environ.items() if not key.startswith("DESKBELL")}
        self.environment["HOME"] = str(folder)
        self.port, self.ca = 2197, folder / "ca.pem"

    def __enter__(self):
        sudo("systemctl", "stop", "deskbell")
        sudo("sh", "-c", "rm -rf /var/lib/deskbell/* /etc/deskbell/*; cp /root/deskbell.yaml /etc/deskbell/")
        sudo("systemctl", "start", "deskbell")
        self.ca.write_text(self.run("ca"))
        return self

    def __exit__(self, *_):
        self.folder_handle.cleanup()


class PrintedTests(test_docs.DocsTests):
    owns_daemon, least = False, 30

    def sandbox(self):
        return self.folder()

    def environment(self, folder, control):
        return {**os.environ, "HOME": str(folder), "DESKBELL_CONTROL": str(control)}

    def pages(self):
        return [page for page in test_docs.PAGES if not page.startswith(("examples/", "kits/"))
                and self.owns_daemon == self.has_own_daemon(page)]

    def has_own_daemon(self, page):
        return page in test_docs.BENCH_PAGES or any(
            command in block.text for block in blocks(page) if block.language == "sh" for command in OWN_DAEMON)

    def appliance(self, folder, page):
        return super().appliance(folder, page) if self.owns_daemon else Service(folder)

    def is_run(self, line):
        return super().is_run(line) or not self.owns_daemon and line.startswith(
            ("sudo deskbell ", "sudo ln -s /usr/bin/deskbell", "sudo systemctl start deskbell", "sudo systemctl stop deskbell",
             "sudo systemctl restart deskbell"))

    def adapted(self, line, appliance, push, named):
        if self.owns_daemon:
            return super().adapted(line, appliance, push, named)
        if line.startswith("sudo deskbell setup"):
            return "sudo deskbell setup --board simulated --force </dev/null"
        if "/damaged-1" in line:
            # As if it had been set aside: the page has stopped the service.
            line = f"{SET_ASIDE}; {line}"
        adapted = super().adapted(re.sub(OWN_PATHS, r"OWN-\1-", line), appliance, push, named)
        return re.sub(r"OWN-(etc|run|usr/share)-", r"/\1/deskbell/", adapted)


class OwnDaemonTests(PrintedTests):
    owns_daemon = True


# The other tests of that class are about the pages and not about the package.
for name in dir(test_docs.DocsTests):
    if name.startswith("test_") and name != "test_every_command_runs":
        setattr(PrintedTests, name, None)

if __name__ == "__main__":
    unittest.main(defaultTest=["PrintedTests", "OwnDaemonTests"], argv=[sys.argv[0], *sys.argv[1:]])
