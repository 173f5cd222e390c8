"""The handset's screen: pictures of apps' bundles, long alerts, the locked screen, and what waits elsewhere."""

import json
import tempfile
from pathlib import Path

from selenium.webdriver import ActionChains
from selenium.webdriver.common.by import By

from Tests.Panel.browser import PanelCase, resize
from Tests.Panel.test_accessibility import ViewCase
from Tests.support.appliance import APP

NARROW = (360, 780)
PLAIN = "com.example.plain"
LONG = "word " * 400


class PictureTests(ViewCase):
    @classmethod
    def prepare(cls):
        super().prepare()
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "app.yaml").write_text(f"id: {PLAIN}\nname: Plain\n")
            cls.appliance.run("app", "install", "--no-register", folder)

    def setUp(self):
        self.appliance.push('{"aps": {"badge": 0}}')
        self.appliance.run("app", "background", APP)

    def shown(self, selector):
        """Waits until the one image there is shown, and returns its size."""
        return self.panel.wait(lambda: self.panel.on(
            selector, "(image) => image.complete && !image.hidden && image.naturalWidth && [image.naturalWidth, image.naturalHeight]"), selector)

    def test_the_icon_is_everywhere_and_an_app_without_one_has_a_letter(self):
        self.appliance.notify("Two letters", "In the box")
        for place in [f'[data-focus="icon {APP}"]', f'[data-focus="app {APP}"]', ".banner", ".notes-head"]:
            self.assertEqual(self.shown(f"{place} .app-picture"), [120, 120], place)
        self.assertEqual(self.panel.read(f'[data-focus="icon {PLAIN}"] .app-mark', "innerText"), "P")
        self.assertEqual(self.panel.all(f'[data-focus="icon {PLAIN}"] img'), [])
        self.check("icons")
        self.appliance.run("settings", APP, "style", "alert")
        self.appliance.notify("The postman is here", "He has something to sign.")
        self.assertEqual(self.shown(".alert .app-picture"), [120, 120])
        self.panel.press(self.panel.focus("alert close"))
        self.appliance.run("settings", APP, "style", "banner")

    def test_the_image_is_of_the_notification_that_opens_the_app(self):
        for name in ["sorting", "sorting.png"]:
            self.appliance.push(json.dumps({"aps": {"alert": {"title": "Sort them", "launch-image": name}}}))
            self.panel.wait_for(".note", "Sort them")
            self.panel.press(self.panel.focus(f"open {self.appliance.report('center')[0]['id']}"))
            self.assertEqual(self.shown(".launch-image"), [240, 400])
            self.assertEqual(self.panel.read(".launch-image", "alt"), "Launch image of Mailroom")
            self.check("launch-image")
            self.panel.press(self.panel.focus("Home"))
            self.panel.wait_for(".icons")

    def test_an_image_that_the_app_has_not_shows_nothing(self):
        for title, name in [("Opened before", "sorting"), ("None of its images", "../icon")]:
            self.appliance.push(json.dumps({"aps": {"alert": {"title": title, "launch-image": name}}}))
            self.panel.wait_for(".note", title)
            self.panel.press(self.panel.focus(f"open {self.appliance.report('center')[0]['id']}"))
            self.panel.wait_for(".open-name", "Mailroom")
            if name == "sorting":
                self.shown(".launch-image")
                self.panel.press(self.panel.focus("Home"))
                self.panel.wait_for(".icons")
        self.panel.wait(lambda: not self.panel.all(".launch-image"), "no image")
        self.panel.press(self.panel.focus("Home"))
        # An app that the person opens shows none either.
        self.panel.press(self.panel.focus(f"icon {APP}"))
        self.panel.wait_for(".open-app .app-mark")
        self.panel.press(self.panel.focus("Home"))

    def test_an_app_without_settings_says_why(self):
        self.panel.press(f'[data-focus="app {PLAIN}"]')
        self.panel.wait_for(".app[open]", "Plain has no settings before it registers")
        self.assertEqual(self.panel.all(self.panel.focus(f"{PLAIN} badge")), [])
        self.panel.press(self.panel.focus(f"{PLAIN} register"))
        self.panel.wait_for(".app[open] .toggles")
        self.panel.press(f'[data-focus="app {PLAIN}"]')


class AlertTests(ViewCase):
    size = NARROW

    def setUp(self):
        self.appliance.run("settings", APP, "style", "alert")
        self.appliance.push('{"aps": {"badge": 0}}')
        self.panel.wait_gone(".alert")

    def tearDown(self):
        self.appliance.run("conditions", "locked", "off")
        self.appliance.run("app", "background", APP)
        super().tearDown()

    def test_a_long_alert_is_whole_and_scrolls(self):
        self.appliance.notify("A long letter", LONG)
        self.panel.wait_for(".alert", "A long letter")
        self.assertEqual(self.panel.read(".alert-text p", "innerText").strip(), LONG.strip())
        height, shown, stop = self.panel.on(".alert-text", "(text) => [text.scrollHeight, text.clientHeight, text.tabIndex]")
        self.assertGreater(height, shown)
        self.assertEqual(stop, 0, "a keyboard can scroll it")
        self.assertEqual(self.panel.script("return document.documentElement.scrollWidth"), NARROW[0])
        self.check("long-alert", "#handset")
        self.panel.press(self.panel.focus("alert close"))

    def test_the_title_of_a_button_is_cut_for_the_eye_only(self):
        title = "Look at everything that has come to this room since yesterday"
        # A name that is no key of the app's strings is the title itself.
        self.appliance.push(json.dumps({"aps": {"alert": {"title": "A letter", "action-loc-key": title}}}))
        self.panel.wait_for(".alert", "A letter")
        self.panel.settle()
        facts = self.panel.on(self.panel.focus("alert view"), """(button) => [
            button.textContent, button.title, button.scrollWidth > button.clientWidth, getComputedStyle(button).textOverflow,
            button.getBoundingClientRect().right <= document.querySelector('.alert').getBoundingClientRect().right]""")
        self.assertEqual(facts, [title, title, True, "ellipsis", True])
        self.panel.press(self.panel.focus("alert close"))

    def test_a_locked_screen_is_slid_and_not_pressed(self):
        self.appliance.run("conditions", "locked", "on")
        self.appliance.notify("The postman is here", "He has something to sign.")
        button = self.panel.wait_for(".slide", "slide to sort")
        self.check("slide", "#handset")
        before = self.views()
        knob = button.find_element(By.CSS_SELECTOR, ".slide-knob")
        ActionChains(self.panel.driver).click(button).perform()
        ActionChains(self.panel.driver).click_and_hold(knob).move_by_offset(20, 0).release().perform()
        self.assertEqual(self.views(), before)
        ActionChains(self.panel.driver).click_and_hold(knob).move_by_offset(60, 0).move_by_offset(120, 0).release().perform()
        self.panel.wait_gone(".alert")
        self.assertEqual(self.views(), before + 1)

    def views(self):
        return len([event for event in self.appliance.events() if event["event"] == "answered" and event["button"] == "view"])

    def test_a_keyboard_needs_not_slide(self):
        self.appliance.run("conditions", "locked", "on")
        self.appliance.notify("The postman is here", "He has something to sign.")
        self.panel.wait_for(".slide", "slide to sort").send_keys("\n")
        self.panel.wait_gone(".alert")


class ServiceTests(ViewCase):
    size = NARROW

    def waiting(self, text):
        self.panel.wait_for(".service .later-head", text)

    def test_what_waits_is_fetched_by_the_button_and_by_pulling(self):
        self.appliance.run("settings", "fetch-mode", "manual")
        try:
            for pull in [self.press, self.pull]:
                self.appliance.push('{"aps": {"alert": "It waits"}}')
                self.waiting("1 push in the service")
                self.assertEqual(self.panel.all(".note"), [])
                self.check("waiting", "#handset")
                pull()
                self.panel.wait_for(".note", "It waits")
                self.waiting("Nothing waits in the service")
                self.appliance.run("center", "--clear")
                self.panel.wait_for(".no-notes")
        finally:
            self.appliance.run("settings", "fetch-mode", "push")

    def press(self):
        self.panel.press(self.panel.focus("fetch"))
        self.panel.wait(lambda: self.panel.read("#said", "textContent") == "1 push fetched", "words for a reader")

    def pull(self):
        self.panel.script("""
            const screen = document.querySelector('.screen');
            const touch = (kind, y) => screen.dispatchEvent(new TouchEvent(kind, { bubbles: true, cancelable: true,
              touches: kind === 'touchend' ? [] : [new Touch({ identifier: 1, target: screen, clientX: 90, clientY: y })] }));
            touch('touchstart', 200); touch('touchmove', 260); window.early = document.querySelector('.pull').textContent;
            touch('touchmove', 360); window.late = document.querySelector('.pull').textContent; touch('touchend', 360);""")
        self.assertEqual(self.panel.script("return [early, late]"), ["Pull to fetch", "Release to fetch"])


class StackTests(PanelCase):
    def test_a_thread_is_a_stack_with_its_number(self):
        for number in range(3):
            self.appliance.push(json.dumps({"aps": {"alert": f"letter {number}", "thread-id": "post"}}))
        self.panel.wait_for(".thread.is-stacked .more", "2 more of this thread")
        self.assertEqual(self.panel.read(".thread.is-stacked .more", "ariaExpanded"), "false")
        self.assertEqual(len(self.panel.all(".note")), 1)
        self.panel.picture("stack")
        self.panel.press(".thread .more")
        self.panel.wait(lambda: len(self.panel.all(".thread .note")) == 3, "all of them")
        self.assertEqual(self.panel.all(".is-stacked"), [])


class NarrowTests(ViewCase):
    def test_nothing_is_wider_than_a_narrow_phone(self):
        self.fill()
        resize(self.panel.driver, *NARROW)
        self.panel.wait(lambda: self.panel.script("return innerWidth") == NARROW[0], "a narrow page")
        self.assertEqual(self.panel.script("return document.documentElement.scrollWidth"), NARROW[0])
        self.check("narrow", "#handset")
