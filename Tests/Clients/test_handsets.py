"""Several handsets in one daemon, as seen by commands and providers: each has its own apps, tokens and settings."""

import json
import subprocess
import unittest

from Tests.support.appliance import APP, Appliance
from Tests.support.project import ROOT


class HandsetTests(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.appliance = cls.enterClassContext(
            Appliance(settings="handsets: [desk, kitchen, attic]\nboard-handset: kitchen\n"))
        cls.appliance.run("app", "install", ROOT / "examples/mailroom", "--all-handsets", "--no-register")
        cls.appliance.add_provider(APP)
        for name in ("desk", "kitchen"):
            cls.appliance.run("app", "register", APP, "--handset", name)

    def state(self, name):
        return self.appliance.report("state", "--handset", name)

    def tokens(self):
        return {each["handset"]: each for each in self.appliance.report("app", "tokens", "--all-handsets")}

    def test_they_are_listed_with_the_one_on_the_board(self):
        handsets = self.appliance.report("handsets")
        self.assertEqual([each["name"] for each in handsets], ["desk", "kitchen", "attic"])
        self.assertEqual([each["isOnBoard"] for each in handsets], [False, True, False])
        self.assertEqual([each["apps"] for each in handsets], [1, 1, 1])
        self.assertEqual(len({each["deviceID"] for each in handsets}), 3)
        self.assertEqual(self.appliance.report("state")["name"], "kitchen")

    def test_a_push_goes_to_the_handset_of_its_token(self):
        tokens = self.tokens()
        self.assertEqual(len({each["token"] for each in tokens.values()}), 3)
        self.assertEqual([tokens[name]["isRegistered"] for name in ("desk", "kitchen", "attic")], [True, True, False])
        before = {name: self.state(name)["unseen"] for name in tokens}
        status, _, answer = self.appliance.curl(
            '{"aps": {"alert": "for the desk"}}', token=tokens["desk"]["token"])
        self.assertEqual(status, 200)
        after = {name: self.state(name)["unseen"] for name in tokens}
        self.assertEqual({name: after[name] - before[name] for name in tokens}, {"desk": 1, "kitchen": 0, "attic": 0})
        explained = self.appliance.report("explain", answer["apns-id"], "--handset", "desk")
        self.assertIn("in Notification Center, unseen", explained["now"])
        self.assertIn("the journal has nothing of push", self.appliance.refusal("explain", answer["apns-id"]))

    def test_a_push_of_ones_own_finds_the_handset_that_is_named(self):
        before = self.state("desk")["unseen"]
        self.appliance.run("push", APP, "--body", "by name", "--handset", "desk")
        self.assertEqual(self.state("desk")["unseen"], before + 1)

    def test_what_is_set_on_one_is_not_set_on_another(self):
        self.appliance.run("conditions", "silent", "on", "--handset", "attic")
        self.appliance.run("settings", "--handset", "attic", APP, "volume", "40%")

        def read(name):
            silent = [each["value"] for each in self.appliance.report("conditions", "--handset", name)
                      if each["key"] == "silent"]
            volume = [each["value"] for each in self.appliance.report("settings", APP, "--handset", name)
                      if each["key"] == "volume"]
            return silent + volume

        self.assertEqual(read("attic"), ["on", "40%"])
        self.assertEqual(read("desk"), ["off", "100%"])
        self.assertEqual(read("kitchen"), ["off", "100%"])

    def test_a_wrong_name_is_refused_with_the_nearest(self):
        self.assertEqual(
            self.appliance.refusal("state", "--handset", "kichen"),
            "deskbell: there is no handset 'kichen'\n  did you mean 'kitchen'?\n")
        self.assertIn("there are desk, kitchen, attic", self.appliance.refusal("app", "list", "--handset", "cellar"))

    def test_the_environment_names_one_too(self):
        self.appliance.environment["DESKBELL_HANDSET"] = "attic"
        try:
            self.assertEqual(self.appliance.report("state")["name"], "attic")
            self.assertEqual(self.appliance.report("state", "--handset", "desk")["name"], "desk")
        finally:
            del self.appliance.environment["DESKBELL_HANDSET"]

    def test_after_a_restart_each_has_what_it_had(self):
        before = self.tokens()
        devices = [each["deviceID"] for each in self.appliance.report("handsets")]
        self.appliance.restart()
        self.assertEqual(self.tokens(), before)
        self.assertEqual([each["deviceID"] for each in self.appliance.report("handsets")], devices)

    def test_unknown_keys_are_refused_by_the_api(self):
        done = subprocess.run(
            ["curl", "--silent", "--unix-socket", self.appliance.environment["DESKBELL_CONTROL"], "--request", "PUT",
             "--data", '{"vlaue": "on"}', "http://localhost/v1/handsets/desk/conditions/silent"],
            capture_output=True, text=True, check=True)
        self.assertEqual(json.loads(done.stdout), {"error": "unknown key 'vlaue'", "hint": "did you mean 'value'?"})
