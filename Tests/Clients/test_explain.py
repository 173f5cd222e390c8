"""Explanations of pushes that rang or did not, and of those that a client without an answer sends again."""

import json
import unittest

from Tests.support.appliance import APP, Mailroom, new_id


class ExplainTests(unittest.TestCase):
    def codes(self, explanation):
        return [ruling["code"] for ruling in explanation["rulings"]]

    def test_what_rang_and_what_did_not(self):
        with Mailroom() as appliance:
            loud = {"aps": {"alert": "A letter", "badge": 3, "sound": "letter"}}
            rang = appliance.push(loud)
            report = appliance.report("explain", rang.upper())
            self.assertTrue(report["rang"])
            self.assertEqual(report["push"], rang)
            self.assertEqual(self.codes(report), [
                "R4.good", "F1.online", "R1.registered", "U2.person", "B1.set", "S2.on", "S1.allowed", "S6.registered",
                "N1.system", "S1.listed", "N3.banner", "S5.audible", "A1.own", "D3.vibrates", "D1.lit"])
            text = appliance.run("explain", rang)
            self.assertIn(f"push {rang} for {APP}, ", text)
            self.assertRegex(text, r"(?m)^S5    silence, quiet hours  neither silence nor quiet hours: its sound is played$")
            self.assertRegex(text, r"It rang: badge 3, banner, Notification Center, the lamp, .*sound letter\.\n")

            appliance.run("settings", APP, "sound", "off")
            appliance.run("settings", APP, "badge", "off")
            quiet = appliance.push(loud)
            report = appliance.report("explain", quiet)
            self.assertFalse(report["rang"])
            self.assertIn("S1.sound-off", self.codes(report))
            self.assertIn("S4.hidden", self.codes(report))
            self.assertEqual(
                report["summary"],
                "It did not ring: the app's sound is switched off (S1). It showed: banner, Notification Center, "
                "the lamp.")

            # The explanation survives a power cut, and includes later events.
            appliance.cut_power()
            self.assertEqual(appliance.report("explain", quiet)["rulings"], report["rulings"])
            self.assertEqual(appliance.report("explain", quiet)["now"], ["in Notification Center, unseen"])
            appliance.run("app", "launch", APP)
            report = appliance.report("explain", quiet)
            self.assertEqual(report["now"], ["in Notification Center, seen"])
            appliance.run("center", "--open", appliance.report("center")[0]["id"])
            report = appliance.report("explain", quiet)
            self.assertEqual(report["now"], [])
            self.assertEqual(report["events"][-1]["reason"], "notification-opened")

    def test_updates_that_are_held_and_replaced(self):
        with Mailroom() as appliance:
            update = {"aps": {"content-available": 1}}
            headers = {"apns-push-type": "background", "apns-priority": "5"}
            ids = [appliance.push(update, headers=headers) for _ in range(5)]
            given, older, newer = (appliance.report("explain", ids[place]) for place in (0, 3, 4))
            self.assertEqual(self.codes(given), [
                "R4.good", "F1.online", "R1.registered", "U2.update", "U1.mode", "U7.free"])
            self.assertEqual(self.codes(older)[-1], "U7.spent")
            self.assertEqual(older["summary"], (
                "It did not ring: it is a background update, with nothing for a person (U2). "
                "It was discarded: a newer update replaced it (U4)."))
            self.assertEqual(self.codes(newer)[-2:], ["U4.replaced", "U7.spent"])
            self.assertEqual(newer["now"], ["held for the app"])
            self.assertIn("It is held: three updates were delivered in the last 60 minutes (U7).", newer["summary"])
            self.assertTrue(older["events"][-1]["replacedBy"] == ids[4] == newer["push"])

    def test_pushes_that_were_refused(self):
        with Mailroom() as appliance:
            large = appliance.push({"aps": {"alert": "x" * 5000}}, 413)
            report = appliance.report("explain", large)
            self.assertEqual(report["rulings"], [])
            self.assertTrue(report["summary"].startswith("It did not ring: it was refused, 413 PayloadTooLarge: "))
            appliance.run("app", "unregister", APP)
            gone = appliance.push({"aps": {"alert": "x"}}, 410)
            report = appliance.report("explain", gone)
            self.assertEqual(self.codes(report), ["R4.gone"])
            self.assertEqual(
                report["summary"], "It did not ring: the app of that device token is no longer registered (R4).")

    def test_an_identifier_used_twice_and_one_never_used(self):
        with Mailroom() as appliance:
            identifier = new_id()
            for badge in (1, 2):
                payload = json.dumps({"aps": {"badge": badge}})
                self.assertEqual(appliance.curl(payload, headers={"apns-id": identifier})[0], 200)
            # Further back than the daemon reads at a time.
            with appliance.control() as connection:
                for turn in range(1100):
                    connection.call("PUT", "/v1/settings/vibrate-on-ring", {"value": "off" if turn % 2 else "on"})
            report = appliance.report("explain", identifier)
            self.assertEqual(report["pushes"], 2)
            self.assertEqual([e.get("number") for e in report["events"] if e["event"] == "badge"], [2])
            self.assertIn("The newest of 2 with this identifier", appliance.run("explain", identifier))

            self.assertIn("the journal has nothing of push", appliance.refusal("explain", new_id()))
            self.assertIn("'letter' is no identifier of a push", appliance.refusal("explain", "letter"))


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
