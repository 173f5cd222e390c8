"""Acknowledgements: the release binary calls a receiver that recognises identifiers, and loses none in a power cut."""

import hashlib
import hmac
import json
import threading
import unittest
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from Tests.support.appliance import Appliance, new_id
from Tests.support.project import PATIENCE_SECONDS

PUMP = "com.example.pump"


class Receiver:
    """A receiver that counts each identifier once, and may refuse or not answer meanwhile."""

    def __init__(self, port=0):
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                receiver.take(self, dict(self.headers), body)

            def log_message(self, *_):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", port), Handler)
        self.server.daemon_threads = True
        self.port = self.server.server_port
        self.changed = threading.Condition()
        self.calls = []
        self.mode = "take"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def take(self, handler, headers, body):
        with self.changed:
            self.calls.append((headers, body))
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

    def close(self):
        self.server.shutdown()
        self.server.server_close()


class AcknowledgeTests(unittest.TestCase):
    def setUp(self):
        self.receiver = Receiver()
        self.addCleanup(self.receiver.close)

    def install(self, appliance):
        folder = appliance.folder / "pump"
        folder.mkdir()
        (folder / "app.yaml").write_text(
            f"id: {PUMP}\nname: Pump\nacknowledge: http://127.0.0.1:{self.receiver.port}/seen\n")
        appliance.run("app", "install", folder)
        appliance.run("app", "register", PUMP)
        appliance.run("settings", PUMP, "style", "alert")
        appliance.add_provider(PUMP)
        self.token = appliance.run("app", "token", PUMP).strip()

    def push(self, appliance):
        identifier = new_id()
        status, body, _ = appliance.curl(
            json.dumps({"aps": {"alert": "Pump", "sound": "default"}}), token=self.token, topic=PUMP,
            headers={"apns-id": identifier})
        self.assertEqual(status, 200, body)
        return identifier

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
            folder = appliance.folder / "bad"
            folder.mkdir()
            (folder / "app.yaml").write_text("id: com.example.bad\nname: Bad\nacknowledge: ftp://a.example/\n")
            refused = appliance.command("app", "install", folder, check=False)
            self.assertNotEqual(refused.returncode, 0)
            self.assertIn(
                "app.yaml:3:14: error: 'acknowledge' cannot be called: 'ftp' is not called; write https://HOST/PATH",
                refused.stderr)
