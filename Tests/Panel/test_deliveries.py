"""Live Activities, Focus, the summary, and how pushes were delivered, as the panel shows them."""

import json
import re

from Tests.Panel.test_accessibility import ViewCase
from Tests.Panel.test_screen import NARROW
from Tests.support.appliance import APP


class DeliveryTests(ViewCase):
    size = NARROW

    def test_the_statuses_are_a_table_and_a_chart(self):
        before = self.counts()
        identifier = self.appliance.notify("Two letters", "In the box")
        self.panel.press("#delivery summary")
        for status in ["Received by APNs", "Delivered to Device"]:
            row = self.panel.wait_for("#delivery tbody tr", status).text.split()
            self.assertEqual(int(row[-1]), before.get(status, 0) + 1, status)
        self.assertEqual(len(self.panel.all("#delivery tbody tr")), 10)
        self.assertEqual(len(self.panel.all(".delivery-chart g")), 10)
        self.assertRegex(self.panel.read(".delivery-chart", "ariaLabel"), r"^Pushes by status: Received by APNs \d+, Delivered to Device \d+$")
        self.assertEqual(self.panel.script("return document.documentElement.scrollWidth"), NARROW[0])
        self.check("deliveries", "#delivery")
        self.panel.press("#delivery summary")
        self.panel.write("#filter-text", identifier[:8])
        self.panel.wait(lambda: set(self.panel.texts(".event-name")) == {"accepted", "presented"}, "the push's events")
        self.panel.script("document.querySelector('.explain').click()")
        self.panel.wait_for(".delivery-log", "received by APNS Server")
        self.assertIn("successfully delivered to the target device", self.panel.read(".delivery-log", "innerText"))
        self.panel.press("#explanation .dialog-head button")

    def counts(self):
        found = {}
        for each in self.appliance.ask("/v1/delivery-statuses"):
            found[each["status"]] = found.get(each["status"], 0) + each["count"]
        return found


class ActivityTests(ViewCase):
    size = NARROW

    def update(self, event, **aps):
        """Pushes an update of an activity of the example app, which has its ordinary token."""
        wall = self.appliance.report("state")["wallMicroseconds"] // 1_000_000
        self.appliance.push({"aps": {"timestamp": wall, "event": event, **aps}}, headers={
            "apns-push-type": "liveactivity", "apns-topic": f"{APP}.push-type.liveactivity"})

    def test_a_card_comes_changes_ends_and_is_dismissed(self):
        self.update("start", **{
            "content-state": {"eggs": 3}, "attributes-type": "Kitchen", "attributes": {}, "alert": {"title": "Eggs", "body": "Three"}})
        self.panel.wait_for(".activity", "eggs")
        self.check("activity", "#handset")
        self.update("end", **{"content-state": {"eggs": 0}})
        self.panel.wait_for(".activity-ended", "Ended")
        self.check("activity-ended", "#handset")
        self.panel.script("document.querySelector('.activity .clear').click()")
        self.panel.wait_gone(".activity")
        self.assertEqual(self.panel.script("return document.documentElement.scrollWidth"), NARROW[0])


class FocusTests(ViewCase):
    size = NARROW

    def modes(self):
        return {mode["name"]: mode for mode in self.appliance.ask("/v1/focus")["modes"]}

    def test_a_focus_is_made_changed_switched_on_and_removed(self):
        self.panel.submit("#focus-name", "Work")
        self.panel.wait(lambda: "Work" in self.modes(), "the Focus")
        self.panel.press(self.panel.focus(f"focus Work {APP}"))
        self.panel.wait(lambda: self.modes()["Work"]["allow"] == [APP], "an allowed app")
        self.panel.press(self.panel.focus("focus Work schedule"))
        self.panel.wait(lambda: self.modes()["Work"]["schedule"] == "22:00-07:00", "a schedule")
        self.panel.wait_for('[data-focus="focus Work from"]')
        self.check("focus", "#focus")
        self.panel.choose(self.panel.focus("focus mode"), "Work")
        self.panel.wait_for(".status [aria-label='Focus: Work']")
        self.panel.choose(self.panel.focus("focus mode"), "off")
        self.panel.wait_gone(".status [aria-label='Focus: Work']")
        self.panel.press(self.panel.focus("focus Work remove"))
        self.panel.press("#question .danger")
        self.panel.wait(lambda: self.modes() == {}, "no Focus")


class SummaryTests(ViewCase):
    size = NARROW

    def test_what_is_in_the_summary_is_counted(self):
        self.panel.press(self.panel.focus("setting summary"))
        self.wait_for_setting("08:00,18:00", "summary")
        self.panel.wait_for(self.panel.focus("setting summary times"))
        self.appliance.run("settings", APP, "summary", "on")
        self.appliance.push(json.dumps({"aps": {"alert": "For later"}}))
        self.panel.wait_for(".later", "1 notification in the summary")
        self.assertRegex(self.panel.read("p.later small", "innerText"), r"^next at (08|18):00")
        self.assertEqual(self.panel.all(".note"), [])
        self.panel.wait(lambda: any(re.fullmatch(
            r"deferred until (08|18):00(, \w+ \d+ \w+)?: its app's notifications wait for the summary", sentence)
            for sentence in self.panel.texts(".event-words")), "the event in words")
        self.check("summary", "#handset")
        self.panel.press(self.panel.focus("setting summary"))
        self.wait_for_setting("off", "summary")
        self.panel.wait_for(".note", "For later")
