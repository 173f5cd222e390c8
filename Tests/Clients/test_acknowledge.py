"""Acknowledgements: the release binary calls a receiver that recognises identifiers, and loses none in a power cut."""

import hashlib
import hmac
import json
import threading
import unittest

from Tests.support.appliance import Appliance
from Tests.support.http_server import serving
from Tests.support.project import PATIENCE_SECONDS

PUMP = "com.example.pump"


class Receiver:
    """A receiver that counts each identifier once, and may refuse or not answer meanwhile."""

    def __init__(self):
        self.changed = threading.Condition()
        self.calls = []
        self.mode = "take"

    def take(self, handler, body):
        with self.changed:
            self.calls.append((dict(handler.headers), body))
            mode = self.mode
            self.changed.notify_all()
        if mode == "silent":
            handler.connection.recv(1)  # until the daemon is gone
            return
        handler.send_response(503 if mode == "refuse" else 204)
        handler.end_headers()

    def wait(self, count):
        """Returns the calls so far, as soon as there are `count`."""
        with self.changed:
            if not self.changed.wait_for(lambda: len(self.calls) >= count, PATIENCE_SECONDS):
                raise AssertionError(f"{len(self.calls)} calls, not {count}")
            return list(self.calls)


class AcknowledgeTests(unittest.TestCase):
    def setUp(self):
        self.receiver = Receiver()
        self.port = self.enterContext(serving(self.receiver.take))

    def install(self, appliance):
        bundle = appliance.bundle(
            f"id: {PUMP}\nname: Pump\nacknowledge: http://127.0.0.1:{self.port}/seen\n", name="pump")
        self.token = appliance.install(bundle, PUMP)
        appliance.run("settings", PUMP, "style", "alert")
        appliance.add_provider(PUMP)

    def push(self, appliance):
        return appliance.push({"aps": {"alert": "Pump", "sound": "default"}}, token=self.token, topic=PUMP)

    def ended(self, appliance, identifier):
        return appliance.wait_for_event(
            lambda event: event["event"] == "called" and event.get("push", "").lower() == identifier.lower())

    def test_signed_with_the_apps_key_and_once(self):
        with Appliance() as appliance:
            self.install(appliance)
            identifier = self.push(appliance)
            appliance.run("press", "close")
            self.assertEqual(self.ended(appliance, identifier)["status"], 204)
            (headers, body), = self.receiver.wait(1)
            said = json.loads(body)
            self.assertEqual(
                (said["event"], said["app"], said["push"].lower(), said["answer"], said["handset"]),
                ("answered", PUMP, identifier.lower(), "close", "1"))
            self.assertEqual(headers["Idempotency-Key"], said["id"])
            key = appliance.run("app", "key", PUMP).strip()
            signed = headers["Deskbell-Timestamp"].encode() + b"." + body
            expected = hmac.new(bytes.fromhex(key), signed, hashlib.sha256).hexdigest()
            self.assertEqual(headers["Deskbell-Signature"], "v1=" + expected)
            self.assertNotEqual(appliance.run("app", "key", PUMP, "--new").strip(), key)
            # The key is in no event and no log.
            self.assertNotIn(key, json.dumps(appliance.events()))
            appliance.stop()
            self.assertNotIn(key, "".join(appliance.errors))

    def test_a_power_cut_loses_none_and_makes_none_twice(self):
        """The power fails before the call, during it, and after its answer: a receiver counts each identifier once."""
        with Appliance() as appliance:
            self.install(appliance)
            pushes = []
            for mode in ("refuse", "silent", "take"):
                self.receiver.mode = mode
                before = len(self.receiver.calls)
                pushes.append(self.push(appliance))
                appliance.run("press", "close")
                if mode != "refuse":
                    self.receiver.wait(before + 1)
                appliance.kill()
                self.receiver.mode = "take"
                appliance.start()
                if mode != "take":
                    self.ended(appliance, pushes[-1])
                appliance.run("app", "background", PUMP)
            # A call left by the last cut is repeated at most once; the next answer comes after it.
            pushes.append(self.push(appliance))
            appliance.run("press", "close")
            self.ended(appliance, pushes[-1])
            taken = {}
            for _, body in self.receiver.wait(len(pushes)):
                said = json.loads(body)
                self.assertEqual(taken.setdefault(said["id"], said), said)
            self.assertEqual(
                sorted(said["push"].lower() for said in taken.values()), sorted(push.lower() for push in pushes))

    def test_a_manifest_that_names_no_receiver_is_refused(self):
        with Appliance() as appliance:
            bundle = appliance.bundle("id: com.example.bad\nname: Bad\nacknowledge: ftp://a.example/\n")
            self.assertIn(
                "app.yaml:3:14: error: 'acknowledge' cannot be called: 'ftp' is not called; write https://HOST/PATH",
                appliance.refusal("app", "install", bundle))
