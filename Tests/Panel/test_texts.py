"""Senders' texts as they were written, and the explanations of pushes."""

from selenium.webdriver.common.keys import Keys

from Tests.Panel.test_scenes import SIZES, SceneCase
from Tests.support.appliance import APP

HEBREW = "\\u05e9\\u05dc\\u05d5\\u05dd"


class TextTests(SceneCase):
    def setUp(self):
        super().setUp()
        self.appliance.run("center", "--clear")

    def tearDown(self):
        self.appliance.run("settings", APP, "style", "banner")
        self.appliance.run("center", "--clear")
        super().tearDown()

    def test_lines_stay_lines_and_each_begins_on_its_side(self):
        self.appliance.push('{"aps": {"alert": {"title": "%s", "body": "first\\nsecond\\n%s 3"}}}' % (HEBREW, HEBREW))
        self.panel.wait_for(".note .sent", "first")
        title, body = self.panel.all(".note .sent")
        self.assertEqual(body.get_property("innerText").split("\n")[:2], ["first", "second"])
        self.assertEqual(self.panel.script("return getComputedStyle(arguments[0]).direction", title), "rtl")
        self.assertEqual(self.panel.script("return getComputedStyle(arguments[0]).direction", body), "ltr")
        # The positions of the letters: the Hebrew ones at the right, the Latin ones at the left.
        left, right = self.panel.script("""
            return [...document.querySelectorAll('.note .sent')].map((each) => {
              const range = document.createRange(), box = each.getBoundingClientRect();
              range.selectNodeContents(each);
              const line = range.getClientRects()[0];
              return [Math.round(line.left - box.left), Math.round(box.right - line.right)];
            }).reverse()""")
        self.assertLess(left[0], 2)
        self.assertLess(right[1], 2)
        self.assertGreater(right[0], 20)
        self.see("lines")

    def test_a_long_alert_leaves_its_buttons_in_reach(self):
        self.appliance.run("settings", APP, "style", "alert")
        self.appliance.push('{"aps": {"alert": {"title": "Long", "body": "%s"}}}' % "one more line\\n".join([""] * 60))
        self.panel.wait_for(".alert", "Long")
        for size in SIZES.values():
            self.panel.resize(*size)
            self.assertLess(self.box(".alert-buttons")["bottom"], self.box(".glass")["bottom"], size)
            self.assertGreater(self.box(".alert")["top"], self.box(".glass")["top"], size)
        # The rest of the text can be reached with the keyboard.
        self.assertEqual(self.panel.read(".alert-text", "tabIndex"), 0)
        self.see("long-alert")
        self.panel.press(self.panel.focus("alert close"))


class WhyTests(SceneCase):
    def setUp(self):
        super().setUp()
        self.appliance.run("center", "--clear")
        for number in range(3):
            self.appliance.push('{"aps": {"alert": "why %d", "sound": "letter"}}' % number)
        self.panel.wait(lambda: len(self.panel.all(".note")) == 3, "three notifications")

    def named(self):
        return self.panel.script("return document.activeElement.getAttribute('aria-label')")

    def test_the_tab_key_stops_once_among_the_explanations(self):
        self.assertGreater(len(self.panel.all(".explain")), 5)
        self.panel.script("document.getElementById('filter-app').focus()")
        stops = 0
        for _ in range(6):
            self.press_key(Keys.TAB)
            stops += self.panel.script("return document.activeElement.matches('.explain')")
        self.assertEqual(stops, 1)

    def test_the_arrow_keys_move_among_them_and_a_new_event_moves_nothing(self):
        self.panel.script("document.querySelector('.explain').focus()")
        names = self.panel.script("return [...document.querySelectorAll('.explain')].map((each) => each.getAttribute('aria-label'))")
        self.press_key(Keys.ARROW_DOWN)
        self.press_key(Keys.ARROW_DOWN)
        self.assertEqual(self.named(), names[2])
        self.appliance.push('{"aps": {"alert": "one more"}}')
        self.panel.wait_for(".note", "one more")
        self.assertEqual(self.named(), names[2])
        self.assertEqual(self.panel.script("return document.querySelectorAll('.explain[tabindex=\"0\"]').length"), 1)
        self.press_key(Keys.END)
        self.assertEqual(self.named(), self.panel.script("return [...document.querySelectorAll('.explain')].at(-1).getAttribute('aria-label')"))
        self.press_key(Keys.HOME)
        self.press_key(Keys.ENTER)
        self.panel.wait_for("#explanation-title")
        self.panel.press("#explanation .dialog-head button")

    def test_the_rule_that_decided_comes_first(self):
        self.appliance.run("conditions", "silent", "on")
        self.appliance.push('{"aps": {"alert": "hush", "sound": "letter"}}')
        self.appliance.run("conditions", "silent", "off")
        self.panel.wait_for(".note", "hush")
        self.panel.wait_for(".event", "no sound")
        self.panel.script("""
            [...document.querySelectorAll('.event')].find((each) => each.textContent.includes('no sound')).querySelector('.explain').click()""")
        self.panel.wait_for("#explanation-title", "Why it did not ring")
        try:
            self.assertIn("the ring/silent switch is on silent", self.panel.texts(".rulings li")[0])
            self.assertEqual(len(self.panel.all(".decision li")), 1)
            self.see("decision")
        finally:
            self.panel.press("#explanation .dialog-head button")
