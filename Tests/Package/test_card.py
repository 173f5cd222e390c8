"""The SD card's script, which applies deskbell.txt at each start, with the card in a folder and other programs recorded.
Needs no root and no build."""

import os
import re
import subprocess
import tempfile
import unittest
from pathlib import Path

import yaml

from Tests.support.project import ROOT

CARD = ROOT / "packaging/sd-card"
SCRIPT = CARD / "root/usr/libexec/deskbell-card"
# Each writes its words to a file. `deskbell` also reads its input, and prints what setup would.
RECORDER = """#!/bin/sh
echo "${0##*/} $*" >>"$DESKBELL_CARD_ROOT/calls"
case "${0##*/} $*" in
  "findmnt "*) echo /dev/mmcblk0p3 ;;
  "hostname "*) echo 10.0.0.7 ;;
  "deskbell setup "*) echo "curl https://bell.local:2197/bell"; exit "$(cat "$DESKBELL_CARD_ROOT/status" 2>/dev/null || echo 0)" ;;
  "deskbell panel "*) echo "password $(cat)" >>"$DESKBELL_CARD_ROOT/calls" ;;
  "deskbell --version"*) echo 1 ;;
  "ssh-keygen "*) for word; do :; done; echo key >"$word" ;;
esac
"""
PROGRAMS = ["findmnt", "hostname", "deskbell", "ssh-keygen", "mount", "systemctl", "sync", "sfdisk", "partx", "ss"]
RASPBERRY_PI_3 = "Raspberry Pi 3 Model B Plus Rev 1.3"


class Card(unittest.TestCase):
    def setUp(self):
        self.root = Path(self.enterContext(tempfile.TemporaryDirectory(prefix="deskbell-card-")))
        for folder in ("boot/firmware", "state", "run", "dev", "etc/deskbell", "proc/sys/kernel", "proc/device-tree",
                       "sys/class/tty/console", "sys/class/block", "usr/share/deskbell", "bin"):
            (self.root / folder).mkdir(parents=True)
        (self.root / "usr/share/deskbell/board-configs").symlink_to(ROOT / "board-configs")
        (self.root / "sys/class/tty/console/active").write_text("tty0\n")
        self.partition(end=100_000, disk=100_000)
        for name in PROGRAMS:
            (self.root / "bin" / name).write_text(RECORDER)
            (self.root / "bin" / name).chmod(0o755)
        self.text = self.root / "boot/firmware/deskbell.txt"
        self.text.write_bytes(subprocess.run([CARD / "settings.sh"], check=True, stdout=subprocess.PIPE).stdout)
        self.machine_is(RASPBERRY_PI_3)
        (self.root / "proc/sys/kernel/hostname").write_text("bell\n")

    def partition(self, end, disk):
        """The last partition, and the card, in sectors."""
        folder = self.root / "sys/devices/mmcblk0"
        (folder / "mmcblk0p3").mkdir(parents=True, exist_ok=True)
        for name, value in (("size", disk), ("mmcblk0p3/start", 1000), ("mmcblk0p3/size", end - 1000),
                            ("mmcblk0p3/partition", 3)):
            (folder / name).write_text(f"{value}\n")
        for name, path in (("mmcblk0", folder), ("mmcblk0p3", folder / "mmcblk0p3")):
            link = self.root / "sys/class/block" / name
            if not link.is_symlink():
                link.symlink_to(path)

    def machine_is(self, name):
        (self.root / "proc/device-tree/model").write_bytes(name.encode() + b"\0")

    def write(self, **values):
        """Writes values behind the keys of deskbell.txt, whose dashes are underscores here."""
        text = self.text.read_bytes().decode()
        for key, value in values.items():
            text = re.sub(rf"(?m)^{key.replace('_', '-')}:[^\r\n]*", lambda found: f"{found[0].split(':')[0]}: {value}", text)
        self.text.write_text(text, newline="")

    def start(self, *parts):
        """Switches on, and returns the calls of other programs, and what the screen shows."""
        for name in ("calls", "dev/tty0"):
            (self.root / name).write_text("")
        for part in parts or ("machine", "setup"):
            done = subprocess.run(
                [SCRIPT, part], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                env={"PATH": f"{self.root}/bin:{os.environ['PATH']}", "DESKBELL_CARD_ROOT": str(self.root)})
            self.assertEqual((done.returncode, done.stdout), (0, ""))
        return (self.root / "calls").read_text().splitlines(), (self.root / "dev/tty0").read_bytes().decode()

    def setups(self, calls):
        """Returns board and display of each call of setup."""
        return [tuple(re.search(r"--board (\S*) --display (\S*) ", call).groups()) for call in calls
                if call.startswith("deskbell setup")]

    def state(self, name):
        path = self.root / "state" / name
        return path.read_text() if path.exists() else None

    def test_it_detects_the_board_once_and_prints_the_line_of_curl(self):
        calls, shown = self.start()
        self.assertEqual(self.setups(calls), [("raspberry-pi-3", "none")])
        self.assertIn("curl https://bell.local:2197/bell\r\n", shown)
        self.assertIn(f"Deskbell 1 on {RASPBERRY_PI_3}\r\n", shown)
        self.assertEqual((self.root / "proc/sys/kernel/hostname").read_text(), "bell\n")
        self.assertEqual(self.setups(self.start()[0]), [])

    def test_every_board_is_detected_by_its_file(self):
        boards = {path.stem: yaml.safe_load(path.read_text()) for path in (ROOT / "board-configs").glob("*.yaml")}
        names = {name: (model, other.get("other-models", []))
                 for name, other in boards.items() for model in other.get("models", [other["board"]])}
        self.assertGreater(len(names), 10)
        for board, (model, others) in names.items():
            with self.subTest(model=model):
                self.machine_is(f"{model} Rev 1.0")
                self.assertEqual(self.setups(self.start("setup")[0]), [(board, "none")])
            for other in others:
                with self.subTest(model=other):
                    self.machine_is(f"{other} Rev 1.0")
                    self.assertNotIn((board, "none"), self.setups(self.start("setup")[0]))
        for model, board in (("Raspberry Pi Zero 2 W Rev 1.0", "raspberry-pi-zero-2-w"),
                             ("Raspberry Pi 400 Rev 1.1", "raspberry-pi-400"), ("Raspberry Pi 4 Model B", "raspberry-pi-4")):
            self.machine_is(model)
            self.assertEqual(self.setups(self.start("setup")[0]), [(board, "none")])

    def test_a_board_that_is_not_known_is_said(self):
        self.machine_is("Raspberry Pi 6 Model B")
        calls, shown = self.start()
        self.assertEqual(self.setups(calls), [])
        self.assertIn("This board was not recognized: Raspberry Pi 6 Model B.", shown)
        self.write(board="simulated")
        calls, shown = self.start()
        self.assertEqual(self.setups(calls), [("simulated", "none")])
        self.assertNotIn("not recognized", shown)

    def test_a_file_in_etc_deskbell_goes_by_its_name(self):
        for name in ("desk.yaml", "digits.yaml"):
            (self.root / "etc/deskbell" / name).touch()
        for board, display in (("desk", "digits.yaml"), ("/etc/deskbell/desk.yaml", "digits")):
            self.write(board=board, display=display)
            (self.root / "state/board").unlink(missing_ok=True)
            self.assertEqual(
                self.setups(self.start()[0]), [("/etc/deskbell/desk.yaml", "/etc/deskbell/digits.yaml")])
        self.write(board="raspberry-pi-3-controls", display="tm1637")
        self.assertEqual(self.setups(self.start()[0]), [("raspberry-pi-3-controls", "tm1637")])

    def test_what_setup_refuses_is_shown_and_tried_again(self):
        (self.root / "status").write_text("1")
        self.write(display="tm1636")
        self.assertIn("Board and display of deskbell.txt were not applied.", self.start()[1])
        self.assertEqual(self.setups(self.start()[0]), [("raspberry-pi-3", "tm1636")])

    def test_without_the_file_everything_stays(self):
        self.write(display="tm1637", wifi_name="Home", wifi_password="correct horse", ssh_key="ssh-ed25519 AAAA me")
        self.start()
        before = {name: self.state(name) for name in ("wifi.conf", "board", "ssh/authorized_keys")}
        self.assertNotIn(None, before.values())
        self.text.rename(f"{self.text}.txt")
        calls, shown = self.start()
        self.assertIn("There is no deskbell.txt on the volume DESKBELL of this card.", shown)
        self.assertIn("Login        ssh root@bell.local", shown)
        self.assertEqual({name: self.state(name) for name in before}, before)
        self.assertEqual(self.setups(calls), [])
        for unit in ("wpa_supplicant@wlan0.service", "ssh.service"):
            self.assertIn(f"systemctl start --no-block {unit}", calls)

    def test_a_first_start_without_the_file_detects_the_board(self):
        self.text.unlink()
        calls, shown = self.start()
        self.assertEqual(self.setups(calls), [("raspberry-pi-3", "none")])
        self.assertIn("There is no deskbell.txt", shown)

    def test_passwords_are_moved(self):
        self.write(wifi_name="Home", wifi_password='a "b" c: d', wifi_country="DE", panel_password="correct horse")
        calls, _ = self.start()
        self.assertIn('  psk="a "b" c: d"\n', self.state("wifi.conf"))
        self.assertIn('country=DE\nnetwork={\n  ssid="Home"\n', self.state("wifi.conf"))
        self.assertIn("password correct horse", calls)
        self.assertNotRegex(self.text.read_text(), "horse|a \"b\"")
        # The volume is writable for that only.
        self.assertEqual(
            [call.split()[2] for call in calls if call.startswith("mount ")], ["remount,rw", "remount,ro"] * 2)
        calls, _ = self.start()
        self.assertIn('  psk="a "b" c: d"\n', self.state("wifi.conf"))
        self.assertEqual([call for call in calls if call.startswith("mount ")], [])

    def test_a_network_can_become_an_open_one_and_none(self):
        self.write(wifi_name="Home", wifi_password="correct horse")
        self.start()
        self.write(wifi_name="Cafe", wifi_password="none")
        for _ in range(2):
            self.start()
            self.assertIn('ssid="Cafe"', self.state("wifi.conf"))
            self.assertIn("key_mgmt=NONE", self.state("wifi.conf"))
            self.assertIsNone(self.state("wifi-password"))
        self.write(wifi_name="")
        calls, _ = self.start()
        self.assertIsNone(self.state("wifi.conf"))
        self.assertNotIn("systemctl start --no-block wpa_supplicant@wlan0.service", calls)

    def test_the_partition_grows_if_the_card_is_larger(self):
        self.assertFalse([call for call in self.start("machine")[0] if call.startswith("sfdisk")])
        self.partition(end=100_000, disk=2_000_000)
        calls = self.start("machine")[0]
        self.assertIn("sfdisk --quiet --no-reread --no-tell-kernel --partno 3 /dev/mmcblk0", calls)
        self.assertIn("partx --update --nr 3 /dev/mmcblk0", calls)


class Text(unittest.TestCase):
    def setUp(self):
        self.text = subprocess.run([CARD / "settings.sh"], check=True, stdout=subprocess.PIPE).stdout.decode()

    def test_it_names_every_display(self):
        part = self.text[self.text.index("# The display:"):self.text.index("\ndisplay:")]
        named = re.findall(r"[\w-]+", " ".join(part.splitlines()[1:]))
        self.assertEqual(sorted(named), sorted(path.stem for path in (ROOT / "board-configs/displays").glob("*.yaml")))
        self.assertLess(max(map(len, self.text.splitlines())), 125)

    def test_every_line_has_the_line_end_that_editors_of_windows_want(self):
        self.assertEqual(self.text.count("\r\n"), self.text.count("\n"))

    def test_its_keys_are_those_of_the_page(self):
        page = (ROOT / "docs/sd-card.md").read_text()
        rows = [line for line in page.partition("\n| Key | Value |")[2].partition("\n\n")[0].splitlines()]
        documented = [key for row in rows for key in re.findall(r"`([a-z-]+):`", row.split(" | ")[0])]
        self.assertEqual(re.findall(r"(?m)^([a-z-]+):", self.text), documented)
        read = set(re.findall(r"\$\(value ([a-z-]+)\)", SCRIPT.read_text()))
        self.assertEqual(read, set(documented))


if __name__ == "__main__":
    unittest.main()
