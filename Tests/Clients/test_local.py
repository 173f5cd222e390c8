"""Local notifications, end to end: both clock changes, a kill -9, and an app that listens in the foreground."""

import unittest
from datetime import datetime, timezone
from zoneinfo import ZoneInfo

from Tests.support.appliance import APP, Appliance, Listener, Mailroom

BERLIN = ZoneInfo("Europe/Berlin")
NEW_YORK = ZoneInfo("America/New_York")


def microseconds(moment):
    return int(moment.timestamp()) * 1_000_000


class LocalTests(unittest.TestCase):
    def add(self, appliance, name, *words):
        return appliance.report("local", "add", APP, "--id", name, "--title", name, *words)

    def advance_to(self, appliance, moment):
        """Advances the daemon's clock, which moves by whole seconds, and by a year at most."""
        now = appliance.report("clock")["wallMicroseconds"]
        seconds = (microseconds(moment) - now + 999_999) // 1_000_000
        appliance.run("clock", "advance", f"{seconds}s")

    def presented(self, appliance, after=0):
        """Returns the times at which each was presented, by name."""
        names, times = {}, {}
        for event in appliance.events():
            if event["event"] == "due":
                names[event["push"]] = event["identifier"]
            if event["event"] == "presented" and event["push"] in names and event["sequence"] > after:
                times.setdefault(names[event["push"]], []).append(event["wallMicroseconds"])
        return times

    def test_both_changes_of_the_clocks(self):
        """Half past two does not exist once a year and comes twice once a year (L1)."""
        for zone in BERLIN, NEW_YORK:
            with self.subTest(zone=str(zone)), Appliance(
                    "--clock", "virtual", environment={"TZ": str(zone)}) as appliance:
                appliance.install_mailroom()
                # The clock starts at the real time: the next spring and autumn from there.
                year = datetime.fromtimestamp(
                    appliance.report("clock")["wallMicroseconds"] / 1e6, zone).year + 1
                spring, autumn = self.changes(zone, year)
                self.advance_to(appliance, datetime(spring.year, spring.month, spring.day - 1, 12, tzinfo=zone))
                self.add(appliance, "early", "--daily", "02:30")
                self.add(appliance, "monday", "--weekly", "monday 08:30")
                self.add(appliance, "once", "--at", f"{spring:%Y-%m-%d} 02:15")
                self.advance_to(appliance, datetime(spring.year, spring.month, spring.day + 1, 12, tzinfo=zone))
                shown = self.presented(appliance)
                # A time in the gap is presented when clocks go forward, at 3:00; on the day after, as usual.
                gap = datetime(spring.year, spring.month, spring.day, 3, tzinfo=zone)
                next_day = datetime(spring.year, spring.month, spring.day + 1, 2, 30, tzinfo=zone)
                monday = datetime(spring.year, spring.month, spring.day + 1, 8, 30, tzinfo=zone)
                self.assertEqual(shown["early"], [microseconds(gap), microseconds(next_day)])
                self.assertEqual(shown["once"], [microseconds(gap)])
                self.assertEqual(shown["monday"], [microseconds(monday)])

                self.advance_to(appliance, datetime(autumn.year, autumn.month, autumn.day, 0, tzinfo=zone))
                last = appliance.events()[-1]["sequence"]
                # An hour that comes twice counts once, the first time.
                self.add(appliance, "twice", "--daily", "01:30" if zone is NEW_YORK else "02:30")
                self.advance_to(appliance, datetime(autumn.year, autumn.month, autumn.day, 12, tzinfo=zone))
                hour = 1 if zone is NEW_YORK else 2
                first = datetime(autumn.year, autumn.month, autumn.day, hour, 30, tzinfo=zone, fold=0)
                self.assertEqual(self.presented(appliance, after=last)["twice"], [microseconds(first)])

    def changes(self, zone, year):
        """Returns the two days of that year on which the zone's clocks change: forward, then back."""
        def offset(day):
            return datetime.fromtimestamp(day * 86_400, timezone.utc).astimezone(zone).utcoffset()
        first = int(datetime(year, 1, 1, tzinfo=timezone.utc).timestamp()) // 86_400
        days = [day for day in range(first, first + 365) if offset(day) != offset(day + 1)]
        self.assertEqual(len(days), 2)
        return [datetime.fromtimestamp(day * 86_400, timezone.utc) for day in days]

    def test_what_is_scheduled_survives_a_kill(self):
        """L3: schedules survive a power cut, and each due notification is presented exactly once."""
        with Mailroom("--clock", "virtual") as appliance:
            tea = self.add(appliance, "tea", "--in", "10m", "--badge", "1", "--sound", "default")
            self.add(appliance, "round", "--in", "1h", "--repeat")
            self.add(appliance, "never", "--in", "5m")
            appliance.run("local", "cancel", APP, "never")
            before = appliance.report("local", "list")
            self.assertEqual([entry["identifier"] for entry in before], ["tea", "round"])
            self.assertEqual(before[0], tea)
            appliance.cut_power()
            self.assertEqual(appliance.report("local", "list", APP), before)
            appliance.run("clock", "advance", "30m")
            appliance.cut_power()
            appliance.run("clock", "advance", "2h")
            start = before[0]["dueWallMicroseconds"] - 600_000_000
            self.assertEqual(self.presented(appliance)["tea"], [start + 600_000_000])
            rounds = [before[1]["dueWallMicroseconds"] + hour * 3_600_000_000 for hour in range(2)]
            self.assertEqual(self.presented(appliance)["round"], rounds)
            self.assertNotIn("never", self.presented(appliance))
            self.assertEqual([entry["identifier"] for entry in appliance.report("local", "list")], ["round"])
            self.assertIn("no notification 'tea' scheduled", appliance.refusal("local", "cancel", APP, "tea"))
            appliance.run("local", "cancel", APP, "--all")
            self.assertEqual(appliance.report("local", "list"), [])

    def test_in_the_foreground_the_app_gets_it(self):
        """N2: only notifications that the app asks for are presented, and the app receives those that fell due."""
        with Mailroom("--clock", "virtual") as appliance:
            with Listener(appliance) as app:
                app.send({"state": "foreground"})
                app.send({"present": ["badge"]})
                appliance.wait_for_event("foreground-presentation")
                self.add(appliance, "tea", "--in", "10m", "--badge", "4", "--sound", "default")
                appliance.run("clock", "advance", "10m")
                given = app.receive()
                self.assertEqual(given["state"], "foreground")
                self.assertEqual(
                    given["payload"],
                    {"aps": {"alert": {"title": "tea"}, "badge": 4, "sound": "default"}, "local-notification": "tea"})
                app.send({"completed": given["push"], "result": "noData"})
                done = appliance.wait_for_event("completed")
                self.assertEqual(done["push"], given["push"])
                self.assertEqual(appliance.report("state")["presentation"]["badge"], 4)
                self.assertEqual(appliance.report("center"), [])

                appliance.run("app", "present", APP, "--foreground", "badge,alert")
                self.add(appliance, "more", "--in", "10m", "--badge", "5")
                appliance.run("clock", "advance", "10m")
                self.assertEqual(app.receive()["payload"]["local-notification"], "more")
                self.assertEqual([entry["title"] for entry in appliance.report("center")], ["more"])
