"""The app's view of its notifications: the one opened, the action chosen, and those delivered."""

import json
import os
import unittest

from Tests.support.appliance import APP, Appliance, Listener

MANIFEST = """
id: com.example.mailroom
name: Mailroom
categories:
  - id: INVITATION
    actions:
      - { id: ACCEPT, title: Accept, foreground: true }
      - { id: REPLY, title: Reply, text-input: { button: Send } }
"""
HOOKS = "hooks: { launch: [./launch.sh], notification: [./every.sh] }\n"
OPEN = "com.apple.UNNotificationDefaultActionIdentifier"


class ActionTests(unittest.TestCase):
    def install(self, appliance, manifest):
        appliance.install_mailroom()
        hooks = {f"{name}.sh": f'#!/bin/sh\ncat >>"{appliance.folder}/{name}"\n' for name in ("launch", "every")}
        appliance.run("app", "install", appliance.bundle(manifest, hooks))

    def lines(self, appliance, name):
        return [json.loads(line) for line in (appliance.folder / name).read_text().splitlines()]

    def completed(self, appliance, identifier, times):
        def is_last(event):
            nonlocal times
            times -= event["event"] == "completed" and event.get("push") == identifier
            return times == 0
        appliance.wait_for_event(is_last)

    def test_hooks_read_every_push_the_action_and_what_was_opened(self):
        with Appliance() as appliance:
            self.install(appliance, MANIFEST + HOOKS)
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
            # Reading waits until the hook has written.
            os.mkfifo(appliance.folder / "launch")
            appliance.run("center", "--open", appliance.report("center")[0]["id"])
            [opened] = [line["opened"] for line in self.lines(appliance, "launch")]
            self.assertEqual((opened["push"], opened["action"], opened["payload"]), (second, OPEN, payload))

    def test_a_connected_app_lists_and_removes_and_leaves_the_foreground(self):
        with Appliance() as appliance:
            self.install(appliance, MANIFEST)
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
