"""Apps as programs, through the network: a hook that runs for background updates, and a process that connects."""

import contextlib
import json
import socket
import threading
import unittest

from Tests.support.appliance import APP, Appliance, Mailroom, new_id
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
    def push(self, appliance, identifier):
        self.assertEqual(appliance.curl(UPDATE, headers={"apns-id": identifier, **HEADERS})[0], 200)

    def bundle(self, appliance, manifest):
        bundle = appliance.folder / "bundle"
        bundle.mkdir()
        (bundle / "app.yaml").write_text(manifest)
        return bundle

    def test_the_example_s_hook_goes_by_the_payload(self):
        with Mailroom("--clock", "virtual") as appliance:
            for letters, result in ((0, "noData"), (3, "newData")):
                identifier = new_id()
                payload = json.dumps({"aps": {"content-available": 1}, "letters": letters}, separators=(",", ":"))
                self.assertEqual(appliance.curl(payload, headers={"apns-id": identifier, **HEADERS})[0], 200)
                appliance.run("clock", "advance", "1s")
                found = [event for event in appliance.events() if event.get("push") == identifier]
                self.assertEqual((found[-1]["event"], found[-1]["result"]), ("completed", result))

    def test_a_hook_gets_the_push_and_says_what_came_of_it(self):
        with Mailroom() as appliance:
            bundle = self.bundle(appliance, MANIFEST + HOOKS)
            (bundle / "wake.sh").write_text(HOOK.format(folder=appliance.folder))
            appliance.run("app", "install", bundle)
            identifier = new_id()
            self.push(appliance, identifier)
            completed = appliance.wait_for_event("completed")
            self.assertEqual((completed["push"], completed["result"]), (identifier, "newData"))
            received = json.loads((appliance.folder / "received").read_text())
            self.assertEqual(received["push"], identifier)
            self.assertEqual(received["payload"], json.loads(UPDATE))
            self.assertEqual((received["attempt"], received["state"]), (1, "background"))

    def test_an_app_that_listens_gets_what_was_offered_before_the_daemon_was_killed(self):
        with Mailroom() as appliance:
            # Without the example's hook: an update that it does not complete waits for it.
            appliance.run("app", "install", self.bundle(appliance, MANIFEST))
            identifier = new_id()
            with Listener(appliance) as app:
                appliance.wait_for_event("lifecycle", state="background")
                self.push(appliance, identifier)
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
            appliance.run("app", "install", self.bundle(appliance, MANIFEST.replace(APP, other)))
            appliance.add_provider(APP, other)
            token = appliance.run("app", "token", other).strip()
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
                        push = new_id()
                        self.assertEqual(appliance.report("state")["apps"], 2)
                        status, *_ = appliance.curl(UPDATE, topic=other, token=token, headers={"apns-id": push, **HEADERS})
                        self.assertEqual(status, 200)
                        self.assertEqual(listener.receive()["push"], push)
                        listener.send({"completed": push, "result": "newData"})
                        goes_on()
            finally:
                ended.set()
                talker.join()

    def test_a_large_bundle_arrives_in_its_time(self):
        with Appliance() as appliance:
            bundle = self.bundle(appliance, MANIFEST)
            (bundle / "map").write_bytes(bytes(40_000_000))
            appliance.run("app", "install", bundle)
            self.assertEqual([app["id"] for app in appliance.report("app", "list")], [APP])


class Listener:
    """An app's own connection: one JSON object a line, in both directions."""

    def __init__(self, appliance, app=APP):
        self.app = app
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(PATIENCE_SECONDS)
        self.socket.connect(str(appliance.folder / "c-apps.sock"))
        self.stream = self.socket.makefile("r")

    def __enter__(self):
        self.send({"hello": {"app": self.app, "state": "background"}})
        return self

    def __exit__(self, *_):
        self.stream.close()
        self.socket.close()

    def send(self, line):
        self.socket.sendall(json.dumps(line).encode() + b"\n")

    def receive(self):
        while True:
            line = json.loads(self.stream.readline())
            if "push" in line:
                return line
