"""A headless Chromium that shows the panel of one appliance, and records its network requests."""

import json
import os
import shutil
import tempfile
import unittest
from contextlib import contextmanager
from urllib.parse import urlsplit

from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import WebDriverWait

from Tests.support.appliance import APP, Appliance
from Tests.support.project import PATIENCE_SECONDS, ROOT

PICTURES = ROOT / ".build/panel"
DESKTOP, PHONE = (1440, 1100), (390, 844)


def chromium(size=DESKTOP, *, dark=False, profile=None, insecure=False):
    options = webdriver.ChromeOptions()
    options.binary_location = shutil.which("chromium") or shutil.which("google-chrome")
    for argument in [
        "--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu", "--hide-scrollbars",
        "--disable-background-networking", "--disable-component-update", "--no-first-run", "--disable-sync",
        f"--window-size={size[0]},{size[1]}", f"--user-data-dir={profile}", "--force-device-scale-factor=1",
    ]:
        options.add_argument(argument)
    if insecure:
        options.add_argument("--ignore-certificate-errors")
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    driver = webdriver.Chrome(options=options, service=Service(shutil.which("chromedriver"), log_output=os.devnull))
    driver.set_page_load_timeout(PATIENCE_SECONDS)
    resize(driver, *size)
    prefer(driver, "color-scheme", "dark" if dark else "light")
    return driver


def resize(driver, width, height):
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
        "width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 760})


def prefer(driver, feature, value):
    """Sets a preference of the user for every page."""
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [{"name": f"prefers-{feature}", "value": value}]})


class Panel:
    """A browser with the actions of a user."""

    def __init__(self, driver, appliance):
        self.driver, self.appliance = driver, appliance
        self.requests = []
        self.console = []

    def open(self):
        self.driver.get(self.appliance.run("panel").strip())
        self.wait_for("#link[data-link=live]")

    def resize(self, width, height):
        resize(self.driver, width, height)

    def all(self, selector):
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def texts(self, selector):
        """Returns the texts of elements, all read at one moment."""
        return self.script(
            "return [...document.querySelectorAll(arguments[0])].map((each) => each.innerText)", selector)

    def one(self, selector):
        found = self.all(selector)
        if len(found) != 1:
            raise AssertionError(f"{selector}: {len(found)} elements")
        return found[0]

    def on(self, selector, function, *arguments):
        """Calls a function of JavaScript with the one element, found in the same call: between two the page may draw a new
        one. Returns what it returns."""
        count, answer = self.script("""
            const found = document.querySelectorAll(arguments[0]);
            return [found.length, found.length === 1 ? (%s)(found[0], ...[...arguments].slice(1)) : null];
            """ % function, selector, *arguments)
        if count != 1:
            raise AssertionError(f"{selector}: {count} elements")
        return answer

    def read(self, selector, name):
        """Returns a property of the one element."""
        return self.on(selector, "(element, name) => element[name]", name)

    def wait(self, wanted, what):
        """Waits until `wanted` is true for the page, by polling: only a page does not report its changes."""
        return WebDriverWait(
            self.driver, PATIENCE_SECONDS, poll_frequency=0.05, ignored_exceptions=[Exception]
        ).until(lambda _: wanted(), f"never came: {what}")

    def wait_for(self, selector, text=None):
        """Returns the first displayed element that contains that text."""
        def look():
            for element in self.all(selector):
                if element.is_displayed() and (text is None or text in element.text):
                    return element
            return None
        return self.wait(look, f"{selector} {text or ''}")

    def settle(self):
        """Waits until nothing moves: what still grows or fades in would be measured half way."""
        self.driver.execute_async_script("""
            const done = arguments[0];
            const moves = () => document.getAnimations().some((each) => each.effect.getComputedTiming().iterations !== Infinity);
            const look = () => requestAnimationFrame(moves() ? look : () => done());
            look();""")

    def wait_gone(self, selector):
        self.wait(lambda: not any(element.is_displayed() for element in self.all(selector)), f"no {selector}")

    def press(self, selector):
        """Presses by a script, also below floating elements: the page is tested, not its scroll position."""
        self.wait(lambda: self.on(selector, """(element) => {
            element.scrollIntoView({block: 'center', behavior: 'instant'});
            element.click();
            return true;
        }"""), selector)

    def focus(self, name):
        """Returns the selector of the control with that name."""
        return f'[data-focus="{name}"]'

    def write(self, selector, text):
        element = self.one(selector)
        element.clear()
        element.send_keys(text)

    def choose(self, selector, value):
        self.wait(lambda: self.on(selector, """(element, value) => {
            element.value = value;
            element.dispatchEvent(new Event('change', {bubbles: true}));
            return true;
        }""", value), selector)

    def slide(self, selector, value):
        """Moves a control to a value, as a person who lets it go there."""
        self.on(selector, """(element, value) => {
            element.value = value;
            element.dispatchEvent(new Event('input'));
            element.dispatchEvent(new Event('change'));
        }""", value)

    def submit(self, selector, value):
        """Sends the form of a field with a value."""
        self.on(selector, "(element, value) => { element.value = value; element.form.requestSubmit(); }", value)

    def script(self, text, *arguments):
        return self.driver.execute_script(text, *arguments)

    @contextmanager
    def held_lamp(self):
        """Freezes the lamp when it is lit next, for a picture."""
        self.driver.execute_async_script("""
            const done = arguments[0], lamp = document.querySelector('.lamp');
            const hold = () => {
              if (!lamp.classList.contains('lit')) return false;
              window.heldLamp = [lamp, lamp.cloneNode(true)];
              lamp.replaceWith(window.heldLamp[1]);
              done();
              return true;
            };
            if (!hold()) new MutationObserver((_, watcher) => { if (hold()) watcher.disconnect(); }).observe(lamp, { attributes: true });
            """)
        yield
        self.script("window.heldLamp[1].replaceWith(window.heldLamp[0])")

    def picture(self, name, *, whole=False):
        PICTURES.mkdir(parents=True, exist_ok=True)
        if whole:
            self.resize(*self.script("return [innerWidth, document.documentElement.scrollHeight]"))
        self.driver.save_screenshot(str(PICTURES / f"{name}.png"))

    def gather(self):
        """Collects the browser's records since the last call."""
        for line in self.driver.get_log("performance"):
            message = json.loads(line["message"])["message"]
            if message["method"] == "Network.requestWillBeSent":
                self.requests.append(message["params"]["request"]["url"])
        self.console += self.driver.get_log("browser")

    def hosts(self):
        self.gather()
        return {urlsplit(url).netloc for url in self.requests if urlsplit(url).scheme in ("http", "https", "ws", "wss")}


@contextmanager
def browser(appliance, *arguments, **options):
    profile = tempfile.mkdtemp(prefix="deskbell-chromium-")
    driver = None
    try:
        driver = chromium(*arguments, profile=profile, **options)
        yield Panel(driver, appliance)
    finally:
        if driver:
            driver.quit()
        shutil.rmtree(profile, ignore_errors=True)


class PanelCase(unittest.TestCase):
    """Tests that share a daemon and a browser, each beginning on a complete page."""

    options = ()
    # The text of the settings file, and a second handset that they name, which has the example app too.
    settings = None
    second_handset = None
    board = "simulated"
    size = DESKTOP
    dark = False

    @classmethod
    def setUpClass(cls):
        appliance = Appliance("--panel", "127.0.0.1:0", *cls.options, board=cls.board, settings=cls.settings)
        cls.appliance = cls.enterClassContext(appliance)
        cls.prepare()
        cls.panel = cls.enterClassContext(browser(appliance, cls.size, dark=cls.dark))
        cls.panel.open()
        cls.port = appliance.panel_port()

    @classmethod
    def prepare(cls):
        cls.appliance.install_mailroom()
        if cls.second_handset:
            cls.appliance.run("app", "install", ROOT / "examples/mailroom", "--handset", cls.second_handset)
            cls.appliance.run("app", "register", APP, "--handset", cls.second_handset)

    def setting(self, key, app=None):
        listed = self.appliance.report("settings", *([app] if app else []))
        return {each["key"]: each["value"] for each in listed}[key]

    def wait_for_setting(self, value, key, app=None):
        self.panel.wait(lambda: self.setting(key, app) == value, f"{key} {value}")

    def tearDown(self):
        self.panel.gather()
        unexpected = [line["message"] for line in self.panel.console if not self.is_expected(line)]
        self.panel.console.clear()
        self.assertEqual(unexpected, [], "the browser's console")
        self.assertEqual(self.panel.hosts() - {f"127.0.0.1:{self.port}"}, set(), "requests to other hosts")

    def is_expected(self, line):
        """Returns true for a console line of Chromium about an intended refusal."""
        return False
