"""All displays and functions of the panel, in a real browser with the daemon as shipped."""

import contextlib
import subprocess
import tempfile
import unittest
from pathlib import Path
from urllib.parse import urlsplit

from Tests.Panel.browser import PHONE, PanelCase, browser, prefer
from Tests.Panel.forwarding import PanelPort
from Tests.support.appliance import APP, Mailroom
from Tests.support.project import free_port


class ShowsTests(PanelCase):
    def setUp(self):
        # Clears the badge, and the app's notifications in Notification Center (rule B3).
        self.appliance.push('{"aps": {"badge": 0}}')
        self.panel.wait_for(".no-notes")

    def test_a_push_shows_as_it_comes(self):
        # Earlier notifications are not announced together with this one.
        self.panel.driver.refresh()
        self.panel.wait_for(".no-notes")
        self.appliance.notify("Two letters", "In the box", badge=12, sound="letter")
        self.panel.wait_for(".banner", "Two letters")
        self.panel.wait_for(".note", "In the box")
        self.panel.wait_for(".app-icon .badge", "12")
        self.assertEqual(self.panel.read(".app-icon", "ariaLabel"), "Open Mailroom, badge 12")
        # Digits 1 and 2: b c, and a b d e g.
        def lit():
            return [
                [index for index, part in enumerate(self.panel.script(
                    "return [...arguments[0].children].map((part) => part.classList.contains('on'))", digit)) if part]
                for digit in self.panel.all(".digits g")]
        self.panel.wait(lambda: lit() == [[], [], [1, 2], [0, 1, 3, 4, 6]], "the digits 1 and 2")
        self.panel.wait_for(".part-lamp .part-words", "double")
        self.panel.wait_for(".part-speaker .part-words", "letter")
        self.panel.wait(
            lambda: self.panel.script("return document.querySelectorAll('.wave rect').length") == 160, "a waveform")
        self.assertTrue(self.panel.script(
            "return Math.max(...[...document.querySelectorAll('.wave rect')].map((bar) => bar.height.baseVal.value)) > 10"))
        self.panel.wait(
            lambda: self.panel.read("#said", "textContent") == "Mailroom: banner, Two letters, In the box",
            "words for a reader")
        self.assertIn("12", self.panel.driver.title)

    def test_what_is_kept_stands_beside_its_limits(self):
        self.appliance.push('{"aps": {"alert": "In the box"}}')
        self.panel.press(".usage:not(#delivery) summary")
        self.panel.wait_for("#usage", f"{APP} 1 of 1,000 0.1 of 32 MB")
        rows = self.panel.one("#usage").text.splitlines()
        self.assertEqual(rows[0], "Kept of Notifications Texts Events")
        self.assertRegex(rows[1], r"^all apps 1 of 50,000 0.1 of 96 MB [\d,]+ of 100,000$")
        self.assertEqual(rows[3], "Provider Connections Requests Too many")
        self.assertRegex(rows[4], r" \d+ of 500 [\d,]+ 0$")

    def test_a_sound_that_is_over_is_told_as_the_last(self):
        self.appliance.push('{"aps": {"alert": "listen", "sound": "letter"}}')
        self.appliance.wait_for_event("sound-ended")
        self.panel.wait_for(".part-speaker .part-words", "last: letter")
        # Its waveform may come after its end, and then announces nothing.
        self.panel.wait(
            lambda: self.panel.script("return document.querySelectorAll('.wave rect').length") == 160, "a waveform")
        self.assertEqual(self.panel.read(".part-speaker .part-words", "innerText"), "last: letter")

    def test_a_reader_is_not_told_of_each_of_many(self):
        self.panel.script("""
            window.said = [];
            window.listener = new MutationObserver(() => window.said.push(document.getElementById('said').textContent));
            window.listener.observe(document.getElementById('said'), { childList: true, characterData: true, subtree: true });""")
        self.appliance.run("push", APP, "--body", "one of many", "--repeat", "50")
        self.panel.wait(lambda: len(self.panel.all(".note")) == 50, "all of them")
        self.panel.wait(lambda: self.panel.script("return window.said.some((words) => words.includes('one of many'))"), "words")
        said = self.panel.script("window.listener.disconnect(); return window.said")
        self.assertLess(len(said), 25, said)
        self.assertTrue(any(" notifications, the newest, Mailroom: banner, one of many" in words for words in said), said)

    def test_an_alert_stays_until_it_is_answered(self):
        self.appliance.run("settings", APP, "style", "alert")
        self.appliance.notify("First", "below")
        self.appliance.notify("Second", "on top")
        self.panel.wait_for(".alert", "Second")
        self.panel.wait_for(".alert .below", "1 more below")
        # The keyboard cannot reach the covered screen.
        self.assertEqual(self.panel.script("return document.querySelector('.screen').inert"), True)
        self.assertEqual(self.panel.texts(".alert button"), ["Close", "Sort"])
        self.panel.press(self.panel.focus("alert close"))
        self.panel.wait_for(".alert", "First")
        self.panel.press(self.panel.focus("alert view"))
        self.panel.wait_for(".open-name", "Mailroom")
        self.assertEqual(self.panel.script("return document.querySelector('.screen').inert"), False)
        self.panel.press(self.panel.focus("Home"))
        self.panel.wait_for(".icons")
        self.appliance.run("settings", APP, "style", "banner")

    def test_the_app_of_an_alert_and_all_are_snoozed(self):
        self.appliance.run("settings", APP, "style", "alert")
        self.appliance.push('{"aps": {"alert": "Ring", "sound": "default"}}')
        self.panel.wait_for(".alert", "Ring")
        self.panel.press(self.panel.focus("alert snooze"))
        self.panel.wait_for(".snoozes", "Mailroom: silent until")
        self.panel.press(self.panel.focus(f"end snooze {APP}"))
        self.panel.wait(lambda: "Mailroom" not in self.panel.read(".snoozes", "innerText"), "no snooze of the app")
        self.panel.press(self.panel.focus("snooze 1 h"))
        self.panel.wait_for(".snoozes", "All apps: silent until")
        self.assertEqual([snooze.get("app") for snooze in self.appliance.report("state")["snoozes"]], [None])
        self.assertEqual(self.panel.all("#snooze-all"), [])
        self.panel.press(self.panel.focus("end snooze "))
        self.panel.wait_for("#snooze-all", "Snooze all apps")
        self.panel.press(self.panel.focus("alert close"))
        self.appliance.run("settings", APP, "style", "banner")

    def test_notification_center_is_cleared_one_by_one_by_section_and_whole(self):
        for number in range(3):
            self.appliance.push('{"aps": {"alert": "letter %d"}}' % number)
        self.panel.wait(lambda: len(self.panel.all(".note")) == 3, "three notifications")
        self.assertEqual([text.split("\n")[0] for text in self.panel.texts(".note")], ["letter 2", "letter 1", "letter 0"])
        self.panel.script("document.querySelector('.note .clear').click()")
        self.panel.wait(lambda: len(self.panel.all(".note")) == 2, "two notifications")
        self.panel.press(self.panel.focus(f"clear {APP}"))
        self.panel.wait_for(".no-notes", "No notifications")
        self.appliance.push('{"aps": {"alert": "one more"}}')
        self.panel.wait_for(".note", "one more")
        self.panel.press(self.panel.focus("Clear all"))
        self.panel.wait_for(".no-notes")

    def test_a_notification_is_opened_in_the_list(self):
        self.appliance.push('{"aps": {"alert": "the first"}}')
        self.appliance.push('{"aps": {"alert": "the second"}}')
        self.panel.wait(lambda: len(self.panel.all(".note")) == 2, "two notifications")
        number = self.appliance.report("center")[1]["id"]
        self.panel.press(self.panel.focus(f"open {number}"))
        self.panel.wait_for(".open-name", "Mailroom")
        self.panel.wait_for(".event-name", "responded")
        responded = [event for event in self.appliance.events() if event["event"] == "responded"]
        self.assertEqual([event["action"] for event in responded], ["com.apple.UNNotificationDefaultActionIdentifier"])
        self.panel.press(self.panel.focus("Home"))

    def test_conditions_are_switches_and_show_on_the_screen(self):
        for condition, shown in [("silent", "Silent"), ("offline", "Offline"), ("low-power", "Low power"), ("locked", "Locked")]:
            self.panel.press(self.panel.focus(f"condition {condition}"))
            self.panel.wait_for(f".status [aria-label='{shown}']")
            self.assertEqual({each["key"]: each["value"] for each in self.appliance.report("conditions")}[condition], "on")
        self.panel.wait_for(".lock-time")
        for condition in ["silent", "offline", "low-power", "locked"]:
            self.appliance.run("conditions", condition, "off")
        self.panel.wait(lambda: not self.panel.all(".status [role=img]"), "no marks")

    def test_settings_of_the_app_and_the_handset(self):
        for key in ["repeat", "repeat-every", "repeat-times"]:
            self.assertEqual(self.panel.one(self.panel.focus(f"{APP} {key}")).tag_name, "select")
        for key, app, *values in [
                ("default-sound", APP, "knock", "default"), ("default-sound", None, "chime", "default"),
                ("style", APP, "none", "banner"), ("fetch-mode", None, "fetch", "manual", "push")]:
            for value in values:
                self.panel.choose(self.panel.focus(f"{app or 'setting'} {key}"), value)
                self.wait_for_setting(value, key, app)
        for value in ["off", "on"]:
            self.panel.press(self.panel.focus(f"{APP} sound"))
            self.wait_for_setting(value, "sound", APP)
        self.panel.press(self.panel.focus("setting quiet-hours"))
        self.wait_for_setting("22:00-07:00", "quiet-hours")
        self.panel.wait(lambda: self.panel.one(self.panel.focus("setting quiet-hours 0")), "times")
        self.panel.slide(self.panel.focus("setting quiet-hours 0"), "00:00")
        self.wait_for_setting("00:00-07:00", "quiet-hours")
        self.panel.slide(self.panel.focus("setting quiet-hours 1"), "23:59")
        self.panel.wait_for(".status [aria-label='Quiet hours']")
        self.panel.press(self.panel.focus("setting quiet-hours"))
        self.wait_for_setting("off", "quiet-hours")
        self.panel.slide(self.panel.focus(f"{APP} volume"), 40)
        self.wait_for_setting("40%", "volume", APP)
        self.appliance.run("settings", APP, "volume", "100%")

    def is_expected(self, line):
        return "status of 409" in line["message"] and self._testMethodName == "test_what_cannot_be_is_told_in_words"

    def test_what_cannot_be_is_told_in_words(self):
        self.appliance.run("app", "launch", APP)
        self.appliance.run("app", "kill", APP)
        self.panel.wait(lambda: self.app()["lifecycle"] == "notRunning", "not running")
        self.panel.submit(self.panel.focus(f"{APP} badge-number"), "7")
        self.panel.wait_for("#notice", "is not running. Launch it first.")

    def test_lifecycle_registration_and_the_apps_own_badge(self):
        def tell(command, state):
            self.panel.press(self.panel.focus(f"{APP} {command}"))
            self.panel.wait(lambda: self.app()["lifecycle"] == state, state)

        tell("launch", "foreground")
        tell("background", "background")
        self.panel.wait_for(".icons")
        self.panel.submit(self.panel.focus(f"{APP} badge-number"), "7")
        self.panel.wait_for(".app-icon .badge", "7")
        tell("kill", "notRunning")
        tell("launch", "foreground")
        tell("force-quit", "forceQuit")
        self.panel.press(self.panel.focus(f"{APP} unregister"))
        self.panel.wait_for(f".app summary small", "unregistered")
        self.panel.press(self.panel.focus(f"{APP} register"))
        self.panel.wait(lambda: self.app()["registration"] == "registered", "registered again")
        self.appliance.token = self.app()["token"]

    def app(self):
        return {each["id"]: each for each in self.appliance.report("app", "list")}[APP]

    def test_events_are_filtered_and_explained(self):
        self.appliance.run("conditions", "silent", "on")
        identifier = self.appliance.push('{"aps": {"alert": "quiet please", "sound": "default"}}')
        self.appliance.run("conditions", "silent", "off")
        self.panel.wait_for(".event", "accepted")
        self.panel.write("#filter-text", identifier[:8])
        self.panel.wait(
            lambda: set(self.panel.texts(".event-name")) == {"accepted", "presented"}, "the push's events")
        self.panel.choose("#filter-group", "Notifications")
        self.panel.wait(lambda: self.panel.texts(".event-name") == ["presented"], "one event")
        self.assertIn("of", self.panel.read("#events-count", "innerText"))
        self.panel.script("document.querySelector('.explain').click()")
        self.panel.wait_for("#explanation-title", "Why it did not ring")
        self.assertIn("S5", self.panel.texts(".rule"))
        self.assertIn(identifier, self.panel.read("#explanation", "innerText"))
        self.panel.press("#explanation .dialog-head button")
        self.panel.wait_gone("#explanation")
        self.panel.slide("#filter-text", "")
        self.panel.choose("#filter-group", "")

    def test_hostile_words_stay_words(self):
        self.appliance.push('{"aps": {"alert": {"title": "<img src=x onerror=alert(1)>", "body": "<b>bold</b> \\u202e"}}}')
        self.panel.wait_for(".note strong", "<img src=x onerror=alert(1)>")
        self.assertEqual(self.panel.script("return document.querySelectorAll('.note img, .note b').length"), 0)

    def test_the_board_buttons(self):
        self.appliance.push('{"aps": {"alert": "to be held"}}')
        self.panel.wait_for(".note.is-unseen")
        self.panel.press(self.panel.focus("press close"))
        self.panel.wait_gone(".note.is-unseen")
        self.panel.press(self.panel.focus("press long"))
        self.panel.wait_for(".no-notes")

    def test_the_theme_goes_round_and_is_kept(self):
        for name in ["light", "dark", None]:
            self.panel.press("#theme")
            self.assertEqual(self.panel.script("return document.documentElement.dataset.theme ?? null"), name)


class ComposerTests(PanelCase):
    def setUp(self):
        self.panel.driver.refresh()
        self.panel.wait_for("#link[data-link=live]")
        self.panel.script("document.querySelector('.rare').open = true")

    def is_expected(self, line):
        return "status of 409" in line["message"] or "status of 400" in line["message"]

    def test_through_apns_and_as_curl(self):
        self.panel.write("#push-title", "From the panel")
        self.panel.write("#push-body", "it's here")
        self.panel.write("#push-badge", "5")
        self.panel.choose("#push-sound", "letter")
        # A screen reader reads the answer, and not a page of command line.
        self.assertEqual(self.panel.script("return document.querySelectorAll('#push-result [role=status]').length"), 1)
        self.panel.press("#push-send")
        self.panel.wait_for("#push-result .answer", "200 accepted")
        self.panel.wait_for(".note", "From the panel")
        self.panel.wait_for(".app-icon .badge", "5")
        accepted = self.appliance.wait_for_event("accepted")
        self.assertEqual(accepted["type"], "alert")
        self.panel.press("#push-explain")
        self.panel.wait_for("#explanation-title", "Why it rang")
        self.panel.press("#explanation .dialog-head button")
        self.assertEqual(self.panel.script("return document.querySelectorAll('#push-result [role=status] .curl').length"), 0)
        # The command line sends the same push: run in a shell beside the authority's certificate, it rings once more.
        self.panel.write("#push-title", "From a shell")
        self.panel.press("#push-curl")
        self.panel.wait_for(".curl code", "From a shell")
        line = self.panel.read(".curl pre code", "innerText")
        before = len(self.panel.all(".note"))
        done = subprocess.run(
            ["bash", "-c", line + " --silent --output /dev/null --write-out '%{http_code}'"], cwd=self.appliance.folder,
            capture_output=True, text=True, check=True)
        self.assertEqual(done.stdout, "200")
        self.panel.wait_for(".note", "From a shell")
        self.assertEqual(len(self.panel.all(".note")), before + 1)

    def test_through_the_service_of_2008_and_as_curl(self):
        self.panel.press("#compose input[value='2008']")
        self.assertFalse(self.panel.one("#push-title").is_displayed())
        self.panel.write("#push-body", "a letter of 2008")
        self.panel.write("#push-badge", "8")
        self.panel.press("#push-send")
        self.panel.wait_for("#push-result .answer", "200 accepted")
        self.panel.wait_for(".note", "a letter of 2008")
        lines = self.panel.read(".curl pre code", "innerText")
        self.assertIn("?action=create", lines)
        statuses = subprocess.run(
            ["bash", "-c", "set -e; curl() { command curl --silent --fail \"$@\"; }\n" + lines], cwd=self.appliance.folder,
            capture_output=True, text=True)
        self.assertEqual(statuses.returncode, 0, statuses.stderr)
        self.panel.wait(lambda: len([text for text in self.panel.texts(".note") if "2008" in text]) == 2, "twice")

    def test_another_providers_password_is_asked_for(self):
        secret = self.appliance.folder / "secret"
        secret.write_text("correct horse battery\n")
        self.appliance.run("provider", "add", "old", "--apps", APP, "--password-file", secret)
        self.panel.press("#compose input[value='2008']")
        self.panel.write("#push-body", "who is it")
        self.panel.press("#push-send")
        self.panel.wait_for("#push-result .answer.bad", "Provider 'old' has the 2008 service's password")
        self.panel.write("#push-password", "correct horse battery")
        self.panel.press("#push-send")
        self.panel.wait_for("#push-result .answer.good", "200")
        self.assertNotIn("correct horse", self.panel.read(".curl pre code", "innerText"))
        self.appliance.run("provider", "remove", "old")

    def test_a_payload_of_ones_own_and_a_refusal_in_words(self):
        self.panel.script(
            "document.getElementById('push-payload').value = arguments[0]", '{"aps": {"alert": "raw", "badge": 3}}')
        self.panel.press("#push-send")
        self.panel.wait_for(".note", "raw")
        self.panel.script("document.getElementById('push-payload').value = 'no JSON'")
        self.panel.press("#push-send")
        self.panel.wait_for("#push-result .answer.bad", "PayloadEmpty")
        self.panel.write("#push-payload", "")
        for name in ["title", "body", "badge"]:
            self.panel.write(f"#push-{name}", "")
        self.panel.choose("#push-sound", "")
        self.panel.press("#push-send")
        self.panel.wait_for("#push-result .answer.bad", "There is nothing in this push")


class OwnCertificateTests(PanelCase):
    """The push port shows the user's own certificate, which neither names this machine nor has a trusted signature."""

    NAME = "bell.example.org"

    @classmethod
    def setUpClass(cls):
        cls.folder = Path(cls.enterClassContext(tempfile.TemporaryDirectory(prefix="deskbell-certificate-")))

        def openssl(*words):
            subprocess.run(["openssl", *words], cwd=cls.folder, check=True, capture_output=True)

        def make(name, subject, *words):
            openssl(
                "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
                "-keyout", f"{name}.key", "-out", f"{name}.pem", "-subj", f"/CN={subject}", *words)

        make("authority", "Somebody")
        make("server", cls.NAME, "-addext", f"subjectAltName=DNS:{cls.NAME}", "-addext", "basicConstraints=critical,CA:false",
             "-CA", "authority.pem", "-CAkey", "authority.key")
        cls.settings = f"certificate: {{ chain: {cls.folder}/server.pem, key: {cls.folder}/server.key }}\n"
        super().setUpClass()

    def test_test_pushes_ring_and_their_command_lines_do_by_the_certificates_name(self):
        for via, words in [("apns", "by name"), ("2008", "as of old")]:
            self.panel.press(f"#compose input[value='{via}']")
            self.panel.write("#push-body", words)
            self.panel.press("#push-send")
            self.panel.wait_for("#push-result .answer.good", "200 accepted")
            self.panel.wait_for(".note", words)
            lines = self.panel.read(".curl pre code", "innerText")
            self.assertIn(f"https://{self.NAME}:{self.appliance.port}/", lines)
            self.assertIn(f"--connect-to ::127.0.0.1:{self.appliance.port}", lines)
            self.assertIn(f"--cacert {self.folder}/server.pem", lines)
            self.panel.wait_for(".curl .faint", "one that your certificate is good for")
            before = len(self.panel.all(".note"))
            done = subprocess.run(
                ["bash", "-c", "set -e; curl() { command curl --silent --show-error --fail \"$@\"; }\n" + lines],
                capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.panel.wait(lambda: len(self.panel.all(".note")) == before + 1, "once more")


class MotorTests(PanelCase):
    """A board with a motor: the page's runs for as long as the board's, which prints a line at each edge."""

    @classmethod
    def setUpClass(cls):
        folder = Path(cls.enterClassContext(tempfile.TemporaryDirectory(prefix="deskbell-motor-")))
        board = folder / "board.yaml"
        board.write_text("board: With a motor\nchip: simulated\nlamp: { line: LAMP }\nmotor: { line: MOTOR }\n")
        cls.board = str(board)
        super().setUpClass()

    @classmethod
    def prepare(cls):
        super().prepare()
        cls.appliance.run("settings", APP, "critical", "on")

    def setUp(self):
        self.panel.script("""
            const motor = document.querySelector('.motor');
            window.seen = [];
            window.watcher = new MutationObserver(() => {
              const runs = motor.classList.contains('runs');
              if (window.seen.at(-1)?.[1] !== runs) window.seen.push([performance.now(), runs]);
            });
            window.watcher.observe(motor, { attributes: true });""")
        self.addCleanup(self.panel.script, "window.watcher.disconnect()")
        self.before = len(self.edges())

    def edges(self):
        """Returns the changes of the board's motor, from the first line on."""
        runs = ["motor ≋" in line for line in self.appliance.lines if "motor" in line]
        return [now for last, now in zip([False, *runs], runs) if last != now]

    def push(self, level):
        self.appliance.push({"aps": {"alert": "feel it", "sound": "default", "interruption-level": level}})

    def rest(self, words):
        self.panel.wait(lambda: self.panel.texts(".part-motor .part-words") == [words], words)
        self.assertEqual(self.panel.script("return document.querySelector('.motor').getAnimations().length"), 0)
        self.panel.wait(lambda: self.edges()[-1:] == [False], "the board's motor is still")

    def test_it_moves_by_the_pattern_and_comes_to_rest(self):
        self.push("critical")
        self.panel.wait_for(".motor.runs")
        self.assertEqual(self.panel.texts(".part-motor .part-words"), ["triple"])
        self.rest("last: triple")
        seen = self.panel.script("return window.seen")
        self.assertEqual([runs for _, runs in seen], [True, False] * 3)
        self.assertEqual(self.edges()[self.before:], [True, False] * 3)
        # On 600, off 200, on 600, off 200, on 600 ms; the page gets it shortly after the start.
        self.assertAlmostEqual(seen[4][0] - seen[1][0], 1000, delta=200)
        self.assertLess(seen[5][0] - seen[0][0], 2400)

    def test_it_stops_when_the_boards_does(self):
        self.appliance.run("settings", APP, "style", "alert")
        self.push("critical")
        self.panel.wait_for(".motor.runs")
        self.appliance.run("press", "close")
        self.rest("last: triple")
        runs = self.edges()[self.before:].count(True)
        self.assertLess(runs, 3, "the button came too late to stop it")
        self.assertLessEqual([runs for _, runs in self.panel.script("return window.seen")].count(True), runs)
        self.appliance.run("settings", APP, "style", "banner")

    def test_where_nothing_is_to_move_words_tell(self):
        prefer(self.panel.driver, "reduced-motion", "reduce")
        try:
            self.push("time-sensitive")
            self.panel.wait_for(".part-motor .part-words", "vibrates: double")
            self.assertEqual(self.panel.script("return document.querySelector('.motor').getAnimations().length"), 0)
            self.rest("last: double")
            # The lamp is lit and does not blink; its pattern is printed beside it.
            self.panel.wait_for(".lamp.lit")
            pattern = self.panel.texts(".part-lamp .part-words")
            self.assertEqual(pattern, [self.appliance.report("state")["presentation"]["lamp"]["pattern"]])
            self.assertGreater(len(self.appliance.report("state")["presentation"]["lamp"]["steps"]), 1)
            # D1: nobody chose a colour, so it is that of the level.
            self.assertEqual(self.appliance.report("state")["presentation"]["lamp"]["colour"], "orange")
            self.assertEqual(self.panel.script("return document.querySelector('.lamp').dataset.colour"), "orange")
        finally:
            prefer(self.panel.driver, "reduced-motion", "no-preference")


class VirtualClockTests(PanelCase):
    options = ("--clock", "virtual")

    def test_the_clock_is_advanced_and_what_is_due_comes(self):
        self.panel.wait_for(".clock", "virtual")
        self.appliance.run("local", "add", APP, "--id", "tea", "--in", "10m", "--body", "Tea is ready")
        self.panel.wait_for(".scheduled", "Tea is ready")
        before = self.appliance.report("clock")["wallMicroseconds"]
        self.panel.press(self.panel.focus("advance 15 min"))
        self.panel.wait_for(".note", "Tea is ready")
        self.assertEqual(self.appliance.report("clock")["wallMicroseconds"] - before, 900_000_000)
        self.panel.wait_gone(".scheduled")
        self.panel.submit("#advance-minutes", 45)
        self.panel.wait(lambda: self.appliance.report("clock")["wallMicroseconds"] - before == 3600_000_000, "an hour")


class ReconnectTests(unittest.TestCase):
    """A connection that is cut, and a daemon that restarts."""

    @contextlib.contextmanager
    def forwarded(self):
        """Yields an appliance, a port in front of its panel, and the panel through that port."""
        with Mailroom("--panel", f"127.0.0.1:{free_port()}") as appliance:
            address = urlsplit(appliance.run("panel").strip())
            with PanelPort(address.port) as port, browser(appliance) as panel:
                panel.driver.get(f"http://127.0.0.1:{port.port}/#{address.fragment}")
                panel.wait_for("#link[data-link=live]")
                yield appliance, port, panel

    def test_it_is_complete_again_after_the_stream_broke(self):
        with self.forwarded() as (appliance, port, panel):
            self.assertEqual(appliance.curl('{"aps": {"alert": "before"}}')[0], 200)
            panel.wait_for(".note", "before")
            port.cut()
            panel.wait_for("#link[data-link=lost]", "Connection lost")
            self.assertEqual(appliance.curl('{"aps": {"alert": "while away", "badge": 4}}')[0], 200)
            port.restore()
            panel.wait_for("#link[data-link=live]")
            panel.wait_for(".note", "while away")
            panel.wait_for(".app-icon .badge", "4")
            appliance.kill()
            panel.wait_for("#link[data-link=lost]", "Connection lost")
            appliance.start()
            panel.wait_for("#link[data-link=live]")
            panel.wait_for(".note", "while away")
            panel.wait(lambda: panel.all(".event"), "events")
            sequences = panel.script("return [...document.querySelectorAll('.event time')].map((each) => Number(each.title.split(' ')[1]))")
            self.assertEqual(sequences, list(range(sequences[0], sequences[0] - len(sequences), -1)))
            self.assertEqual(sequences[-1], 1)

    def test_what_came_while_it_was_reading_is_read_as_well(self):
        """The state already includes a push that Notification Center, read a moment before, does not."""
        with self.forwarded() as (appliance, port, panel):
            panel.script("""
                const real = window.fetch;
                let asked = 0;
                window.centers = 0;
                const held = new Promise((resolve) => { window.letGo = resolve; });
                // The first state that is read together with Notification Center comes when it is let go.
                window.fetch = async (path, ...rest) => {
                  const before = asked;
                  if (path.startsWith('/v1/center')) asked += 1;
                  if (path === '/v1/state') {
                    await null;
                    if (asked > before) await held;
                  }
                  const answer = await real(path, ...rest);
                  if (path.startsWith('/v1/center')) window.centers += 1;
                  return answer;
                };""")
            self.assertEqual(appliance.curl('{"aps": {"alert": "first"}}')[0], 200)
            panel.wait(lambda: panel.script("return window.centers") == 1, "Notification Center with the first")
            port.flowing.clear()
            self.assertEqual(appliance.curl('{"aps": {"alert": "second"}}')[0], 200)
            panel.script("window.letGo()")
            panel.wait_for(".note", "first")
            port.flowing.set()
            panel.wait_for(".note", "second")


class MissedTests(PanelCase):
    """A missing answer while the stream of events continues."""

    def test_what_could_not_be_read_is_asked_for_again(self):
        self.panel.script("""
            const real = window.fetch;
            window.fails = true;
            window.fetch = (path, ...rest) => path.startsWith('/v1/center') && window.fails
              ? Promise.reject(new TypeError('Failed to fetch')) : real(path, ...rest);""")
        self.assertEqual(self.appliance.curl('{"aps": {"alert": "missed"}}')[0], 200)
        # The last event of the push: no later event causes a read.
        self.panel.wait_for(".event-name", "lamp")
        self.panel.script("window.fails = false")
        self.panel.wait_for(".note", "missed")


class HandsetTests(PanelCase):
    """Several handsets, one of which is shown in the header of the page."""

    settings, second_handset = "handsets: [desk, kitchen]\n", "kitchen"

    def choose(self, name):
        self.panel.choose("#handset-select", name)
        self.panel.wait_for("#link[data-link=live]")

    def test_the_header_chooses_between_them(self):
        self.panel.wait_for("#handset-choice")
        self.assertEqual(self.panel.texts("#handset-select option"), ["desk, on the board", "kitchen"])
        self.appliance.run("push", APP, "--body", "for the desk")
        self.appliance.run("push", APP, "--body", "for the kitchen", "--handset", "kitchen")
        self.panel.wait_for(".note", "for the desk")
        self.assertNotIn("for the kitchen", " ".join(self.panel.texts(".note")))
        self.choose("kitchen")
        self.panel.wait_for(".note", "for the kitchen")
        self.panel.wait_gone("#board")
        self.assertNotIn("for the desk", " ".join(self.panel.texts(".note")))
        self.panel.write("#push-body", "from the page")
        self.panel.press("#push-send")
        self.panel.wait_for(".note", "from the page")
        self.assertEqual(self.appliance.report("state", "--handset", "kitchen")["unseen"], 2)
        # The choice is kept when the page is loaded again.
        self.panel.driver.refresh()
        self.panel.wait_for(".note", "from the page")
        self.choose("desk")
        self.panel.wait_for(".note", "for the desk")
        self.panel.wait_for("#board")


class ActionTests(PanelCase):
    """A notification's actions, besides opening it."""

    @classmethod
    def prepare(cls):
        super().prepare()
        cls.appliance.run("app", "install", cls.appliance.bundle(
            f"id: {APP}\nname: Mailroom\ncategories:\n  - id: ASK\n    actions:\n"
            "      - { id: NO, title: Decline, destructive: true }\n"
            "      - { id: REPLY, title: Reply, text-input: { button: Send, placeholder: Message } }\n"))

    def ask(self, words):
        self.assertEqual(self.appliance.curl('{"aps": {"alert": "%s", "category": "ASK"}}' % words)[0], 200)
        self.panel.wait_for(".note", words)
        return self.appliance.report("center")[0]["id"]

    def chosen(self):
        return [(event["action"], event.get("text")) for event in self.appliance.events() if event["event"] == "responded"]

    def test_actions_of_the_list_and_of_an_alert(self):
        self.ask("Dinner?")
        self.panel.submit(".note .action-text input", "On my way")
        self.panel.wait_for(".no-notes")
        self.appliance.run("settings", APP, "style", "alert")
        number = self.ask("Lunch?")
        self.panel.wait_for(".alert", "Lunch?")
        self.panel.script("document.querySelector(`.alert [data-focus='action ${arguments[0]} NO']`).click()", number)
        self.panel.wait_for(".no-notes")
        self.assertEqual(self.chosen(), [("REPLY", True), ("NO", None)])


class PhoneTests(PanelCase):
    size = PHONE

    def test_nothing_is_wider_than_the_phone(self):
        self.assertEqual(self.appliance.curl(
            '{"aps": {"alert": {"title": "%s", "body": "%s"}, "badge": 99999}}' % ("Wide" * 40, "w" * 600))[0], 200)
        self.panel.wait_for(".note", "Wide")
        self.assertEqual(self.panel.script("return document.documentElement.scrollWidth"), PHONE[0])
        self.panel.wait_for(".jump a")
