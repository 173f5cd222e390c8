"""The three effects of holding a background update, through the network, with the daemon killed in between."""

import json
import unittest

from Tests.support.appliance import APP, Mailroom

UPDATE = json.dumps({"aps": {"content-available": 1}, "acme": "bar"})
HEADERS = {"apns-push-type": "background", "apns-priority": "5"}


class BackgroundUpdateTests(unittest.TestCase):
    def spend_budget(self, appliance):
        """Sends three updates, which wake the app; later ones are held (U7)."""
        appliance.run("app", "background", APP)
        for _ in range(3):
            self.push(appliance)
        woken = [e for e in appliance.events() if e["event"] == "delivered"]
        self.assertEqual(len(woken), 3)

    def push(self, appliance):
        return appliance.push(UPDATE, headers=HEADERS)

    def outcomes(self, appliance, ids):
        return {
            identifier: [(e["event"], e.get("replacedBy")) for e in appliance.events()
                         if e.get("push") == identifier and e["event"] in ("held", "discarded", "delivered")]
            for identifier in ids}

    def test_five_updates_one_is_held_and_a_force_quit_discards_it(self):
        with Mailroom() as appliance:
            self.spend_budget(appliance)
            ids = [self.push(appliance) for _ in range(5)]
            appliance.cut_power()
            outcomes = self.outcomes(appliance, ids)
            for older, newer in zip(ids, ids[1:]):
                self.assertEqual(outcomes[older], [("held", None), ("discarded", newer)])
            self.assertEqual(outcomes[ids[4]], [("held", None)])
            self.assertEqual(appliance.report("app", "list")[0]["held"]["push"], ids[4])

            appliance.run("app", "force-quit", APP)
            self.assertEqual(self.outcomes(appliance, ids[4:])[ids[4]], [("held", None), ("discarded", None)])
            self.assertNotIn("held", appliance.report("app", "list")[0])
            reason = [e for e in appliance.events() if e.get("push") == ids[4]][-1]["reason"]
            self.assertEqual(reason, "force-quit")

    def test_a_launch_delivers_the_newest_at_once(self):
        with Mailroom() as appliance:
            self.spend_budget(appliance)
            ids = [self.push(appliance) for _ in range(5)]
            appliance.cut_power()
            appliance.run("app", "launch", APP)
            outcomes = self.outcomes(appliance, ids)
            self.assertEqual(outcomes[ids[4]], [("held", None), ("delivered", None)])
            for older in ids[:4]:
                self.assertEqual([event for event, _ in outcomes[older]], ["held", "discarded"])

    def test_an_hour_later_the_budget_allows_it(self):
        with Mailroom("--clock", "virtual") as appliance:
            self.spend_budget(appliance)
            held = self.push(appliance)
            appliance.run("clock", "advance", "59m")
            self.assertEqual(self.outcomes(appliance, [held])[held], [("held", None)])
            appliance.run("clock", "advance", "1m")
            self.assertEqual(self.outcomes(appliance, [held])[held], [("held", None), ("delivered", None)])

    def test_offline_the_newest_is_kept_and_arrives_as_if_just_sent(self):
        with Mailroom() as appliance:
            appliance.run("conditions", "offline", "on")
            for badge in (1, 2):
                self.assertEqual(appliance.curl('{"aps": {"alert": "hello", "badge": %d}}' % badge)[0], 200)
            self.assertEqual(appliance.report("state")["presentation"]["badge"], 0)
            appliance.run("conditions", "offline", "off")
            self.assertEqual(appliance.report("state")["presentation"]["badge"], 2)
            self.assertEqual(appliance.report("state")["unseen"], 1)
