"""The ways in with access keys, with common tools: the command that `topic add` prints, curl, and Apprise; and the recipes
of docs/ways-in.md for the machine itself, run as printed: mail, systemd, cron, git, at, Proxmox."""

import json
import pathlib
import re
import shlex
import subprocess

import apprise

from Tests.support.appliance import APP, ApplianceCase, Mailroom
from Tests.support.curl import curl
from Tests.support.project import DESKBELL, PATIENCE_SECONDS, ROOT

SETTINGS = """\
http: { listen: "127.0.0.1:0", for: [ntfy, gotify, hooks] }
hook-templates:
  printer:
    title: "{{printer}}"
    text: "{{job}} is {{state}}"
    level: "{{state}}"
    levels: { jammed: time-sensitive }
"""


class WaysInTests(ApplianceCase):
    @classmethod
    def make(cls):
        return Mailroom(settings=SETTINGS)

    def setUp(self):
        self.appliance.run("center", "--clear")
        self.before = self.appliance.report("state")["lastEvent"]

    def shell(self, line, stdin=""):
        """Runs a line as pasted into a terminal; a failure of curl fails the test."""
        words = shlex.split(line)
        done = subprocess.run(
            [words[0], "--silent", "--show-error", "--fail-with-body", "--max-time", str(PATIENCE_SECONDS), *words[1:]],
            input=stdin, capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return json.loads(done.stdout)

    def shown(self):
        """Returns title and text of the only notification."""
        [notification] = self.appliance.report("center")
        return notification.get("title"), notification.get("body")

    def rang(self):
        return [event for event in self.appliance.events(self.before) if event["event"] == "presented"][-1]

    def printed(self, *words):
        """Returns the output of `topic add` or `hook add`, and its command lines."""
        text = self.appliance.run(*words)
        return text, [line.strip() for line in text.splitlines() if line.startswith("  curl ")]

    def key(self, way, name):
        return self.appliance.report(way, "key", name)["key"]

    def test_the_printed_line_rings_without_an_authority(self):
        text, [encrypted, plain] = self.printed("topic", "add", "parcels", "--app", APP)
        self.assertIn("--pinnedpubkey", encrypted)
        answer = self.shell(encrypted)
        self.assertEqual((answer["message"], answer["topic"]), ("A parcel", "parcels"))
        self.assertEqual(self.shown(), (None, "A parcel"))
        self.assertEqual(self.rang()["sound"], "default")
        self.assertEqual(self.shell(plain)["message"], "A parcel")
        # Another server's key is refused: the pin replaces the authority.
        wrong = re.sub(r"sha256//.{8}", "sha256//AAAAAAAA", encrypted)
        done = subprocess.run(shlex.split(wrong), capture_output=True, check=False)
        self.assertEqual(done.returncode, 90)
        # The same command again changes nothing, and shows no key.
        self.assertEqual(self.appliance.run("topic", "add", "parcels", "--app", APP).count("tk_"), 0)
        self.assertEqual(self.shell(encrypted)["message"], "A parcel")
        # A new key ends the old one.
        self.key("topic", "parcels")
        self.assertEqual(subprocess.run(
            [*shlex.split(encrypted), "--silent", "--fail"], capture_output=True, check=False).returncode, 22)

    def test_a_key_that_ends_reads_nothing_more(self):
        appliance, server = self.appliance, f"https://localhost:{self.appliance.port}"

        def ask(key, path, *more):
            return curl("--cacert", appliance.ca, "-H", f"Authorization: Bearer {key}", *more, server + path).text

        bundle = appliance.bundle("id: com.example.guest\nname: Guest\n")

        def install():
            appliance.install(bundle, "com.example.guest")

        install()
        ends = {
            "renewed": [("topic", "key", "ending")],
            "removed": [("topic", "remove", "ending")],
            "app uninstalled": [("app", "uninstall", "com.example.guest")],
        }
        for how, commands in ends.items():
            for version in "--http1.1", "--http2":
                for format in "json", "sse", "raw":
                    with self.subTest(how=how, version=version, format=format):
                        appliance.run("topic", "add", "ending", "--app", "com.example.guest")
                        old = self.key("topic", "ending")
                        ask(old, "/ending", "-d", "secret")
                        stream = subprocess.Popen(
                            ["curl", "--silent", "--no-buffer", version, "--cacert", str(appliance.ca), "-H",
                             f"Authorization: Bearer {old}", f"{server}/ending/{format}?since=all"],
                            stdout=subprocess.PIPE, text=True)
                        self.addCleanup(stream.kill)
                        while "secret" not in stream.stdout.readline():
                            pass
                        for command in commands:
                            appliance.run(*command)
                        # It ends on its own, after everything sent before.
                        rest = stream.communicate(timeout=PATIENCE_SECONDS)[0]
                        self.assertEqual((rest.strip(), stream.returncode), ("", 0))
                        if how == "app uninstalled":
                            install()
                            new = old
                        else:
                            appliance.run("topic", "add", "ending", "--app", APP)
                            new = self.key("topic", "ending")
                            self.assertIn('"code":40101', ask(old, "/ending/json?poll=1&since=all"))
                        self.assertEqual(ask(new, "/ending/json?poll=1&since=all"), "")
                        appliance.run("topic", "remove", "ending")

    def test_recipes_of_the_shell(self):
        self.appliance.run("topic", "add", "shell", "--app", APP)
        key = self.key("topic", "shell")
        curl = f"curl --cacert {self.appliance.ca} -H 'Authorization: Bearer {key}'"
        url = f"https://localhost:{self.appliance.port}/shell"
        self.shell(f"{curl} -d 'tests: 0' {url}")
        self.assertEqual(self.shown(), (None, "tests: 0"))
        # A mail: its subject, and its text from standard input.
        self.appliance.run("center", "--clear")
        self.shell(f"{curl} -H 'Title: =?utf-8?q?Gr=C3=BC=C3=9Fe?=' -T - {url}", stdin="Bis bald\n")
        self.assertEqual(self.shown(), ("Grüße", "Bis bald"))
        # A calendar's alarm.
        self.shell(f"{curl} -H 'At: 10m' -d Dentist {url}/dentist")
        [waiting] = self.appliance.report("local", "list", APP)
        self.assertEqual((waiting["identifier"], waiting["request"]["body"]), ("dentist", "Dentist"))
        self.shell(f"{curl} -X DELETE {url}/dentist")
        self.assertEqual(self.appliance.report("local", "list", APP), [])
        # Over both versions of HTTP, the newer message replaces the older.
        self.appliance.run("center", "--clear")
        for number, version in enumerate(["--http1.1", "--http2"]):
            self.shell(f"{curl} {version} -H 'X-Sequence-ID: oven' -d '{number}' {url}")
        self.assertEqual(self.shown(), (None, "1"))

    def test_a_push_is_explained_by_ntfys_name_for_it(self):
        self.appliance.run("topic", "add", "named", "--app", APP)
        key = self.key("topic", "named")
        answer = self.shell(f"curl -k -u :{key} -d x https://localhost:{self.appliance.port}/named")
        explanation = self.appliance.report("explain", answer["id"])
        self.assertTrue(explanation["rang"])
        self.assertIn("R1.key", [ruling["code"] for ruling in explanation["rulings"]])

    def test_apprise(self):
        self.appliance.run("topic", "add", "apprise", "--app", APP)
        self.appliance.run("hook", "add", "apprise-hook", "--app", APP)
        topic, hook = self.key("topic", "apprise"), self.key("hook", "apprise-hook")
        secure = f"localhost:{self.appliance.port}"
        plain = self.appliance.report("state")["httpAddress"]
        for url in [f"ntfys://{topic}@{secure}/apprise?priority=high&verify=no", f"gotifys://{secure}/{topic}?verify=no",
                    f"jsons://{secure}/h/{hook}?verify=no", f"ntfy://{topic}@{plain}/apprise",
                    f"gotify://{plain}/{topic}"]:
            with self.subTest(url=url.split("?")[0].replace(topic, "KEY").replace(hook, "KEY")):
                self.appliance.run("center", "--clear")
                sender = apprise.Apprise()
                self.assertTrue(sender.add(url))
                self.assertTrue(sender.notify(title="Backup", body="It is done"))
                self.assertEqual(self.shown(), ("Backup", "It is done"))

    def test_hooks(self):
        _, [line] = self.printed("hook", "add", "ci", "--app", APP, "--template", "printer")
        self.shell(line)
        self.assertEqual(self.shown(), (None, "Hello"))
        self.appliance.run("center", "--clear")
        body = json.dumps({"printer": "Laser", "job": "letter.pdf", "state": "jammed"})
        self.shell(f"{line.replace(chr(39) + 'Hello' + chr(39), shlex.quote(body))} -H 'Content-Type: application/json'")
        self.assertEqual(self.shown(), ("Laser", "letter.pdf is jammed"))
        self.assertEqual(self.appliance.report("center")[0]["level"], "time-sensitive")
        self.assertIn("printer", self.appliance.report("hook", "templates"))

    def test_mistakes_are_named(self):
        refused = {
            ("topic", "add", "parcels", "--app", "com.example.nobody"): "no app 'com.example.nobody' is installed there",
            ("topic", "add", "message", "--app", APP): "is no name for a topic",
            ("topic", "add", "x", "--app", APP, "--handset", "hall"): "there is no handset 'hall'",
            ("hook", "add", "x", "--app", APP, "--template", "githup"): "there is no template 'githup'",
            ("topic", "key", "nothing"): "there is no topic 'nothing'",
            ("hook", "remove", "nothing"): "there is no hook 'nothing'",
        }
        for words, said in refused.items():
            self.assertIn(said, self.appliance.refusal(*words))

    def test_the_port_without_tls_is_loud(self):
        self.assertTrue(any("without TLS at" in line for line in self.appliance.errors))
        [finding] = [finding for finding in self.appliance.findings() if finding["subject"] == "port without TLS"]
        self.assertEqual(finding["grade"], "notable")


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
