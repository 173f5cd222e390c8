"""docs/fleet.md as printed, from `apt install nats-server` to the first ring and on to the last command.

Three servers with Debian 13; a gateway, a desk and the administrator's machine with Debian 12 or 13 and Deskbell's
package. Each is a chroot with a network of its own; files are copied by ssh, as the page says.

  Tests/Fleet/run.sh page PACKAGE.deb [--suite trixie]
"""

import argparse
import platform
import re
import shutil
from pathlib import Path

from Tests.Fleet.machines import Machine, Network, chroot, unpack
from Tests.support.appliance import make_key
from Tests.support.guest import Timetable
from Tests.support.pages import blocks
from Tests.support.project import again_inside

PAGE = "docs/fleet.md"
MARK = "the fleet's test runs it"
KEY = "AuthKey_F6G7H8J9K0.p8"
say = Timetable().say


class Page:
    """The blocks of the page, used in order."""

    def __init__(self):
        self.blocks, self.commands = list(blocks(PAGE)), 0
        self.left = [block for block in self.blocks if block.language == "sh" and (
            MARK in (block.why_not or "") or "apt install nats-server" in block.text)]

    def run(self, machine: Machine, beginning, **words):
        """Runs the next block, which must begin with `beginning`, and returns its output."""
        block = self.left.pop(0)
        assert block.text.startswith(beginning), f"{PAGE}:{block.line} begins otherwise: {block.text}"
        lines = []
        for line, _ in block.lines():
            for name, value in words.items():
                line = line.replace(name, value)
            lines.append(line)
        self.commands += len(lines)
        say(f"{PAGE}:{block.line} at {machine.name}: {block.text.splitlines()[0]}")
        printed = machine.run("\n".join(lines))
        if block.printed is not None and (differing := block.differing(printed)):
            raise AssertionError(f"{PAGE}:{block.line} shows\n{differing[0]}\nand this was printed:\n{differing[1]}")
        return printed

    def settings(self, beginning):
        """Returns a block of settings that a reader types."""
        return next(block.text for block in self.blocks if block.text.startswith(beginning))


def commands(printed):
    """Returns the next steps in a command's output: each script with its sentence."""
    found = []
    for line in printed.split("\nNext:\n", 1)[1].splitlines():
        if step := re.match(r"\d+\. (.*)", line):
            found.append((step[1], []))
        elif line.startswith("     "):
            found[-1][1].append(line.strip())
    return [(sentence, "\n".join(lines)) for sentence, lines in found]


def follow(machine, printed, *beginnings):
    """Runs the steps that a command printed and that begin so."""
    for beginning in beginnings:
        machine.run(next(script for sentence, script in commands(printed) if sentence.startswith(beginning)))


def tell(work):
    page, network = Page(), Network(work)
    servers = [network.machine(name, work / "servers", f"10.0.0.{number}") for number, name in enumerate("ab", 1)]
    servers.append(network.machine("c", work / "servers", "10.0.0.3", "10.0.0.22"))
    door, reception, admin = (
        network.machine(name, work / "desks", f"10.0.0.{number}")
        for number, name in enumerate(("door", "reception", "admin"), 11))
    network.begin()

    begun = page.run(admin, "deskbell fleet init")
    assert page.left.pop(0).text.startswith("sudo apt install nats-server"), "done before, with Debian's archive in reach"
    follow(admin, begun, "Copy each server's folder")
    for server in servers:
        server.services["nats-server"].wait_for("Server is ready")
    page.run(admin, "deskbell fleet init")

    added = page.run(admin, "deskbell fleet add door")
    gateway, desk = added[:added.index("Added the desk")], added[added.index("Added the desk"):]
    for printed in (gateway, desk):
        follow(admin, printed, "Give the servers", "Copy its folder")
    lines = page.settings("fleet:\n")
    made = reception.run("cat /etc/deskbell/fleet/fleet.yaml").strip()
    assert made.endswith(lines), f"the page shows\n{lines}\nand the file has\n{made}"
    reception.run("cat /etc/deskbell/fleet/fleet.yaml >>/etc/deskbell/deskbell.yaml")
    # The reader's board and loudspeaker.
    reception.run("printf 'board: simulated\nspeaker: { wav: /var/lib/deskbell/played }\n' >>/etc/deskbell/deskbell.yaml")
    reception.run("systemctl restart deskbell")
    page.run(door, "sudo systemctl disable")
    reception.services["deskbell"].wait_for("fleet reception: works")
    door.services["deskbell-gateway"].wait_for("knows")
    page.run(admin, "deskbell fleet check")

    key = make_key()
    for machine in (reception, admin):
        (machine.root / "root" / KEY).write_text(key)
    token = page.run(reception, "deskbell app install").split()[-1]
    door.run("cat /var/lib/deskbell-gateway/tls/ca.pem | ssh admin 'cat >ca.pem'")
    page.run(admin, "deskbell push", TOKEN=token)

    page.run(admin, "deskbell fleet init --server one=127.0.0.1")
    follow(admin, admin.run("deskbell fleet add office"), "Give the servers")
    follow(admin, page.run(admin, "deskbell fleet group add house"), "Give the servers")
    follow(admin, page.run(admin, "deskbell fleet init --server a=10.0.0.1"), "Give the servers")
    admin.run("deskbell fleet group remove house")
    page.run(admin, "deskbell fleet remove reception")
    assert not page.left, f"{PAGE}:{page.left[0].line} was not run"
    return page.commands


def prepare(work, package, suite):
    """Prepares the machines while Debian's archive is in reach."""
    page = Page()
    say("Debian 13, with what the page installs on servers")
    unpack("trixie", work / "servers")
    (work / "servers/root/typed").write_text(page.settings("[Service]\n"))
    installs = next(block for block in page.left if MARK not in (block.why_not or ""))
    chroot(work / "servers", installs.text)
    say(f"Debian {suite}, with Deskbell's package")
    unpack(suite, work / "desks")
    shutil.copy(package, work / "desks/root/deskbell.deb")
    chroot(work / "desks", "apt-get -q install /root/deskbell.deb")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("package", help="Deskbell's package")
    parser.add_argument(
        "--suite", default=platform.freedesktop_os_release().get("VERSION_CODENAME"),
        help="the Debian that it is for: bookworm or trixie (default: this machine's, as make deb has it)")
    parser.add_argument("--inside", type=Path, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.inside:
        count = tell(arguments.inside)
        say(f"passed: {count} commands of {PAGE}")
        return
    again_inside(
        "Tests.Fleet.page", arguments.package, lambda work: prepare(work, arguments.package, arguments.suite))


if __name__ == "__main__":
    main()
