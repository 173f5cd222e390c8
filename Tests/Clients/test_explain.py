"""Explanations of pushes that rang or did not, from the appliance as shipped."""

import json
import unittest

from appliance import APP, Appliance, ControlConnection, new_id


class ExplainTests(unittest.TestCase):
    def push(self, appliance, payload, status=200, **options):
        identifier = new_id()
        headers = {"apns-id": identifier, **options.pop("headers", {})}
        self.assertEqual(appliance.curl(json.dumps(payload), headers=headers, **options)[0], status)
        return identifier

    def codes(self, explanation):
        return [ruling["code"] for ruling in explanation["rulings"]]

    def test_what_rang_and_what_did_not(self):
        with Appliance() as appliance:
            appliance.install_mailroom()
            loud = {"aps": {"alert": "A letter", "badge": 3, "sound": "letter"}}
            rang = self.push(appliance, loud)
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
            quiet = self.push(appliance, loud)
            report = appliance.report("explain", quiet)
            self.assertFalse(report["rang"])
            self.assertIn("S1.sound-off", self.codes(report))
            self.assertIn("S4.hidden", self.codes(report))
            self.assertEqual(
                report["summary"],
                "It did not ring: the app's sound is switched off (S1). It showed: banner, Notification Center, "
                "the lamp.")

            # The explanation survives a power cut, and includes later events.
            appliance.kill()
            appliance.start()
            self.assertEqual(appliance.report("explain", quiet)["rulings"], report["rulings"])
            self.assertEqual(appliance.report("explain", quiet)["now"], ["in Notification Center, unseen"])
            appliance.run("app", "launch", APP)
            report = appliance.report("explain", quiet)
            self.assertEqual(report["now"], [])
            self.assertEqual(report["events"][-1]["reason"], "opened")

    def test_updates_that_are_held_and_replaced(self):
        with Appliance() as appliance:
            appliance.install_mailroom()
            update = {"aps": {"content-available": 1}}
            headers = {"apns-push-type": "background", "apns-priority": "5"}
            ids = [self.push(appliance, update, headers=headers) for _ in range(5)]
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
        with Appliance() as appliance:
            appliance.install_mailroom()
            large = self.push(appliance, {"aps": {"alert": "x" * 5000}}, 413)
            report = appliance.report("explain", large)
            self.assertEqual(report["rulings"], [])
            self.assertTrue(report["summary"].startswith("It did not ring: it was refused, 413 PayloadTooLarge: "))
            appliance.run("app", "unregister", APP)
            gone = self.push(appliance, {"aps": {"alert": "x"}}, 410)
            report = appliance.report("explain", gone)
            self.assertEqual(self.codes(report), ["R4.gone"])
            self.assertEqual(
                report["summary"], "It did not ring: the app of that device token is no longer registered (R4).")

    def test_an_identifier_used_twice_and_one_never_used(self):
        with Appliance() as appliance:
            appliance.install_mailroom()
            identifier = new_id()
            for badge in (1, 2):
                payload = json.dumps({"aps": {"badge": badge}})
                self.assertEqual(appliance.curl(payload, headers={"apns-id": identifier})[0], 200)
            # Further back than the daemon reads at a time.
            connection = ControlConnection(appliance.folder / "c.sock")
            for turn in range(1100):
                connection.call("PUT", "/v1/settings/vibrate-on-ring", {"value": "off" if turn % 2 else "on"})
            connection.close()
            report = appliance.report("explain", identifier)
            self.assertEqual(report["pushes"], 2)
            self.assertEqual([e.get("number") for e in report["events"] if e["event"] == "badge"], [2])
            self.assertIn("The newest of 2 with this identifier", appliance.run("explain", identifier))

            unknown = appliance.command("explain", new_id(), check=False)
            self.assertEqual(unknown.returncode, 1)
            self.assertIn("the journal has nothing of push", unknown.stderr)
            no_id = appliance.command("explain", "letter", check=False)
            self.assertEqual(no_id.returncode, 1)
            self.assertIn("'letter' is no identifier of a push", no_id.stderr)


if __name__ == "__main__":
    unittest.main()
