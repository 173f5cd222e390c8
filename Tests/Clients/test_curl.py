"""Invalid pushes, one for each mistake: their answers and events, and that nothing else changed."""

import json
import time
import unittest

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec

from Tests.support.appliance import Appliance, new_id

GOOD = json.dumps({"aps": {"alert": "hello", "badge": 3, "sound": "default"}})


def padded(size):
    """Returns a valid payload of exactly that many bytes."""
    empty = json.dumps({"aps": {"alert": "hello"}, "pad": ""})
    return json.dumps({"aps": {"alert": "hello"}, "pad": "x" * (size - len(empty))})


def other_key():
    return ec.generate_private_key(ec.SECP256R1()).private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()).decode()


class CurlTests(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.appliance = Appliance()
        cls.addClassCleanup(cls.appliance.folder_handle.cleanup)
        cls.addClassCleanup(cls.appliance.stop)
        cls.appliance.start()
        cls.appliance.install_mailroom()

    def test_a_good_push_rings(self):
        before = self.last_sequence()
        identifier = new_id().upper()
        status, body, headers = self.appliance.curl(GOOD, headers={"apns-id": identifier})
        self.assertEqual((status, body, headers["apns-id"]), (200, None, identifier))
        played = self.appliance.wait_for_event("sound-started", before)
        self.assertEqual((played["name"], played["push"]), ("default", identifier))
        self.assertEqual(self.appliance.report("state")["presentation"]["badge"], 3)
        self.appliance.run("center", "--clear")

    def test_what_is_wrong_is_said_and_changes_nothing(self):
        appliance = self.appliance
        cases = [
            ("not JSON", dict(payload="{oops"), 400, "PayloadEmpty"),
            ("no JSON object", dict(payload="[1]"), 400, "PayloadEmpty"),
            ("no aps", dict(payload='{"acme": 1}'), 400, "PayloadEmpty"),
            ("empty", dict(payload=""), 400, "PayloadEmpty"),
            ("one byte too long", dict(payload=padded(4097)), 413, "PayloadTooLarge"),
            ("unknown token", dict(payload=GOOD, token="00" * 32), 400, "BadDeviceToken"),
            ("no token at all", dict(payload=GOOD, token="xyz"), 400, "BadDeviceToken"),
            ("no topic", dict(payload=GOOD, topic=None), 400, "MissingTopic"),
            ("another's topic", dict(payload=GOOD, topic="com.example.other"), 400, "TopicDisallowed"),
            ("wrong key", dict(payload=GOOD, bearer=appliance.bearer(key=other_key())), 403, "InvalidProviderToken"),
            ("expired", dict(payload=GOOD, bearer=appliance.bearer(iat=int(time.time()) - 3700)), 403,
             "ExpiredProviderToken"),
            ("bad priority", dict(payload=GOOD, headers={"apns-priority": "7"}), 400, "BadPriority"),
            ("bad type", dict(payload=GOOD, headers={"apns-push-type": "shout"}), 400, "InvalidPushType"),
            ("bad expiration", dict(payload=GOOD, headers={"apns-expiration": "soon"}), 400, "BadExpirationDate"),
            ("bad collapse id", dict(payload=GOOD, headers={"apns-collapse-id": "x" * 65}), 400, "BadCollapseId"),
        ]
        for name, request, status, reason in cases:
            with self.subTest(name):
                before, sequence, identifier = appliance.report("app", "list"), self.last_sequence(), new_id()
                seen = appliance.report("center")
                headers = {"apns-id": identifier, **request.pop("headers", {})}
                answer = appliance.curl(headers=headers, **request)
                self.assertEqual((answer[0], answer[1]), (status, {"reason": reason}))
                self.assertEqual(answer[2]["apns-id"], identifier)
                event = appliance.wait_for_event(lambda event: event.get("push") == identifier, sequence)
                self.assertEqual((event["event"], event["reason"]), ("refused", reason))
                self.assertEqual(appliance.report("app", "list"), before)
                self.assertEqual(appliance.report("center"), seen)

    def test_a_bad_badge_leaves_the_rest_of_the_push(self):
        for badge in ["-1", "1.5", '"3"', "true"]:
            with self.subTest(badge):
                sequence, identifier = self.last_sequence(), new_id()
                payload = '{"aps": {"alert": "hello", "badge": %s}}' % badge
                answer = self.appliance.curl(payload, headers={"apns-id": identifier})
                self.assertEqual(answer[:2], (200, None))
                events = [e for e in self.appliance.events(sequence) if e.get("push") == identifier]
                self.assertEqual([e["event"] for e in events], ["accepted", "bad-badge", "presented"])
                self.assertEqual(self.appliance.report("app", "list")[0]["badge"], self.badge_before)

    def test_a_payload_of_the_greatest_size_is_taken(self):
        self.assertEqual(self.appliance.curl(padded(4096))[:2], (200, None))

    def setUp(self):
        self.badge_before = self.appliance.report("app", "list")[0]["badge"]

    def last_sequence(self):
        events = self.appliance.events()
        return events[-1]["sequence"] if events else 0
