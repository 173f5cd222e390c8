"""axe-core's rules on each view of the panel, and tests with the keyboard. Pictures of each view are kept."""

import importlib.util
from pathlib import Path

from selenium.webdriver.common.keys import Keys

from Tests.Panel.browser import PHONE, PanelCase
from Tests.support.appliance import APP

AXE = (Path(importlib.util.find_spec("axe_playwright_python").origin).parent / "axe.min.js").read_text()


class ViewCase(PanelCase):
    def check(self, name, at="body"):
        """Asserts that there is no finding of any weight, and takes a picture that begins with that part."""
        self.panel.on(at, "(element) => element.scrollIntoView({ behavior: 'instant' })")
        self.panel.settle()
        self.panel.picture(name)
        self.panel.script(AXE)
        report = self.panel.driver.execute_async_script(
            "const done = arguments[arguments.length - 1]; axe.run(document, { resultTypes: ['violations'] }).then(done)")
        self.assertGreater(len(report["passes"]), 10, "axe-core found nothing to look at")
        findings = [
            f"{found['impact']} {found['id']}: {node['html'][:120]} {node['failureSummary']}"
            for found in report["violations"] for node in found["nodes"]]
        self.assertEqual(findings, [], f"{name}: accessibility")

    def fill(self):
        self.appliance.notify("A parcel", "At the front door, from Ada.", badge=11)
        self.appliance.notify("Two letters", "They lie in the mailbox.", badge=12, sound="letter")
        self.panel.wait_for(".note", "Two letters")
        self.panel.wait_for(".app-icon .badge", "12")

    def show_alert(self):
        self.appliance.run("settings", APP, "style", "alert")
        self.appliance.notify("The postman is here", "He has something to sign.", interruption_level="time-sensitive")
        self.panel.wait_for(".alert", "The postman")


class DesktopTests(ViewCase):
    def test_each_view(self):
        self.fill()
        # The badges on the icon and on the board are one number: the banner covers neither.
        self.panel.wait_gone(".banner")
        with self.panel.held_lamp():
            self.check("desktop")
            self.check("events", "#events")
        self.panel.press("#compose input[value='2008']")
        self.panel.write("#push-body", "From 2008")
        self.panel.press("#push-curl")
        self.panel.wait_for(".curl code", "action=create")
        self.check("composer", "#compose")
        self.appliance.run("conditions", "locked", "on")
        self.panel.wait_for(".lock-time")
        self.check("locked")
        self.appliance.run("conditions", "locked", "off")
        self.panel.wait_for(".icons")
        self.panel.script("document.querySelector('.explain').click()")
        self.panel.wait_for("#explanation-title")
        try:
            self.check("explanation")
        finally:
            self.panel.press("#explanation .dialog-head button")
        self.show_alert()
        self.check("alert")
        self.panel.press(self.panel.focus("alert view"))
        self.panel.wait_for(".open-name")
        self.check("open-app")

    def test_a_keyboard_gets_everywhere(self):
        """Tab reaches the skip link first, every control once, and nothing invisible."""
        self.panel.script("document.activeElement.blur(); scrollTo(0, 0)")
        body = self.panel.one("body")
        body.send_keys(Keys.TAB)
        self.assertEqual(self.panel.script("return document.activeElement.className"), "skip")
        seen = []
        for _ in range(150):
            self.panel.driver.switch_to.active_element.send_keys(Keys.TAB)
            name, is_shown, outline = self.panel.script("""
                const at = document.activeElement, box = at.getBoundingClientRect(), style = getComputedStyle(at);
                const track = at.nextElementSibling?.matches('.toggle-track, span') ? getComputedStyle(at.nextElementSibling) : style;
                return [at.dataset.focus ?? at.id ?? '', box.width > 0 && box.height > 0,
                  style.outlineStyle !== 'none' || track.outlineStyle !== 'none'];""")
            if self.panel.script("return document.activeElement === document.body || document.activeElement.className === 'skip'"):
                break
            seen.append(name)
            self.assertTrue(is_shown, f"{name} has the focus and no size")
            self.assertTrue(outline, f"{name} has the focus and does not show it")
        for name in ["theme", "sign-out", "condition silent", f"{APP} launch", "setting notifications", "push-send", "filter-text"]:
            self.assertIn(name, seen)

    def test_the_focus_stays_where_it_was_when_things_change(self):
        self.panel.script("document.querySelector(arguments[0]).focus()", self.panel.focus("condition locked"))
        self.panel.driver.switch_to.active_element.send_keys(Keys.SPACE)
        self.panel.wait_for(".lock-time")
        self.panel.wait(lambda: self.panel.script("return document.activeElement.dataset.focus") == "condition locked", "the focus")
        self.panel.driver.switch_to.active_element.send_keys(Keys.SPACE)
        self.panel.wait_gone(".lock-time")


class DarkTests(ViewCase):
    dark = True

    def test_by_night(self):
        self.fill()
        self.check("dark")
        self.show_alert()
        self.check("dark-alert")


class PhoneTests(ViewCase):
    size = PHONE

    def test_on_a_phone(self):
        self.fill()
        self.check("phone")
        self.panel.picture("phone-whole", whole=True)


class EmptyTests(ViewCase):
    @classmethod
    def prepare(cls):
        pass

    def test_an_empty_handset(self):
        self.panel.wait_for(".no-apps", "No app is installed")
        self.check("empty")
        self.panel.press("#sign-out")
        self.panel.wait_for("#sign-in", "Open the panel")
        self.check("signed-out")
        self.panel.open()


class ErrorTests(ViewCase):
    """The board has lost a device, and the daemon ends."""

    def is_expected(self, line):
        return "ERR_" in line["message"]

    def test_an_error_is_told_in_words(self):
        self.fill()
        self.appliance.stop()
        self.panel.wait_for("#link[data-link=lost]", "Connection lost")
        self.panel.press(self.panel.focus("condition silent"))
        self.panel.wait_for("#notice", "The daemon does not answer")
        self.check("error")
