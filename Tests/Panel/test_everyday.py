"""Settings on the page: sounds, volume, quiet hours, display permissions, topics and hooks."""

import subprocess

from Tests.Panel.test_scenes import SceneCase
from Tests.support.appliance import APP


class AskingTests(SceneCase):
    """Switching off a setting that removes many notifications."""

    def fill(self, number):
        self.appliance.run("center", "--clear")
        self.appliance.run("push", APP, "--title", "kept", "--repeat", number)
        self.panel.wait(lambda: len(self.panel.all(".note")) == min(number, 200), f"{number} notifications")
        self.panel.wait(lambda: self.panel.driver.execute_async_script("""
            const [wanted, done] = arguments;
            import('/modules/model.js').then(({ model }) => done(model.apps.find(({ id }) => id === wanted).notifications))""", APP) == number, "their number")

    def test_before_a_thousand_are_removed_it_asks(self):
        self.fill(1000)
        switch = self.panel.focus(f"{APP} allow-notifications")
        self.panel.press(switch)
        self.panel.wait_for("#question", "removes 1,000 notifications of Mailroom")
        self.see("question")
        self.panel.press("#question button:not(.danger)")
        self.panel.wait_gone("#question")
        self.panel.wait(lambda: self.panel.read(switch, "checked"), "the switch as it was")
        self.assertEqual(self.setting("allow-notifications", APP), "on")
        self.assertEqual(self.appliance.report("state")["unseen"], 1000)
        for name in ["show-in-notification-center", "unregister"]:
            self.panel.press(self.panel.focus(f"{APP} {name}"))
            self.panel.wait_for("#question", "1,000 notifications")
            self.panel.press("#question button:not(.danger)")
            self.panel.wait_gone("#question")
        self.panel.press(switch)
        self.panel.wait_for("#question .danger", "Remove 1,000")
        self.panel.press("#question .danger")
        self.panel.wait_for(".no-notes")
        self.assertEqual(self.setting("allow-notifications", APP), "off")
        self.panel.press(switch)
        # Allowed again without a question.
        self.wait_for_setting("on", "allow-notifications", APP)

    def test_few_are_removed_at_once(self):
        self.fill(2)
        self.panel.press(self.panel.focus(f"{APP} allow-notifications"))
        self.panel.wait_for(".no-notes")
        self.panel.press(self.panel.focus(f"{APP} allow-notifications"))
        self.wait_for_setting("on", "allow-notifications", APP)


class ListeningTests(SceneCase):
    def setUp(self):
        super().setUp()
        self.record_sounds()

    def play(self, selector, times):
        # A click of the mouse, as a script's click cannot start sound in a browser.
        element = self.panel.one(selector)
        self.panel.script("arguments[0].scrollIntoView({ block: 'center', behavior: 'instant' })", element)
        element.click()
        self.panel.wait(lambda: len(self.played()) == times, "the sound")

    def test_a_sound_is_heard_before_it_is_chosen(self):
        self.panel.press(self.panel.focus("setting default-sound listen"))
        self.play(self.panel.focus("setting default-sound play knock"), 1)
        self.play(self.panel.focus("setting default-sound play harp"), 2)
        knock, harp = self.played()
        self.assertNotEqual(knock, harp)
        self.assertEqual(self.setting("default-sound"), "default")
        self.see("listening", "#settings")
        # Also the sound of an app, whose default is the handset's.
        self.appliance.run("settings", "default-sound", "knock")
        self.panel.wait(lambda: self.panel.read(self.panel.focus("setting default-sound"), "value") == "knock", "the setting")
        self.panel.script("for (const each of document.querySelectorAll('details.app')) each.open = true")
        self.panel.press(self.panel.focus(f"{APP} default-sound listen"))
        self.play(self.panel.focus(f"{APP} default-sound play default"), 3)
        self.assertEqual(self.played()[2], knock)
        self.appliance.run("settings", "default-sound", "default")
        # And that of a test push.
        self.panel.choose("#push-sound", "harp")
        self.play(self.panel.focus("push listen"), 4)
        self.assertEqual(self.played()[3], harp)
        self.panel.choose("#push-sound", "")
        self.assertFalse(self.panel.one(self.panel.focus("push listen")).is_enabled())

    def test_volume_and_quiet_hours_come_first(self):
        # A daemon with a volume of the handset.
        self.panel.script("""
            const real = window.fetch;
            window.sent = [];
            window.fetch = async (path, request) => {
              if (path === '/v1/settings/volume') {
                window.sent.push(request.body);
                return new Response(request.body, { headers: { 'Content-Type': 'application/json' } });
              }
              const answer = await real(path, request);
              if (path !== '/v1/settings') return answer;
              return new Response(JSON.stringify([...(await answer.json()).filter(({ key }) => key !== 'volume'), { key: 'volume', value: '80%' }, { key: 'night-volume', value: '30%' }]));
            };""")
        self.appliance.run("settings", "snooze", "5m")
        self.panel.wait_for("#settings .choice", "Volume of all sounds")
        self.appliance.run("settings", "snooze", "10m")
        first = [line.strip() for line in self.panel.texts("#settings-body .toggles")[0].splitlines() if line.strip()]
        self.assertEqual(first[:2], ["Sound and quiet", "Volume of all sounds"])
        self.assertIn("Quiet hours", " ".join(first))
        self.assertTrue(self.panel.read(self.panel.focus("setting night-volume"), "checked"))
        self.assertEqual(self.panel.read(self.panel.focus("setting night-volume percent"), "value"), "30")
        self.panel.slide(self.panel.focus("setting volume"), 40)
        self.panel.wait(lambda: self.panel.script("return window.sent") == ['{"value":"40%"}'], "the volume")
        self.panel.press(self.panel.focus("setting quiet-hours"))
        self.panel.wait(lambda: self.panel.all(self.panel.focus("setting quiet-hours 0")), "times")
        self.see("settings", "#settings")
        self.panel.press(self.panel.focus("setting quiet-hours"))
        self.panel.wait(lambda: not self.panel.all(self.panel.focus("setting quiet-hours 0")), "no times")


class KeyTests(SceneCase):
    """Topics and hooks."""

    def tearDown(self):
        for way in ["topic", "hook"]:
            for each in self.appliance.report(way, "list"):
                self.appliance.run(way, "remove", each["name"])
        super().tearDown()

    def is_expected(self, line):
        return "status of 40" in line["message"]

    def make(self, way, name, template=None):
        self.panel.press(f"#keys input[value='{way}']")
        self.panel.write("#key-name", name)
        self.panel.choose("#key-app", APP)
        if template:
            self.panel.choose("#key-template", template)
        self.panel.press("#key-make")
        self.panel.wait_for(".made", name)
        return self.panel.texts(".made .line")

    def ring(self, line):
        done = subprocess.run(
            ["bash", "-c", line + " --silent --output /dev/null --write-out '%{http_code}'"], capture_output=True, text=True)
        return done.stdout

    def test_a_topic_is_made_rings_and_is_removed(self):
        self.panel.wait_for("#keys .empty")
        key, line = self.make("topic", "parcels")
        self.assertIn(key, line)
        self.assertEqual(self.ring(line), "200")
        self.panel.wait_for(".note", "Hello")
        self.panel.wait_for(".keys li", "rings Mailroom")
        self.see("keys", "#keys")
        # The key is nowhere on the page any more, and a second one of that name does not replace the first.
        self.panel.press(".made > button")
        self.assertNotIn(key, self.panel.driver.page_source)
        self.panel.write("#key-name", "parcels")
        self.panel.press("#key-make")
        self.panel.wait_for("#notice", "There is a topic parcels already")
        self.panel.press(self.panel.focus("key topic parcels"))
        self.panel.press("#question .danger")
        self.panel.wait_for(".made", "parcels")
        self.assertEqual(self.ring(line), "401")
        self.assertEqual(self.ring(self.panel.texts(".made .line")[1]), "200")
        self.panel.press(self.panel.focus("remove topic parcels"))
        self.panel.wait_for("#question", "The key of the topic parcels then rings nothing any more")
        self.panel.press("#question .danger")
        self.panel.wait_for("#keys .empty")
        self.assertEqual(self.appliance.report("topic", "list"), [])
        self.assertEqual(self.panel.all(".made"), [])

    def test_a_hook_reads_by_its_template(self):
        self.assertFalse(self.panel.one("#key-reads").is_displayed())
        address, line = self.make("hook", "ci", "github")
        self.panel.wait_for(".keys li", "Hook, rings Mailroom, reads github")
        self.assertEqual([each["template"] for each in self.appliance.report("hook", "list")], ["github"])
        self.assertRegex(address, "^https://.*/h/")
        self.assertTrue(line.endswith(address), line)

    def test_what_cannot_be_is_said(self):
        self.panel.press("#keys input[value='topic']")
        self.panel.write("#key-name", "no spaces")
        self.panel.press("#key-make")
        self.panel.wait_for("#notice", "no spaces")
