"""The package as its three kinds of users meet it: every command of README and docs as printed, as the user of the
board, and their first evenings, timed.

  python3 -m Tests.Package.printed PACKAGE.deb
"""

import argparse
import re
import shutil
import subprocess
import time
from pathlib import Path

from Tests.Fleet.machines import ENVIRONMENT, Network, chroot, unpack
from Tests.support.guest import Timetable
from Tests.support.project import ROOT, again_inside
from Tests.support.terminal import Terminal

PATIENCE_SECONDS = 600
say = Timetable().say
HOME = {**ENVIRONMENT, "HOME": "/home/person"}
# A board whose lines are in memory, and a loudspeaker that writes files.
SETTINGS = "board: simulated\nspeaker: { wav: /var/lib/deskbell/played }\n"


def prepare(work, package):
    """Prepares a Debian 12 without a compiler, and installs the package while Debian's archive is in reach."""
    say("Debian 12, with what the tests themselves need")
    unpack("bookworm", work / "plain")
    chroot(work / "plain", "apt-get -q install --no-install-recommends curl python3 python3-jwt python3-cryptography"
           " openssl sudo iproute2 procps; rm /usr/local/bin/sudo; useradd --create-home --shell /bin/bash person;"
           " echo 'person ALL=(ALL) NOPASSWD: ALL' >/etc/sudoers.d/person")
    subprocess.run(["cp", "-a", work / "plain", work / "installed"], check=True)
    shutil.copy(package, work / "installed/root/deskbell_1_amd64.deb")
    (work / "installed/root/deskbell.yaml").write_text(SETTINGS)
    began = time.monotonic()
    chroot(work / "installed", "cd /root; sudo apt-get -q install ./deskbell_*_amd64.deb")
    seconds = time.monotonic() - began
    chroot(work / "installed", "usermod --append --groups deskbell person")
    return seconds


class Person:
    """The user of a machine."""

    def __init__(self, machine):
        self.machine = machine

    def words(self, line):
        return self.machine.inside(
            "chroot", self.machine.root, "runuser", "--user", "person", "--", "bash", "-euo", "pipefail", "-c",
            f"cd ~; {line}")

    def run(self, line):
        done = subprocess.run(
            self.words(line), env=HOME, stdin=subprocess.DEVNULL, text=True,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=PATIENCE_SECONDS)
        assert done.returncode == 0, f"{line}\n{done.stdout}{self.machine.logs()}"
        return done.stdout

    def watch(self, line):
        """Runs a line, and yields each line of output with the seconds until then."""
        began = time.monotonic()
        process = subprocess.Popen(
            self.words(line), env=HOME, stdin=subprocess.DEVNULL, text=True,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        for text in process.stdout:
            yield time.monotonic() - began, text
        assert process.wait() == 0, line

    def answer(self, line, answers):
        """Runs a line on a terminal, and answers its questions: with each pattern's answer, else Enter. Returns the
        questions, and the whole output."""
        asked, questions, deadline = 0, [], time.monotonic() + PATIENCE_SECONDS
        with Terminal(self.words(line), env={**HOME, "TERM": "xterm"}, start_new_session=True) as terminal:
            while time.monotonic() < deadline and (part := terminal.read(1)) != "":
                shown = terminal.shown.replace("\r", "")
                # A question has no line feed, and nothing comes after it.
                last = shown[asked:].rpartition("\n")[2].strip()
                if part is None and last:
                    questions.append(last)
                    asked = len(shown)
                    reply = next((text(shown) for form, text in answers.items() if re.search(form, last)), "")
                    terminal.press(f"{reply}\n")
            status, shown = terminal.finish()
        shown = shown.replace("\r", "")
        assert status == 0, shown
        return questions, shown


def maker(person, installed):
    """Measures the time from the package to lamp, digits and sound: the commands of README's "Try it"."""
    first = {}
    marks = {"lamp": r"\blamp\b", "digits": r"\bbadge\b|display", "sound": r"sound-started"}
    for seconds, line in person.watch("deskbell demo"):
        for name, form in marks.items():
            if re.search(form, line):
                first.setdefault(name, seconds)
    assert set(first) == set(marks), first
    say(f"maker: 2 commands: sudo apt install ./deskbell_*.deb ({installed:.0f} s), deskbell demo: "
        + ", ".join(f"{name} after {seconds:.1f} s" for name, seconds in first.items()))


def desk(person, room):
    """Measures the time from setup's questions to a ring from another machine, with the line that setup printed."""
    began = time.monotonic()
    questions, shown = person.answer(
        "sudo deskbell setup",
        {r"Which board\?": lambda text: re.search(r"(\d+)\s+Simulated board", text)[1]})
    [line] = [line.strip() for line in shown.splitlines() if line.strip().startswith("curl ")]
    assert "localhost" not in line and "127.0.0.1" not in line, line
    room.run(line)
    assert "A parcel" in person.run("deskbell center"), shown
    say(f"desk: sudo deskbell setup asked {len(questions)} questions: {' · '.join(questions)}; its line of curl rang "
        f"from another machine; {time.monotonic() - began:.0f} s with a second of thought for each")
    assert len(questions) <= 8


def tell(work, installed):
    network = Network(work)
    bell = network.machine("bell", work / "installed", "10.0.0.1")
    room = network.machine("room", work / "plain", "10.0.0.2")
    network.begin()
    bell.run_outside("ip", "route", "add", "default", "via", "10.0.0.2")
    (bell.root / "srv/deskbell").mkdir()
    subprocess.run(["mount", "--bind", ROOT, bell.root / "srv/deskbell"], check=True)
    person = Person(bell)
    maker(person, installed)
    # The program detects systemd by this folder.
    bell.run("mkdir -p /run/systemd/system; systemctl start deskbell")
    desk(person, Person(room))
    say("every command of README and docs, as the person at the board")
    print(person.run(
        "cd /srv/deskbell; DESKBELL=/usr/bin/deskbell PYTHONDONTWRITEBYTECODE=1 "
        "python3 -m Tests.Package.guest.printed 2>&1"))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("package", help="Deskbell's package")
    parser.add_argument("--inside", nargs=2, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.inside:
        tell(Path(arguments.inside[0]), float(arguments.inside[1]))
        return say("passed")
    again_inside("Tests.Package.printed", arguments.package, lambda work: [prepare(work, arguments.package)])


if __name__ == "__main__":
    main()
