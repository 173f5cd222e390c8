"""Former faults in the panel's look and behaviour: each scene in every size, in light and dark, with axe-core's rules,
a picture of it, and its own checks."""

from selenium.webdriver.common.keys import Keys

from Tests.Panel.browser import prefer
from Tests.Panel.test_accessibility import ViewCase
from Tests.support.appliance import APP

SIZES = {"phone": (390, 844), "tablet": (1000, 800), "desktop": (1440, 900)}
# An app that is before the Mailroom in alphabetical order, and has not registered.
NEIGHBOUR = "com.example.kettle"


class SceneCase(ViewCase):
    """A page with the Mailroom, and before it an app that has not registered."""

    size = SIZES["desktop"]

    @classmethod
    def prepare(cls):
        bundle = cls.appliance.bundle(f"id: {NEIGHBOUR}\nname: Kettle\nlamp: breathe\n", name="kettle")
        cls.appliance.run("app", "install", bundle, "--no-register")
        super().prepare()

    def setUp(self):
        self.panel.resize(*self.size)
        self.panel.driver.refresh()
        self.panel.wait_for("#link[data-link=live]")
        self.panel.wait_for(".event")

    def see(self, name, at="body"):
        """Checks that part of the page in each size, in light and dark."""
        for theme in ["light", "dark"]:
            prefer(self.panel.driver, "color-scheme", theme)
            for size in SIZES:
                self.panel.resize(*SIZES[size])
                self.check(f"{name}-{size}-{theme}", at)
        self.panel.resize(*self.size)

    def box(self, selector):
        self.panel.settle()
        return self.panel.script("return document.querySelector(arguments[0]).getBoundingClientRect().toJSON()", selector)

    def active(self):
        return self.panel.script("return document.activeElement.dataset.focus ?? document.activeElement.id")

    def record_sounds(self):
        """Records the milliseconds of each sound that the page plays from now on."""
        self.panel.script("""
            window.played = [];
            const start = AudioBufferSourceNode.prototype.start;
            AudioBufferSourceNode.prototype.start = function () {
              window.played.push(Math.round(this.buffer.duration * 1000));
              start.call(this);
            };""")

    def played(self):
        return self.panel.script("return window.played")

    def press_key(self, key):
        self.panel.driver.switch_to.active_element.send_keys(key)


class ComposerTests(SceneCase):
    def test_one_click_sends_and_needs_no_scrolling(self):
        for size in [*list(SIZES.values())[1:], (1366, 768)]:
            self.panel.resize(*size)
            self.panel.script("scrollTo(0, 0)")
            self.assertLess(self.box("#push-send")["bottom"], size[1], size)
        # The unregistered Kettle is the first of the list.
        self.assertEqual(self.panel.texts("#push-app option"), ["Kettle (not registered)", "Mailroom"])
        self.assertEqual(self.panel.read("#push-app", "value"), APP)
        self.assertFalse(self.panel.one("#push-level").is_displayed())
        self.see("empty-composer")
        self.panel.press("#push-send")
        self.panel.wait_for("#push-result .answer.good", "200 accepted")
        self.panel.wait_for(".note", "A test push")
        self.panel.wait_for(".app-icon .badge", "1")
        self.panel.wait(lambda: self.panel.read("#push-badge", "value") == "2", "the next badge")
        self.panel.wait_gone(".banner")
        self.see("sent", "#compose")
        # Green on green, not on a warning's colour.
        red, green, blue = self.panel.script(
            "return getComputedStyle(document.querySelector('.answer')).backgroundColor.match(/\\d+/g).slice(0, 3).map(Number)")
        self.assertGreater(green, max(red, blue))
        # The user's input stays.
        self.panel.write("#push-badge", "40")
        self.panel.press("#push-send")
        self.panel.wait_for(".app-icon .badge", "40")
        self.assertEqual(self.panel.read("#push-badge", "value"), "40")

    def test_a_background_update_is_sent_without_the_suggested_words(self):
        self.panel.script("document.querySelector('.rare').open = true")
        self.panel.press("#push-background")
        for name in ["title", "body", "badge", "sound"]:
            self.assertEqual(self.panel.read(f"#push-{name}", "value"), "", name)
        before = self.appliance.report("state")["lastEvent"]
        self.panel.press("#push-send")
        accepted = self.appliance.wait_for_event("accepted", before)
        self.assertEqual(accepted["type"], "background")
        self.panel.press("#push-background")
        self.assertEqual(self.panel.read("#push-title", "value"), "A test push")

    def test_broken_json_is_told_with_its_line(self):
        self.panel.script("""
            document.querySelectorAll('.composer details').forEach((each) => { each.open = true; });
            document.getElementById('push-payload').value =
              '{\\n  "aps": {\\n    "alert": "Hello",\\n    "badge": 1,,\\n  }\\n}';""")
        self.panel.press("#push-send")
        self.panel.wait_for("#push-result .answer.bad", "PayloadEmpty")
        self.assertEqual(
            self.panel.texts("#push-result .answer"),
            ["400 PayloadEmpty: the body is not JSON: line 4, column 16: expected a name in double quotes, found ','"])
        self.see("broken", "#push-payload")


class BoardTests(SceneCase):
    def tearDown(self):
        self.appliance.run("settings", APP, "lamp", "own")
        super().tearDown()

    def light(self):
        """Returns the animation of the lamp: its current time, its period, and its frames."""
        return self.panel.script("""
            const [animation] = document.querySelector('.light').getAnimations(), timing = animation.effect.getTiming();
            return [animation.currentTime, timing.duration, timing.iterations,
              animation.effect.getKeyframes().map((frame) => [frame.offset * timing.duration, Number(frame.opacity), frame.easing])];""")

    def test_the_lamp_breathes_evenly(self):
        self.appliance.push('{"aps": {"alert": "breathe"}}')
        self.appliance.run("settings", APP, "lamp", "breathe")
        self.panel.wait_for(".part-lamp .part-words", "breathe")
        _, period, _, frames = self.light()
        self.assertEqual((period, len(frames)), (4000, 63))
        # Up and down without a flash; only the dark second begins and ends at once, from an almost dark lamp.
        steps = [abs(after - before) for (_, before, _), (_, after, _) in zip(frames, frames[1:])]
        self.assertLess(max(steps), 0.15)
        self.assertEqual(max(opacity for _, opacity, _ in frames), 1)
        self.panel.script("""
            const [animation] = document.querySelector('.light').getAnimations();
            animation.pause(); animation.currentTime = 900;""")
        self.assertAlmostEqual(
            float(self.panel.script("return getComputedStyle(document.querySelector('.light')).opacity")), 0.6, delta=0.03)
        self.see("breathe", "#board")

    def test_the_lamp_keeps_its_patterns_time(self):
        self.appliance.push('{"aps": {"alert": "blink", "interruption-level": "critical"}}')
        self.panel.wait_for(".part-lamp .part-words", "double")
        now, period, iterations, frames = self.light()
        self.assertEqual((period, iterations), (1500, None))
        self.assertEqual([[round(at), opacity] for at, opacity, _ in frames], [[0, 1], [120, 0], [240, 1], [360, 0], [1500, 0]])
        self.assertTrue(all(easing.startswith("steps(1") for *_, easing in frames[:-1]), frames)
        # It began with the notification, not with the page.
        shown = self.appliance.report("state")
        elapsed = (shown["uptimeMicroseconds"] - shown["presentation"]["lamp"]["sinceUptimeMicroseconds"]) / 1000
        self.assertAlmostEqual(now, elapsed, delta=1000)

    def test_of_a_number_that_is_too_large_only_the_lit_segments_blink(self):
        self.appliance.push('{"aps": {"badge": 123456}}')
        self.panel.wait_for(".digits.blinks")
        # In the half of each second in which blinking parts are dark.
        self.panel.script("""
            for (const each of document.getAnimations()) {
              if (each.animationName === 'blink') { each.pause(); each.currentTime = 750; }
            }""")
        blinking = self.panel.script("""
            return document.getAnimations().filter((each) => each.animationName === 'blink')
              .map((each) => each.effect.target.getAttribute('class'))""")
        # Four digits 9 of six segments each.
        self.assertEqual(blinking, ["on"] * 24)
        self.see("overflow", "#board")


class CenterTests(SceneCase):
    def setUp(self):
        super().setUp()
        if self.names()[:1] != ["Two letters"]:
            self.appliance.run("center", "--clear")
            self.fill_center()

    def fill_center(self):
        """Fills Notification Center with thirty notifications, some in threads, as after a day."""
        notify = self.appliance.notify
        for number in range(24):
            notify(f"Letter {number}", "In the box by the front door, from Ada.", thread_id="letters")
        for number in range(4):
            notify(f"Parcel {number} is on its way from the depot in Novi Sad", "It comes between ten and eleven.",
                   thread_id="parcels")
        notify("The postman is here", "He has something to sign, and comes only once a day.",
               interruption_level="time-sensitive")
        notify("Two letters", "They lie in the mailbox.", badge=12, sound="letter")
        self.panel.wait_for(".note", "Two letters")
        self.panel.wait_gone(".banner")

    def names(self):
        return self.panel.texts(".note strong")

    def test_threads_are_groups(self):
        self.panel.script("document.querySelectorAll('.more[aria-expanded=true]').forEach((each) => each.click())")
        self.assertEqual(self.names()[:2], ["Two letters", "The postman is here"])
        self.assertEqual(self.panel.texts(".more"), ["3 more of this thread", "23 more of this thread"])
        self.see("center")
        parcels = f".thread:has({self.panel.focus(f'thread {APP} parcels')}) .note"
        self.panel.script("document.querySelector(arguments[0]).focus()", self.panel.focus(f"thread {APP} parcels"))
        self.press_key(Keys.ENTER)
        self.panel.wait(lambda: len(self.panel.all(parcels)) == 4, "all parcels")
        self.assertEqual(self.active(), f"thread {APP} parcels")
        self.assertEqual([name.split(" is")[0] for name in self.names()[2:6]], [f"Parcel {number}" for number in [3, 2, 1, 0]])
        self.see("thread")
        self.panel.press(self.panel.focus(f"thread {APP} parcels"))
        self.panel.wait(lambda: len(self.panel.all(parcels)) == 1, "the newest parcel")

    def test_a_message_has_the_whole_width(self):
        for size in SIZES.values():
            self.panel.resize(*size)
            wide, words, time = self.panel.script("""
                const note = [...document.querySelectorAll('.note')].find((each) => each.querySelector('.level'));
                return [note, note.querySelector('.note-words'), note.querySelector('time')].map((each) => each.getBoundingClientRect().width)""")
            self.assertGreater(words, wide - 60)
            self.assertLess(time, 60)

    def test_nothing_is_empty_below_the_phone(self):
        for size in list(SIZES.values())[1:]:
            self.panel.resize(*size)
            phone, below = self.box(".glass"), self.box("#surroundings")
            self.assertEqual(round(below["top"] - phone["bottom"]), 20, size)
            self.assertLess(abs(below["x"] - phone["x"]), 20, size)

    def test_no_words_are_cut_off(self):
        self.panel.script("document.querySelectorAll('details').forEach((each) => { each.open = true; })")
        for width in [390, 760, 1000, 1180, 1440]:
            self.panel.resize(width, 900)
            self.assertEqual(self.panel.script("""
                const wide = [...document.querySelectorAll('button:not(.app-icon), .segments, .toggle-words, h2:not(.unseen), .note-words, .rare summary')];
                return [document.documentElement, ...wide].filter((each) => each.offsetParent && each.scrollWidth > each.clientWidth + 1
                  && getComputedStyle(each).display !== 'inline').map((each) => each.outerHTML.slice(0, 100));"""), [], width)

    def test_the_tab_key_stops_once_in_notification_center(self):
        self.panel.script("document.querySelector('.app-icon').focus()")
        seen = []
        while self.active() != "push-app":
            self.press_key(Keys.TAB)
            seen.append(self.active())
            self.assertLess(len(seen), 21, seen)
        self.assertEqual(len([name for name in seen if name.startswith(("note ", "clear ", "open ", "thread "))]), 1, seen)

    def test_the_arrow_keys_move_in_it(self):
        self.panel.script("document.querySelector('.notes button').focus()")
        self.assertEqual(self.active(), f"clear {APP}")
        self.press_key(Keys.ARROW_DOWN)
        first = self.active()
        self.assertTrue(first.startswith("open "), first)
        self.press_key(Keys.END)
        self.assertEqual(self.active(), f"thread {APP} letters")
        self.press_key(Keys.HOME)
        self.press_key(Keys.ARROW_UP)
        self.assertEqual(self.active(), f"clear {APP}")
        # The notification that takes the place of a removed one has the focus.
        for _ in range(4):
            self.press_key(Keys.ARROW_DOWN)
        second = self.active()
        self.assertTrue(second.startswith("note "), second)
        self.press_key(Keys.ARROW_UP)
        self.press_key(Keys.ARROW_UP)
        self.press_key(Keys.ENTER)
        self.panel.wait(lambda: self.active() == second, "the focus on the next one")

    def test_what_holding_close_does_is_what_its_button_says(self):
        self.assertNotIn("Hold Close", self.panel.texts("button"))
        self.panel.press(self.panel.focus("press long"))
        self.panel.wait_for(".no-notes")


class LostTests(SceneCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.appliance.place_panel()

    def is_expected(self, line):
        return "ERR_" in line["message"]

    def test_what_is_no_longer_known_to_be_so_is_pale_and_a_restart_signs_nobody_out(self):
        self.appliance.push('{"aps": {"alert": "before", "badge": 12}}')
        self.panel.wait_for(".lamp.lit")
        self.panel.wait_for(".app-icon .badge", "12")
        self.panel.wait_gone(".banner")
        self.assertFalse(self.panel.one("#as-of").is_displayed())
        self.appliance.kill()
        self.panel.wait_for("#as-of", "as of ")
        self.assertEqual(self.panel.script("return getComputedStyle(document.querySelector('.light')).opacity"), "0")
        for part in [".glass", ".board-face"]:
            self.assertIn("grayscale(1)", self.panel.script(
                "return getComputedStyle(document.querySelector(arguments[0])).filter", part))
        self.see("lost")
        self.appliance.start()
        self.panel.wait_for("#link[data-link=live]")
        self.panel.wait_gone("#as-of")
        self.assertFalse(self.panel.one("#sign-in").is_displayed())
        self.appliance.run("conditions", "silent", "on")
        self.panel.wait_for(".status [aria-label='Silent']")


class SignedOutTests(SceneCase):
    def test_the_command_can_be_copied(self):
        self.panel.press("#sign-out")
        self.panel.wait_for("#sign-in")
        try:
            self.panel.driver.execute_cdp_cmd("Browser.grantPermissions", {"permissions": ["clipboardReadWrite", "clipboardSanitizedWrite"]})
            self.panel.press("#sign-in .command button")
            self.panel.wait(lambda: self.panel.read("#said", "textContent") == "Copied", "words for a reader")
            self.assertEqual(
                self.panel.driver.execute_async_script("navigator.clipboard.readText().then(arguments[0])"), "deskbell panel")
            self.see("signed-out")
        finally:
            self.panel.open()


class SoundTests(SceneCase):
    """Chromium has no speaker here: the sounds that it is given count."""

    settings, second_handset = "handsets: [desk, kitchen]\n", "kitchen"

    def setUp(self):
        self.panel.script("localStorage.removeItem('deskbell-panel-sound')")
        super().setUp()
        self.record_sounds()

    def switch_on(self):
        # A click of the mouse, as a script's click cannot start sound in a browser.
        self.panel.one("#sound").click()
        self.panel.wait(lambda: self.panel.read("#sound", "ariaPressed") == "true", "the switch is on")
        self.panel.wait(lambda: self.panel.read("#sound", "innerText") == "Sound here", "the browser may play")

    def ring(self):
        before = self.appliance.report("state")["lastEvent"]
        self.appliance.push('{"aps": {"alert": "ring", "sound": "letter"}}')
        self.appliance.wait_for_event("sound-ended", before)
        self.panel.wait(lambda: "sound-ended" in self.panel.texts(".event-name")[:3], "the end of it")

    def test_it_plays_what_the_board_plays_if_the_person_wants_it(self):
        self.ring()
        self.assertEqual(self.played(), [])
        self.switch_on()
        self.ring()
        self.panel.wait(lambda: len(self.played()) == 1, "the sound")
        shape = self.panel.driver.execute_async_script("""
            const done = arguments[0];
            import('/modules/session.js').then((session) => session.get('/v1/sounds/letter/waveform?app=com.example.mailroom')).then(done)""")
        self.assertAlmostEqual(self.played()[0], shape["milliseconds"], delta=30)
        self.see("sound")
        self.panel.one("#sound").click()
        self.panel.wait(lambda: self.panel.read("#sound", "ariaPressed") == "false", "the switch is off")
        self.ring()
        self.assertEqual(len(self.played()), 1)

    def test_a_handset_without_a_speaker_is_heard_too(self):
        self.switch_on()
        self.panel.choose("#handset-select", "kitchen")
        self.panel.wait_for("#link[data-link=live]")
        try:
            self.appliance.run("push", APP, "--body", "ring", "--sound", "letter", "--handset", "kitchen")
            self.panel.wait(lambda: len(self.played()) == 1, "the sound")
            self.appliance.run("conditions", "silent", "on", "--handset", "kitchen")
            self.panel.wait_for(".status [aria-label='Silent']")
            self.appliance.run("push", APP, "--body", "hush", "--sound", "letter", "--handset", "kitchen")
            self.panel.wait_for(".note", "hush")
            self.assertEqual(len(self.played()), 1)
        finally:
            self.panel.choose("#handset-select", "desk")

    def test_the_choice_is_kept_and_waits_for_a_click(self):
        self.switch_on()
        self.panel.driver.refresh()
        # A click on those words switches it on, and not off.
        self.panel.wait_for("#sound", "Click for sound").click()
        self.panel.wait_for("#sound", "Sound here")
        self.assertEqual(self.panel.read("#sound", "ariaPressed"), "true")
