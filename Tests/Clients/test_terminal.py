"""Terminal use: an app made from a name, the outcome of a push, waiting for events, and a bell for any command."""

import json
import os
import re
import subprocess
import threading

from Tests.support.appliance import APP, Appliance, ApplianceCase
from Tests.support.project import DESKBELL, PATIENCE_SECONDS


class TerminalTests(ApplianceCase):
    @classmethod
    def make(cls):
        appliance = Appliance()
        appliance.environment["HOME"] = str(appliance.folder)
        return appliance

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.appliance.run("app", "install", "examples/mailroom")

    def setUp(self):
        self.appliance.run("conditions", "silent", "off")
        self.appliance.run("center", "--clear")

    def test_an_installed_app_is_registered_unless_it_should_not_be(self):
        [app] = [app for app in self.appliance.report("app", "list") if app["id"] == APP]
        self.assertEqual((app["registration"], app["kinds"]), ("registered", ["badge", "sound", "alert"]))
        self.appliance.run("app", "unregister", APP)
        # An unregistered app stays unregistered.
        self.appliance.run("app", "install", "examples/mailroom")
        self.assertEqual(self.appliance.report("app", "list")[0]["registration"], "unregistered")
        self.appliance.run("app", "uninstall", APP)
        said = self.appliance.run("app", "install", "examples/mailroom", "--no-register")
        self.assertIn(f"next: deskbell app register {APP}", said)
        self.appliance.run("app", "register", APP)

    def test_an_app_from_a_name(self):
        self.assertIn("Washing \"machine\" (home.washing) is installed and registered",
                      self.appliance.run("app", "new", "washing", "--name", "Washing \"machine\""))
        again = self.appliance.command("app", "new", "washing", check=False)
        self.assertEqual((again.returncode, "installed already" in again.stderr), (1, True))
        done = self.appliance.command("push", "home.washing", "--body", "Done", "--sound", "default", "--must-ring")
        self.assertIn("It rang: banner", done.stdout)
        self.assertEqual(self.appliance.command("app", "new", "no name", check=False).returncode, 1)
        self.appliance.run("app", "uninstall", "home.washing")

    def test_a_push_says_what_came_of_it(self):
        self.appliance.run("conditions", "silent", "on")
        done = self.appliance.command("push", APP, "--body", "Hello", "--sound", "letter", "--must-ring", check=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn("It did not ring: the ring/silent switch is on silent (S5).", done.stdout)
        report = self.appliance.report("push", APP, "--body", "Hello", "--sound", "letter")
        self.assertEqual((report["status"], report["rang"]), (200, False))
        usage = self.appliance.command("push", APP, "--body", "x", "--must-ring", "--host", "bell", check=False)
        self.assertEqual(usage.returncode, 2)

    def test_a_payload_from_standard_input(self):
        payload = json.dumps({"aps": {"alert": "From a pipe"}, "own": 1})
        done = self.appliance.command("push", APP, "--payload", "-", text=payload)
        self.assertTrue(done.stdout.startswith("200 "))
        self.assertEqual(self.appliance.report("center")[0]["body"], "From a pipe")

    def test_a_providers_folder_is_all_that_another_machine_needs(self):
        folder = self.appliance.folder / "deskbell-provider"
        folder.mkdir()
        self.appliance.add_provider(APP)
        key = folder / "AuthKey_KEY1234567.p8"
        key.write_text(self.appliance.key)
        (folder / "ca.pem").write_text(self.appliance.ca.read_text())
        (folder / "provider.json").write_text(json.dumps({
            "host": "localhost", "port": self.appliance.port, "topic": APP, "teamID": "TEAM123456",
            "deviceToken": self.appliance.token_of(APP), "keyID": "KEY1234567", "key": key.name,
            "certificateAuthority": "ca.pem"}))
        elsewhere = {**os.environ, "HOME": str(self.appliance.folder), "DESKBELL_CONTROL": "/nowhere/control.sock"}
        subprocess.run([DESKBELL, "push", "--provider", f"{folder}/", "--body", "From afar"], env=elsewhere,
                       capture_output=True, check=True)
        self.assertEqual(self.appliance.report("center")[0]["body"], "From afar")
        subprocess.run([DESKBELL, "run", "--provider", str(folder), "--", "true"], env=elsewhere, capture_output=True,
                       check=True)
        self.assertEqual(self.appliance.report("center")[0]["title"], "true")
        done = subprocess.run([DESKBELL, "push", "--provider", "/nowhere", "--body", "x"], env=elsewhere,
                              capture_output=True, text=True, check=False)
        self.assertEqual((done.returncode, "/nowhere/provider.json cannot be read" in done.stderr), (1, True))

    def test_a_command_rings_when_it_ends(self):
        def run(*words):
            return self.appliance.command("run", *words, check=False)

        done = run("--show-arguments", "--", "sh", "-c", "echo out; echo err >&2; exit 3")
        self.assertEqual((done.returncode, done.stdout, done.stderr), (3, "out\n", "err\n"))
        shown = self.appliance.report("center")[0]
        self.assertEqual((shown["app"], shown["title"], shown["level"]),
                         ("home.terminal", "sh -c echo out; echo err >&2; exit 3", "time-sensitive"))
        self.assertRegex(shown["body"], r"^failed with 3 after \d\.\d s$")
        self.assertEqual(run("--app", APP, "true").returncode, 0)
        self.assertEqual(self.appliance.report("center")[0]["app"], APP)
        # An argument may be a password, so arguments are shown on request only.
        before = self.appliance.report("state")["lastEvent"]
        self.assertEqual(run("/bin/sh", "-c", "exit 0", "-pSECRET", "SECRET=SECRET").returncode, 0)
        self.assertEqual(self.appliance.report("center")[0]["title"], "sh")
        told = self.appliance.run("center", "--json") + self.appliance.run("events", "--json", "--since", before)
        self.assertNotIn("SECRET", told + "\n".join(self.appliance.errors))
        self.assertEqual(run("sh", "-c", "kill -TERM $$").returncode, 128 + 15)
        missing = run("no-such-program")
        self.assertEqual((missing.returncode, "'no-such-program' cannot be run" in missing.stderr), (127, True))

    def test_foreign_text_controls_no_terminal(self):
        """DEL, and the controls of C0 and C1, including ESC and CSI; controls of text direction; line endings."""
        controls = "".join(map(chr, [*range(1, 32), 127, *range(128, 160), 0x2028, 0x2029, 0x202E, 0x2066]))
        text = f"a{controls}b"
        payload = json.dumps({"aps": {"alert": {"title": text, "body": text}, "sound": text}, "own": text})
        before = self.appliance.report("state")["lastEvent"]

        def push():
            self.appliance.command("push", APP, "--payload", "-", text=payload)

        # To Notification Center, and to an app in the foreground.
        push()
        outputs = [self.appliance.run("center"), self.appliance.run("center", "--json")]
        self.assertEqual(json.loads(outputs[1])[0]["body"], text)
        listener = subprocess.Popen([DESKBELL, "app", "listen", APP, "--foreground"], env=self.appliance.environment,
                                    stdout=subprocess.PIPE, text=True)
        try:
            self.appliance.wait_for_event(lambda event: event.get("state") == "foreground", before)
            push()
            heard = listener.stdout.readline()
        finally:
            listener.kill()
            listener.wait()
            listener.stdout.close()
        identifier = json.loads(heard)["push"]
        outputs += [
            heard, self.appliance.run("explain", identifier), self.appliance.run("explain", identifier, "--json"),
            *(self.appliance.run(*words, *json_too) for json_too in ([], ["--json"])
              for words in (["events", "--since", before], ["state"], ["app", "list"]))]
        for name in (text, "x\u009by", "x\u007fy"):
            for words in (["app", "token", name], ["push", APP, "--sound", name, "--level", name], ["explain", name],
                          [name], ["topic", "add", name, "--app", name]):
                for json_too in ([], ["--json"]):
                    done = self.appliance.command(*words, *json_too, check=False)
                    outputs += [done.stdout, done.stderr]
        for output in outputs:
            raw = {character for character in output if character in controls} - {"\n", "\t"}
            self.assertEqual(raw, set(), ascii(output))
        # In JSON the text is still the same.
        self.assertEqual(json.loads(heard)["payload"]["own"], text)

    def test_a_preloaded_library_that_sets_a_variable_hides_no_argument(self):
        source = self.appliance.folder / "preloaded.c"
        library = source.with_suffix(".so")
        source.write_text("#include <stdlib.h>\n__attribute__((constructor)) static void set(void) {"
                          " setenv(\"ONE_MORE\", \"x\", 1); }\n")
        subprocess.run(["gcc", "-shared", "-fPIC", "-o", library, source], check=True)
        preloaded = {**self.appliance.environment, "LD_PRELOAD": str(library)}
        sound = "examples/mailroom/sounds/letter.wav"
        for words in (["--version"], ["state", "--json"], ["sound", "check", sound], ["nonsense"], ["app", "nonsense"],
                      ["events", "--kind", "x"], ["app", "token", "", "a b", "ä\udcff"], []):
            plain, loaded = (
                subprocess.run([DESKBELL, *words], env=environment, capture_output=True, check=False, timeout=60)
                for environment in (self.appliance.environment, preloaded))
            self.assertEqual(
                (loaded.returncode, re.sub(rb"[0-9]+", b"", loaded.stdout), loaded.stderr),
                (plain.returncode, re.sub(rb"[0-9]+", b"", plain.stdout), plain.stderr), words)

    def test_help_is_not_a_command_to_run(self):
        for word in "--help", "-h":
            done = self.appliance.command("run", word)
            self.assertIn("USAGE: deskbell run", done.stdout)

    def test_what_ends_is_json_for_scripts(self):
        self.assertEqual(self.appliance.report("center", APP, "--clear"), {"app": APP, "cleared": True})
        self.assertEqual(self.appliance.report("center", "--clear"), {"cleared": True})
        self.assertEqual(self.appliance.report("snooze", "--end"), [])
        self.appliance.run("metrics", "token")
        self.assertEqual(self.appliance.report("metrics", "token", "--revoke"), {"revoked": True})

    def test_a_daemon_that_is_not_there_yet_is_waited_for(self):
        with Appliance() as late:
            late.stop()
            missing = late.command("state", "--wait", "100ms", check=False)
            self.assertEqual(missing.returncode, 3)
            waiting = subprocess.Popen(
                [DESKBELL, "state", "--wait", f"{PATIENCE_SECONDS}s", "--json"], env=late.environment,
                stdout=subprocess.PIPE, text=True)
            late.start()
            self.assertIn("pushAddress", json.loads(waiting.communicate(timeout=PATIENCE_SECONDS)[0]))
            self.assertEqual(waiting.returncode, 0)

    def test_events_that_are_meant(self):
        for number in range(12):
            self.appliance.run("push", APP, "--body", str(number), "--sound", "letter")
        # A sound and a banner end on their own meanwhile.
        before = self.appliance.events()
        lines = self.appliance.run("events").splitlines()
        self.assertEqual(len(lines), 20)
        every = self.appliance.events()
        last = int(lines[-1].split()[0])
        self.assertTrue(before[-1]["sequence"] <= last <= every[-1]["sequence"], lines)
        kinds = [json.loads(line)["event"] for line in
                 self.appliance.run("events", "--json", "--kind", "presented,accepted", "--last", "3").splitlines()]
        self.assertEqual(kinds, ["presented", "accepted", "presented"])
        push = next(event["push"] for event in reversed(every) if "push" in event)
        found = [json.loads(line) for line in self.appliance.run("events", "--json", "--push", push).splitlines()]
        self.assertEqual({event["push"] for event in found}, {push})
        self.assertEqual(self.appliance.run("events", "--app", "com.example.nobody"), "")
        wrong = self.appliance.command("events", "--kind", "presentd", check=False)
        self.assertEqual((wrong.returncode, "Did you mean 'presented'?" in wrong.stderr), (2, True))

    def test_waiting_for_an_event(self):
        late = self.appliance.command("events", "--wait", "event=presented", "--timeout", "100ms", check=False)
        self.assertEqual((late.returncode, "no such event within 100ms" in late.stderr), (1, True))
        before = self.appliance.report("state")["lastEvent"]
        push = threading.Thread(target=self.appliance.run, args=("push", APP, "--body", "x", "--sound", "letter"))
        push.start()
        event = json.loads(self.appliance.run(
            "events", "--json", "--since", before, "--wait", "event=sound-started name=letter", "--timeout", "60s"))
        push.join()
        self.assertEqual((event["event"], event["name"]), ("sound-started", "letter"))

    def complete(self, line):
        """Returns bash's completions of the last word, with the script that the program prints."""
        script = """source <("$0" --generate-completion-script bash)
            read -ra COMP_WORDS <<<"$1"; [ "${1: -1}" != ' ' ] || COMP_WORDS+=('')
            COMP_LINE=$1 COMP_POINT=${#1} COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
            _deskbell "$0" "${COMP_WORDS[-1]}" "${COMP_WORDS[-2]}"
            for word in "${COMPREPLY[@]}"; do echo "$word"; done"""
        done = subprocess.run(
            ["bash", "-c", script, DESKBELL, line], env=self.appliance.environment, capture_output=True,
            text=True, stdin=subprocess.DEVNULL, timeout=60)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout.split()

    def test_a_shell_completes_names_of_the_daemon(self):
        self.appliance.run("topic", "add", "parcels", "--app", APP)
        self.assertEqual(self.complete(f"{DESKBELL} push com."), [APP])
        self.assertEqual(self.complete(f"{DESKBELL} app launch com."), [APP])
        self.assertEqual(self.complete(f"{DESKBELL} topic remove par"), ["parcels"])
        self.assertIn("quiet-hours", self.complete(f"{DESKBELL} settings "))
        # Without a daemon, a shell cannot use a message.
        self.assertEqual(self.complete(f"{DESKBELL} push --control /nowhere com."), [])
