"""A client without an answer sends its push again: the appliance as shipped, with a power cut in between."""

import json
import unittest

from Tests.support.appliance import Mailroom, new_id

LETTER = json.dumps({"aps": {"alert": "A letter", "badge": 1, "sound": "default"}})
OTHER = json.dumps({"aps": {"alert": "Another letter", "badge": 2}})


class SamePushAgainTests(unittest.TestCase):
    def send(self, appliance, identifier, payload=LETTER, **options):
        status, body, headers = appliance.curl(payload, headers={"apns-id": identifier}, **options)
        self.assertEqual(headers["apns-id"], identifier)
        return status

    def names(self, appliance, identifier):
        wanted = identifier.lower()
        return [
            event["event"] for event in appliance.events()
            if event.get("push", "").lower() == wanted and not event["event"].startswith("sound-")]

    def test_stored_and_presented_once(self):
        first = ["accepted", "badge", "presented"]
        with Mailroom() as appliance:
            identifier = new_id()
            self.assertEqual(self.send(appliance, identifier), 200)
            appliance.cut_power()
            self.assertEqual(self.send(appliance, identifier), 200)
            self.assertEqual(self.send(appliance, identifier.upper()), 200)
            self.assertEqual(self.names(appliance, identifier), [*first, "duplicate", "duplicate"])
            report = appliance.report("explain", identifier)
            self.assertTrue(report["rang"])
            self.assertEqual(report["pushes"], 1)
            self.assertTrue(report["summary"].startswith("It rang: "), report["summary"])
            self.assertTrue(report["summary"].endswith(" It came again, and counts once (P1)."), report["summary"])

            # Another payload under the same identifier is a push of its own.
            self.assertEqual(self.send(appliance, identifier, OTHER), 200)
            self.assertEqual(self.names(appliance, identifier)[-4:], ["accepted", "reused-id", "badge", "presented"])
            report = appliance.report("explain", identifier)
            self.assertEqual(report["pushes"], 2)
            self.assertIn("P1.reused", [ruling["code"] for ruling in report["rulings"]])
            self.assertEqual(len(appliance.report("center")), 2)

    def test_what_was_refused_is_not_remembered(self):
        with Mailroom() as appliance:
            identifier = new_id()
            self.assertEqual(self.send(appliance, identifier, token="00" * 32), 400)
            self.assertEqual(self.send(appliance, identifier, payload="{}"), 400)
            self.assertEqual(self.send(appliance, identifier), 200)
            self.assertEqual(self.names(appliance, identifier), ["refused", "refused", "accepted", "badge", "presented"])

    def test_the_hour_goes_by_the_virtual_clock(self):
        with Mailroom("--clock", "virtual") as appliance:
            identifier = new_id()
            self.assertEqual(self.send(appliance, identifier), 200)
            appliance.run("clock", "advance", "59m")
            self.assertEqual(self.send(appliance, identifier), 200)
            appliance.run("clock", "advance", "1m")
            self.assertEqual(self.send(appliance, identifier), 200)
            self.assertEqual(self.names(appliance, identifier).count("accepted"), 2)
            self.assertEqual(self.names(appliance, identifier).count("duplicate"), 1)
