"""Several handsets in one daemon: each has its own apps, tokens and settings, and each push reaches the one with its token,
also if the daemon is killed meanwhile."""

import json
import random
import threading
import unittest
from concurrent.futures import ThreadPoolExecutor

from Tests.support.appliance import APP, Appliance, new_id
from Tests.support.curl import curl
from Tests.support.http2_client import Connection, Post
from Tests.support.project import PATIENCE_SECONDS, ROOT


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
        answer = curl("--unix-socket", self.appliance.environment["DESKBELL_CONTROL"], "--request", "PUT",
                      "--data", '{"vlaue": "on"}', "http://localhost/v1/handsets/desk/conditions/silent")
        self.assertEqual(answer.json, {"error": "unknown key 'vlaue'", "hint": "did you mean 'value'?"})


HANDSETS = 500
APPS = [f"com.example.app{number}" for number in range(5)]


class ManyHandsetsTests(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.appliance = appliance = cls.enterClassContext(
            Appliance(board=None, settings=f"handsets: {HANDSETS}\nlimits: {{ requests-per-second: 0 }}\n"))
        for app in APPS:
            bundle = appliance.bundle(f"id: {app}\nname: One of five\n", name=app)
            appliance.run("app", "install", bundle, "--all-handsets")
        kinds = {"kinds": ["badge", "sound", "alert"]}
        cls.on_all_handsets(lambda control, name: [
            control.call("POST", f"/v1/handsets/{name}/apps/{app}/register", kinds) for app in APPS])
        appliance.add_provider(*APPS)
        cls.tokens = appliance.report("app", "tokens", "--all-handsets")

    @classmethod
    def on_all_handsets(cls, body):
        """Calls `body` with a control connection and the name of each handset; returns its results in a dictionary."""
        results = {}

        def run(first):
            with cls.appliance.control() as control:
                for number in range(first + 1, HANDSETS + 1, 8):
                    results[str(number)] = body(control, str(number))

        with ThreadPoolExecutor(8) as pool:
            list(pool.map(run, range(8)))
        return results

    def accepted(self):
        """Returns the identifiers and apps of the pushes that each handset has accepted, by its own journal."""
        def read(control, name):
            events = [json.loads(line) for line in
                      control.call("GET", f"/v1/handsets/{name}/events?after=0").splitlines()]
            numbers = [event["sequence"] for event in events]
            self.assertEqual(numbers, sorted(set(numbers)))
            return {(event["push"].lower(), event["app"]) for event in events if event["event"] == "accepted"}

        return self.on_all_handsets(read)

    def push(self, count, answered, after=None, connected=None):
        """Pushes to random tokens over one connection; `answered` gets (identifier, app, handset) of each 200.
        `connected` is called before the first."""
        bearer = self.appliance.bearer()
        posts = []
        for token in random.choices(self.tokens, k=count):
            push = new_id()
            fields = self.appliance.fields(("apns-id", push), token=token["token"], bearer=bearer, topic=token["app"])
            body = json.dumps({"aps": {"alert": "One of many", "badge": 1}}).encode()
            posts.append(Post(fields, body, (push, token["app"], token["handset"])))
        with Connection(self.appliance.port, self.appliance.ca) as connection:
            if connected:
                connected()
            # The provider's token is verified first.
            for post, status, _, _ in connection.exchange(posts[:1]) + connection.exchange(posts[1:], 50, after):
                if status == 200:
                    answered.append(post.key)

    def expect_all(self, answered):
        accepted = self.accepted()
        missing = [key for key in answered if key[:2] not in accepted[key[2]]]
        self.assertEqual(missing, [])
        # No handset has another's pushes.
        sent = {key[0]: key[2] for key in answered}
        for name, pushes in accepted.items():
            for push, _ in pushes:
                self.assertEqual(sent.get(push, name), name)

    def test_every_handset_gets_its_own(self):
        self.assertEqual(len(self.tokens), HANDSETS * len(APPS))
        self.assertEqual(len({token["token"] for token in self.tokens}), HANDSETS * len(APPS))
        answered = []
        self.push(2_000, answered)
        self.assertEqual(len(answered), 2_000)
        self.expect_all(answered)

    def test_killed_under_load(self):
        for _ in range(3):
            answered, enough = [], threading.Event()

            def grown(count):
                if count > 1_000:
                    enough.set()

            # On a busy machine one may be ready only after the others have pushed enough.
            all_there = threading.Barrier(4, timeout=PATIENCE_SECONDS)
            with ThreadPoolExecutor(4) as pool:
                pushing = [pool.submit(self.push, 20_000, answered, grown, all_there.wait) for _ in range(4)]
                self.assertTrue(enough.wait(PATIENCE_SECONDS))
                self.appliance.kill()
                for done in pushing:
                    done.result(PATIENCE_SECONDS)
            self.assertGreater(len(answered), 1_000)
            self.assertLess(len(answered), 80_000)
            self.appliance.start()
            self.expect_all(answered)
