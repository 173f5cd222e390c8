"""Choosing another handset removes everything shown of the previous one."""

from Tests.Panel.test_scenes import NEIGHBOUR, SceneCase

LONG = "kitchen-on-the-second-floor"


class ChosenTests(SceneCase):
    settings, second_handset = f"handsets: [desk, {LONG}]\n", LONG

    def tearDown(self):
        self.panel.choose("#handset-select", "desk")
        self.panel.wait_for("#link[data-link=live]")
        super().tearDown()

    def test_nothing_of_the_other_one_is_left(self):
        self.panel.press("#push-send")
        self.panel.wait_for("#push-result .answer.good", "200")
        self.panel.wait_for(".note", "A test push")
        self.panel.wait_for(".part-speaker .part-words", "last: ")
        self.panel.choose("#filter-app", NEIGHBOUR)
        self.panel.press("#keys input[value='topic']")
        self.panel.write("#key-name", "parcels")
        self.panel.press("#key-make")
        self.panel.wait_for(".made", "parcels")
        self.panel.wait_for(".keys li", "parcels")
        self.panel.press("#push-explain")
        self.panel.wait_for("#explanation-title")
        # The other handset's state is held back until it is released.
        self.panel.script("""
            const real = window.fetch;
            const held = new Promise((resolve) => { window.letGo = resolve; });
            window.fetch = async (path, ...rest) => {
              if (path.startsWith('/v1/handsets/') && path.endsWith('/state')) await held;
              return real(path, ...rest);
            };""")
        self.panel.choose("#handset-select", LONG)
        for part in ["#explanation", ".made", "#push-result .answer", ".curl", ".note", ".glass", ".board-face", "#apps-body", ".event"]:
            self.assertFalse(any(each.is_displayed() for each in self.panel.all(part)), part)
        self.panel.script("window.letGo()")
        self.panel.wait_for("#link[data-link=live]")
        self.panel.wait_for(".no-notes")
        self.panel.wait_for(".event", "registered")
        self.assertEqual(self.panel.read("#filter-app", "value"), "")
        self.assertEqual(self.panel.all("#push-result .answer"), [])
        # Its topic is the desk's.
        self.assertNotIn("parcels", self.panel.read("#keys", "innerText"))
        self.panel.choose("#handset-select", "desk")
        self.panel.wait_for(".note", "A test push")
        self.panel.wait_for(".keys li", "parcels")
        self.assertEqual(self.panel.texts(".part-speaker .part-words"), ["silent"])

    def test_the_menu_fits_a_phone(self):
        for width in [320, 360, 390]:
            self.panel.resize(width, 844)
            for link, words in [("live", None), ("lost", "Connection lost; trying again")]:
                self.panel.script("""
                    document.getElementById('link').dataset.link = arguments[0];
                    if (arguments[1]) document.getElementById('link-text').textContent = arguments[1];""", link, words)
                self.assertEqual(self.panel.script("return document.documentElement.scrollWidth"), width)
                cut = self.panel.script("""
                    return [...document.querySelectorAll('.bar > *')].filter((each) => each.offsetParent)
                      .map((each) => [each.id || each.className, each.getBoundingClientRect()])
                      .filter(([, box]) => box.left < 0 || box.right > innerWidth || box.width > 0 && box.height < 12).map(([name]) => name)""")
                self.assertEqual(cut, [], (width, link))
                # The names can be told apart, and the control is large enough for a finger.
                box = self.box("#handset-select")
                self.assertGreater(box["width"], 180, (width, link))
                self.assertGreaterEqual(box["height"], 36)
        self.panel.resize(*self.size)
        self.panel.driver.refresh()
        self.panel.wait_for("#link[data-link=live]")
        self.panel.choose("#handset-select", LONG)
        self.panel.wait_for("#link[data-link=live]")
        self.see("menu")
