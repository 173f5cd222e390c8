"""Calls, push-to-talk and notifications that a service extension changes, sent by independent clients, with the daemon
killed between the answer to the provider and the app's own."""

import asyncio
import json
import os
import subprocess
import unittest
from pathlib import Path
from types import SimpleNamespace

from aioapns import NotificationRequest

from Tests.Clients.test_aioapns import client, close
from Tests.support import certificates
from Tests.support.appliance import APP, Listener, Mailroom, new_id
from Tests.support.project import PATIENCE_SECONDS

HERE = Path(__file__).resolve().parent / "push_types"
MANIFEST = """
id: com.example.mailroom
name: Mailroom
background-modes: [voip, push-to-talk, widgets]
"""
CALL = {"caller": "Ada"}
SUFFIXES = {"voip": ".voip", "pushtotalk": ".voip-ptt", "location": ".location-query", "widgets": ".push-type.widgets"}
SECRET = {"aps": {"alert": {"title": "Encrypted"}, "mutable-content": 1, "sound": "default"}, "box": "b8Qz"}
# It answers once a file allows it, so that the daemon can be killed before.
EXTENSION = """#!/bin/sh
read -r line
echo "$line" >>"{folder}/asked"
echo asked >&2
while [ ! -e "{folder}/allowed" ]; do sleep 0.05; done
echo '{{"aps":{{"alert":{{"title":"Anna","body":"Lunch?"}},"badge":3}}}}'
"""


def push_type(name):
    """Returns what the library takes for a push type; its own list lacks some."""
    return SimpleNamespace(value=name)


def by_aioapns(appliance, kind, payload, identifier):
    async def send():
        apns = client(appliance, topic=APP + SUFFIXES.get(kind, ""))
        answer = await apns.send_notification(NotificationRequest(
            device_token=appliance.token, notification_id=identifier, message=payload, push_type=push_type(kind)))
        close(apns)
        return int(answer.status)
    return asyncio.run(send())


def by_node(appliance, kind, payload, identifier):
    fields = {"authorization": f"bearer {appliance.bearer()}", "apns-topic": APP + SUFFIXES.get(kind, ""),
              "apns-push-type": kind, "apns-id": identifier}
    environment = {
        **os.environ, "URL": f"https://localhost:{appliance.port}/3/device/{appliance.token}", "CA": str(appliance.ca),
        "FIELDS": json.dumps(fields), "PAYLOAD": json.dumps(payload)}
    done = subprocess.run(
        ["node", HERE / "push.mjs"], env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True,
        timeout=PATIENCE_SECONDS, check=True)
    return int(done.stdout)


CLIENTS = {"aioapns": by_aioapns, "node": by_node}


class PushTypeTests(unittest.TestCase):
    def send(self, appliance, name, kind, payload):
        identifier = new_id()
        self.assertEqual(CLIENTS[name](appliance, kind, payload, identifier), 200)
        return identifier

    def outcomes(self, appliance, identifier):
        return [event["event"] for event in appliance.events() if event.get("push") == identifier]

    def test_a_call_reaches_the_app_again_if_the_daemon_dies_before_it_is_answered(self):
        for name in CLIENTS:
            for kind in ("voip", "pushtotalk"):
                with self.subTest(client=name, kind=kind), Mailroom(wav=False) as appliance:
                    appliance.run("app", "install", appliance.bundle(MANIFEST))
                    with Listener(appliance) as app:
                        appliance.wait_for_event("lifecycle", state="background")
                        identifier = self.send(appliance, name, kind, CALL)
                        first = app.receive()
                        self.assertEqual(
                            (first["push"], first["attempt"], first["type"]), (identifier, 1, kind))
                        self.assertEqual(first["payload"], CALL)
                        appliance.kill()
                    appliance.start()
                    with Listener(appliance) as app:
                        second = app.receive()
                        self.assertEqual(
                            (second["push"], second["attempt"], second["type"]), (identifier, 2, kind))
                        app.send({"completed": identifier, "result": "newData"})
                        appliance.wait_for_event("completed", push=identifier)
                    # Nothing of it is presented.
                    self.assertEqual(self.outcomes(appliance, identifier).count("presented"), 0)
                    self.assertEqual(appliance.report("state")["unseen"], 0)

    def test_an_app_that_answers_no_call_gets_no_more_until_it_is_opened(self):
        with Mailroom("--clock", "virtual", wav=False) as appliance:
            appliance.run("app", "install", appliance.bundle(MANIFEST))
            for _ in range(3):
                with Listener(appliance) as app:
                    # An app that was stopped begins in the background again.
                    appliance.wait_for_event(
                        "lifecycle", after=appliance.last_sequence() - 1, state="background")
                    identifier = self.send(appliance, "node", "voip", CALL)
                    self.assertEqual(app.receive()["push"], identifier)
                    appliance.run("clock", "advance", "5s")
                    appliance.wait_for_event("timed-out", push=identifier)
            refused = self.send(appliance, "node", "voip", CALL)
            ended = [event for event in appliance.events() if event.get("push") == refused][-1]
            self.assertEqual((ended["event"], ended["reason"]), ("discarded", "calls-unanswered"))
            appliance.run("app", "launch", APP)
            appliance.run("app", "background", APP)
            with Listener(appliance) as app:
                identifier = self.send(appliance, "node", "voip", CALL)
                self.assertEqual(app.receive()["push"], identifier)

    def test_a_location_push_needs_a_provider_token(self):
        with Mailroom(wav=False) as appliance:
            topic = APP + SUFFIXES["location"]
            own = certificates.make(appliance.folder, "own", topic=topic)
            appliance.run("provider", "add", "own", "--certificate", own)

            async def send():
                apns = client(appliance, certificate=own)
                answer = await apns.send_notification(NotificationRequest(
                    device_token=appliance.token, message={"aps": {}}, push_type=push_type("location")))
                close(apns)
                return answer
            answer = asyncio.run(send())
            self.assertEqual((answer.status, answer.description), ("403", "MissingProviderToken"))
            self.send(appliance, "node", "location", {"aps": {}})

    def test_a_reload_is_an_event_and_reaches_the_app(self):
        with Mailroom(wav=False) as appliance:
            appliance.run("app", "install", appliance.bundle(MANIFEST))
            with Listener(appliance) as app:
                identifier = self.send(appliance, "node", "widgets", {"aps": {"content-changed": True}})
                self.assertEqual((app.receive()["type"]), "widgets")
                self.assertEqual(
                    [event["type"] for event in appliance.events() if event["event"] == "reload"], ["widgets"])
                app.send({"completed": identifier, "result": "newData"})
                appliance.wait_for_event("completed", push=identifier)


class ServiceExtensionTests(unittest.TestCase):
    def install(self, appliance):
        hooks = "hooks: { service-extension: [./extend.sh] }\n"
        program = EXTENSION.format(folder=appliance.folder)
        appliance.run("app", "install", appliance.bundle(MANIFEST + hooks, {"extend.sh": program}))

    def asked(self, appliance):
        path = appliance.folder / "asked"
        return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []

    def test_it_is_asked_again_and_presented_once_if_the_daemon_dies_before_it_answers(self):
        for name in CLIENTS:
            with self.subTest(client=name), Mailroom(wav=False) as appliance:
                self.install(appliance)
                identifier = new_id()
                self.assertEqual(CLIENTS[name](appliance, "alert", SECRET, identifier), 200)
                appliance.wait_for_event("held", push=identifier, reason="service-extension")
                appliance.wait_for_log("program: asked")
                appliance.kill()
                self.assertEqual([line["attempt"] for line in self.asked(appliance)], [1])
                (appliance.folder / "allowed").touch()
                appliance.start()
                done = appliance.wait_for_event("extended", push=identifier)
                self.assertEqual(done["result"], "changed")
                appliance.wait_for_event("presented", push=identifier)
                self.assertEqual([line["attempt"] for line in self.asked(appliance)], [1, 2])
                self.assertEqual(self.asked(appliance)[1]["payload"], SECRET)
                (listed,) = appliance.report("center")
                self.assertEqual((listed["push"], listed["title"], listed["body"]), (identifier, "Anna", "Lunch?"))
                self.assertEqual(appliance.report("state")["presentation"]["badge"], 3)
                # The provider sends it again: it is the same push.
                self.assertEqual(CLIENTS[name](appliance, "alert", SECRET, identifier), 200)
                appliance.wait_for_event("duplicate", push=identifier)
                self.assertEqual(len(appliance.report("center")), 1)

    def test_killed_twice_it_is_presented_as_it_was_sent(self):
        with Mailroom(wav=False) as appliance:
            self.install(appliance)
            identifier = new_id()
            self.assertEqual(by_node(appliance, "alert", SECRET, identifier), 200)
            appliance.wait_for_event("held", push=identifier, reason="service-extension")
            appliance.cut_power()
            # It is given to the extension again at the start.
            appliance.cut_power()
            done = appliance.wait_for_event("extended", push=identifier)
            self.assertEqual(done["result"], "failed")
            (listed,) = appliance.report("center")
            self.assertEqual((listed["push"], listed["title"]), (identifier, "Encrypted"))

    def test_a_program_that_fails_changes_nothing(self):
        with Mailroom(wav=False) as appliance:
            hooks = "hooks: { service-extension: [/bin/false] }\n"
            appliance.run("app", "install", appliance.bundle(MANIFEST + hooks))
            identifier = appliance.push(SECRET)
            done = appliance.wait_for_event("extended", push=identifier)
            self.assertEqual((done["result"], done["detail"]), ("failed", "ended with exit status 1"))
            appliance.wait_for_event("presented", push=identifier)
            self.assertEqual(appliance.report("center")[0]["title"], "Encrypted")
