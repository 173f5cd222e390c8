"""Apps: programs that run for pushes, a process that connects, and their view of notifications: the one opened,
the action chosen, and those delivered."""

import contextlib
import json
import os
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
PROGRAMS = "hooks: { background: [./wake.sh] }\n"
PROGRAM = """#!/bin/sh
cat >"{folder}/received"
echo newData
"""


class AppTests(unittest.TestCase):
    def test_the_example_s_program_goes_by_the_payload(self):
        with Mailroom("--clock", "virtual") as appliance:
            for letters, result in ((0, "noData"), (3, "newData")):
                payload = json.dumps({"aps": {"content-available": 1}, "letters": letters}, separators=(",", ":"))
                identifier = appliance.push(payload, headers=HEADERS)
                appliance.run("clock", "advance", "1s")
                found = [event for event in appliance.events() if event.get("push") == identifier]
                self.assertEqual((found[-1]["event"], found[-1]["result"]), ("completed", result))

    def test_a_program_gets_the_push_and_says_what_came_of_it(self):
        with Mailroom() as appliance:
            program = PROGRAM.format(folder=appliance.folder)
            appliance.run("app", "install", appliance.bundle(MANIFEST + PROGRAMS, {"wake.sh": program}))
            identifier = appliance.push(UPDATE, headers=HEADERS)
            completed = appliance.wait_for_event("completed")
            self.assertEqual((completed["push"], completed["result"]), (identifier, "newData"))
            received = json.loads((appliance.folder / "received").read_text())
            self.assertEqual(received["push"], identifier)
            self.assertEqual(received["payload"], json.loads(UPDATE))
            self.assertEqual((received["attempt"], received["state"]), (1, "background"))

    def test_an_app_that_listens_gets_what_was_offered_before_the_daemon_was_killed(self):
        with Mailroom() as appliance:
            # Without the example's program: an update that it does not complete waits for it.
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


WITH_ACTIONS = """
id: com.example.mailroom
name: Mailroom
categories:
  - id: INVITATION
    actions:
      - { id: ACCEPT, title: Accept, foreground: true }
      - { id: REPLY, title: Reply, text-input: { button: Send } }
"""
EVERY_PROGRAM = "hooks: { launch: [./launch.sh], notification: [./every.sh] }\n"
OPEN = "com.apple.UNNotificationDefaultActionIdentifier"


class ActionTests(unittest.TestCase):
    def install(self, appliance, manifest):
        appliance.install_mailroom()
        programs = {f"{name}.sh": f'#!/bin/sh\ncat >>"{appliance.folder}/{name}"\n' for name in ("launch", "every")}
        appliance.run("app", "install", appliance.bundle(manifest, programs))

    def lines(self, appliance, name):
        return [json.loads(line) for line in (appliance.folder / name).read_text().splitlines()]

    def completed(self, appliance, identifier, times):
        def is_last(event):
            nonlocal times
            times -= event["event"] == "completed" and event.get("push") == identifier
            return times == 0
        appliance.wait_for_event(is_last)

    def test_programs_read_every_push_the_action_and_what_was_opened(self):
        with Appliance() as appliance:
            self.install(appliance, WITH_ACTIONS + EVERY_PROGRAM)
            payload = {"aps": {"alert": "Dinner?", "category": "INVITATION"}, "table": 7}
            first = appliance.push(payload)
            self.completed(appliance, first, 1)
            [notification] = appliance.report("center")
            self.assertEqual([action["id"] for action in notification["actions"]], ["ACCEPT", "REPLY"])
            number = str(notification["id"])
            appliance.run("press", "Reply", "--text", "On my way", "--notification", number)
            self.completed(appliance, first, 2)
            every, reply = self.lines(appliance, "every")
            self.assertEqual((every["push"], every["payload"]), (first, payload))
            self.assertNotIn("action", every)
            self.assertEqual((reply["push"], reply["payload"]), (first, payload))
            self.assertEqual((reply["action"], reply["text"], reply["notification"]), ("REPLY", "On my way", int(number)))
            self.assertEqual(appliance.report("center"), [])

            second = appliance.push(payload)
            # Reading waits until the program has written.
            os.mkfifo(appliance.folder / "launch")
            appliance.run("center", "--open", appliance.report("center")[0]["id"])
            [opened] = [line["opened"] for line in self.lines(appliance, "launch")]
            self.assertEqual((opened["push"], opened["action"], opened["payload"]), (second, OPEN, payload))

    def test_a_connected_app_lists_and_removes_and_leaves_the_foreground(self):
        with Appliance() as appliance:
            self.install(appliance, WITH_ACTIONS)
            app = self.enterContext(Listener(appliance))
            appliance.wait_for_event(lambda event: event.get("state") == "background")
            pushes = [appliance.push({"aps": {"alert": f"letter {number}"}}) for number in range(2)]
            app.send({"badge": 4})
            app.send({"delivered": True})
            delivered = app.line()["delivered"]
            self.assertEqual([item["push"] for item in delivered], pushes[::-1])
            self.assertEqual([item["body"] for item in delivered], ["letter 1", "letter 0"])
            app.send({"remove": [delivered[0]["notification"]]})
            app.send({"delivered": True})
            self.assertEqual([item["push"] for item in app.line()["delivered"]], pushes[:1])
            self.assertEqual(appliance.report("state")["presentation"]["badge"], 4)

            appliance.run("center", "--open", delivered[1]["notification"])
            opened = app.line()
            self.assertEqual((opened["state"], opened["opened"]["push"]), ("foreground", pushes[0]))
            app.send({"state": "foreground"})
            appliance.run("app", "background", APP)
            self.assertEqual(app.line(), {"state": "background"})
