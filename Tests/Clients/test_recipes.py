"""The recipes of docs/ways-in.md for the machine itself, run as printed: mail, systemd, cron, git, at, Proxmox."""

import json
import pathlib
import re
import subprocess

from Tests.support.appliance import APP, ApplianceCase
from Tests.support.project import DESKBELL, PATIENCE_SECONDS, ROOT

PAGE = ROOT / "docs/ways-in.md"


def block(kind, wanted):
    """Returns the code block of a kind that contains this text."""
    [found] = [text for text in re.findall(rf"```{kind}\n(.*?)```", PAGE.read_text(), re.DOTALL) if wanted in text]
    return found


class RecipeTests(ApplianceCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        appliance = cls.appliance
        for name, template in ("plain", "plain"), ("proxmox", "proxmox"):
            appliance.run("hook", "add", f"{name}-hook", "--app", APP, "--template", template)
        cls.environment = {**appliance.environment, "HOME": str(appliance.folder)}
        cls.environment.pop("XDG_CONFIG_HOME", None)
        cls.keys = {name: appliance.report("hook", "key", f"{name}-hook")["key"] for name in ("plain", "proxmox")}

    def setUp(self):
        self.appliance.run("center", "--clear")

    def here(self, text, hook="plain"):
        """Returns a recipe with this bell's address, key and authority."""
        return (text.replace("https://BELL/h/KEY", f"https://localhost:{self.appliance.port}/h/{self.keys[hook]}")
                .replace("/etc/bell.pem", str(self.appliance.ca)))

    def shell(self, line, stdin=""):
        done = subprocess.run(
            ["sh", "-c", line], input=stdin, capture_output=True, text=True, timeout=PATIENCE_SECONDS, check=False,
            env=self.environment)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def shown(self):
        [notification] = self.appliance.report("center")
        return notification.get("title"), notification.get("body"), notification.get("level")

    def mail(self, *words, text):
        program = self.appliance.folder / "sendmail"
        if not program.is_symlink():
            program.symlink_to(pathlib.Path(DESKBELL).resolve())
        done = subprocess.run(
            [program, *words], input=text.encode(), capture_output=True, timeout=PATIENCE_SECONDS, check=False,
            env=self.environment)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_systemd(self):
        [line] = [line for line in block("ini", "ExecStart").splitlines() if line.startswith("ExecStart=")]
        self.shell(self.here(line.removeprefix("ExecStart=").replace("%i", "backup.service")))
        self.assertEqual(self.shown(), (None, "backup.service failed", "time-sensitive"))

    def test_cron(self):
        words = block("cron", "backup").split(" ", 5)[5]
        self.shell(self.here(words).replace("/usr/local/bin/backup", "sh -c 'exit 3'"))
        self.assertEqual(self.shown()[:2], (None, "backup failed: 3"))

    def test_git(self):
        folder = self.appliance.folder / "repository"
        self.shell(f"git init -q -b main --bare {folder}.git && git init -q -b main {folder}")
        hook = pathlib.Path(f"{folder}.git/hooks/post-receive")
        hook.write_text(self.here(block("bash", "git log")))
        hook.chmod(0o755)
        self.shell(f"cd {folder} && git -c user.name=Ada -c user.email=a@example.org commit -q --allow-empty "
                   f"-m 'Ring & go' && git push -q {folder}.git main")
        self.assertEqual(self.shown()[:2], ("refs/heads/main", "Ada: Ring & go"))

    def test_at(self):
        line = block("bash", "| at")
        # at runs its standard input with sh.
        self.shell(self.here(line).replace("| at 17:00", "| sh"))
        self.assertEqual(self.shown()[:2], (None, "Dentist"))

    def test_proxmox(self):
        text = "Details\n\"VM\" 100 failed"
        body = (block("json", "escape title").replace("{{ escape title }}", "backup failed")
                .replace("{{ escape message }}", json.dumps(text)[1:-1]).replace("{{ severity }}", "error"))
        self.shell(self.here("curl -sS --fail --cacert /etc/bell.pem -d @- https://BELL/h/KEY", "proxmox"), stdin=body)
        self.assertEqual(self.shown(), ("backup failed", text, "time-sensitive"))

    def test_mail_as_printed(self):
        line = block("sh", "printf 'Subject").splitlines()[0].replace("deskbell mail", f"{DESKBELL} mail")
        self.shell(line)
        self.assertEqual(self.shown()[:2], ("Backup", "It is done"))

    def test_sendmail_as_cron_and_at_call_it(self):
        # Debian's cron, cronie, and at.
        for words in (["-i", "-FCronDaemon", "-B8BITMIME", "-oem", "root"],
                      ["-FCronDaemon", "-i", "-odi", "-oem", "-oi", "-t", "-f", "root"], ["-i", "ada"]):
            with self.subTest(words=words):
                self.appliance.run("center", "--clear")
                self.mail(*words, text=(
                    "From: root (Cron Daemon)\nTo: root\nSubject: Cron <root@nas> backup\nMIME-Version: 1.0\n"
                    "Content-Type: text/plain; charset=UTF-8\nContent-Transfer-Encoding: 8bit\n\n"
                    "Die Platte ist voll: ü\n.\nEnde\n"))
                self.assertEqual(self.shown()[:2], ("Cron <root@nas> backup", "Die Platte ist voll: ü\n.\nEnde"))
