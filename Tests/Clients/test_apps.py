"""Apps as programs, through the network: a hook that runs for background updates, and a process that connects."""

import contextlib
import json
import threading
import unittest

from Tests.support.appliance import APP, Appliance, Listener, Mailroom
from Tests.support.project import PATIENCE_SECONDS

UPDATE = json.dumps({"aps": {"content-available": 1}, "acme": {"letters": 3}})
HEADERS = {"apns-push-type": "background", "apns-priority": "5"}

MANIFEST = """
id: com.example.mailroom
name: Mailroom
background-modes: [remote-notification]
"""
HOOKS = "hooks: { background: [./wake.sh] }\n"
HOOK = """#!/bin/sh
cat >"{folder}/received"
echo newData
"""


class AppTests(unittest.TestCase):
    def test_the_example_s_hook_goes_by_the_payload(self):
        with Mailroom("--clock", "virtual") as appliance:
            for letters, result in ((0, "noData"), (3, "newData")):
                payload = json.dumps({"aps": {"content-available": 1}, "letters": letters}, separators=(",", ":"))
                identifier = appliance.push(payload, headers=HEADERS)
                appliance.run("clock", "advance", "1s")
                found = [event for event in appliance.events() if event.get("push") == identifier]
                self.assertEqual((found[-1]["event"], found[-1]["result"]), ("completed", result))

    def test_a_hook_gets_the_push_and_says_what_came_of_it(self):
        with Mailroom() as appliance:
            hook = HOOK.format(folder=appliance.folder)
            appliance.run("app", "install", appliance.bundle(MANIFEST + HOOKS, {"wake.sh": hook}))
            identifier = appliance.push(UPDATE, headers=HEADERS)
            completed = appliance.wait_for_event("completed")
            self.assertEqual((completed["push"], completed["result"]), (identifier, "newData"))
            received = json.loads((appliance.folder / "received").read_text())
            self.assertEqual(received["push"], identifier)
            self.assertEqual(received["payload"], json.loads(UPDATE))
            self.assertEqual((received["attempt"], received["state"]), (1, "background"))

    def test_an_app_that_listens_gets_what_was_offered_before_the_daemon_was_killed(self):
        with Mailroom() as appliance:
            # Without the example's hook: an update that it does not complete waits for it.
            appliance.run("app", "install", appliance.bundle(MANIFEST))
            with Listener(appliance) as app:
                appliance.wait_for_event("lifecycle", state="background")
                identifier = appliance.push(UPDATE, headers=HEADERS)
                first = app.receive()
                self.assertEqual((first["push"], first["attempt"]), (identifier, 1))
                # The power fails before the app completes it.
                appliance.kill()
            appliance.start()
            with Listener(appliance) as app:
                second = app.receive()
                self.assertEqual((second["push"], second["attempt"]), (identifier, 2))
                self.assertEqual(second["payload"], json.loads(UPDATE))
                app.send({"completed": identifier, "result": "noData"})
                done = appliance.wait_for_event("completed")
                self.assertEqual((done["push"], done["result"]), (identifier, "noData"))

    def test_an_app_that_talks_without_end_keeps_nobody_waiting(self):
        """It is disconnected, reconnects, and goes on. Meanwhile another app gets its updates, a command its answer."""
        other = "com.example.other"
        with Mailroom() as appliance:
            appliance.run("app", "install", appliance.bundle(MANIFEST.replace(APP, other)))
            appliance.add_provider(APP, other)
            token = appliance.token_of(other)
            talked, ended = threading.Event(), threading.Event()

            def talk():
                while not ended.is_set():
                    with contextlib.suppress(OSError), Listener(appliance) as app:
                        while not ended.is_set():
                            app.socket.sendall(b'{"state":"foreground"}\n{"state":"background"}\n' * 1_000)
                            talked.set()

            def goes_on():
                talked.clear()
                self.assertTrue(talked.wait(PATIENCE_SECONDS))

            talker = threading.Thread(target=talk)
            talker.start()
            try:
                with Listener(appliance, other) as listener:
                    for _ in range(3):
                        goes_on()
                        self.assertEqual(appliance.report("state")["apps"], 2)
                        push = appliance.push(UPDATE, topic=other, token=token, headers=HEADERS)
                        self.assertEqual(listener.receive()["push"], push)
                        listener.send({"completed": push, "result": "newData"})
                        goes_on()
            finally:
                ended.set()
                talker.join()

    def test_a_large_bundle_arrives_in_its_time(self):
        with Appliance() as appliance:
            appliance.run("app", "install", appliance.bundle(MANIFEST, {"map": bytes(40_000_000)}))
            self.assertEqual([app["id"] for app in appliance.report("app", "list")], [APP])
