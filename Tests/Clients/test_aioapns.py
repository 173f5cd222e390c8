"""An independent client library, unchanged except for the server's name, port and authority."""

import asyncio
import logging
import unittest

from aioapns import APNs, NotificationRequest, PushType

from Tests.support import certificates
from Tests.support.appliance import APP, KEY_ID, TEAM, Mailroom, make_key, new_id
from Tests.support.http2_wire import client_context

PUSHES = 1000
# It logs this many times a second while all its streams are in use.
logging.getLogger("aioapns").setLevel(logging.CRITICAL)


def client(appliance, certificate=None, key=None, topic=APP):
    trust = client_context(appliance.ca)
    if certificate:
        # The topic is that of the certificate.
        apns = APNs(client_cert=str(certificate), max_connections=4, ssl_context=trust)
    else:
        apns = APNs(
            key=key or appliance.key, key_id=KEY_ID, team_id=TEAM, topic=topic, max_connections=4, ssl_context=trust)
    server = type("Here", (apns.pool.protocol_class,), {"APNS_SERVER": "localhost", "APNS_PORT": appliance.port})
    apns.pool.protocol_class = server
    return apns


def close(apns):
    for connection in apns.pool.connections:
        connection.close()


async def send(appliance, ids, certificate=None):
    apns = client(appliance, certificate)

    def request(number, identifier):
        alert = {"title": f"Letter {number}", "body": "It lies in the mailbox."}
        return NotificationRequest(
            device_token=appliance.token, notification_id=identifier,
            message={"aps": {"alert": alert, "badge": number, "sound": "letter"}})

    async def one(number, identifier):
        return await apns.send_notification(request(number, identifier))

    # The last badge is sent last: the others may overtake each other, as on any network.
    answers = await asyncio.gather(*(one(number, ids[number - 1]) for number in range(1, len(ids))))
    answers.append(await one(len(ids), ids[-1]))
    close(apns)
    return answers


class AIOAPNsTests(unittest.TestCase):
    def test_a_thousand_pushes_are_answered_and_survive_a_kill(self):
        with Mailroom() as appliance:
            ids = [new_id() for _ in range(PUSHES)]
            answers = asyncio.run(send(appliance, ids))
            self.assertEqual({answer.status for answer in answers}, {"200"})
            self.assertEqual([answer.notification_id for answer in answers], ids)

            appliance.cut_power()
            self.assertEqual(appliance.report("state")["presentation"]["badge"], PUSHES)
            self.assertEqual(appliance.report("state")["unseen"], PUSHES)
            stored = appliance.report("center", "--limit", PUSHES)
            self.assertEqual({notification["push"] for notification in stored}, set(ids))
            self.assertEqual(stored[0]["title"], f"Letter {PUSHES}")

    def test_a_certificate_is_as_good_as_a_key(self):
        with Mailroom() as appliance:
            own = certificates.make(appliance.folder, "own", topic=APP)
            stranger = certificates.make(appliance.folder, "stranger", topic=APP)
            appliance.run("provider", "add", "own", "--certificate", own)
            answer = self.push(appliance, certificate=own)
            self.assertEqual(answer.status, "200")
            many = asyncio.run(send(appliance, [new_id() for _ in range(100)], certificate=own))
            self.assertEqual({answer.status for answer in many}, {"200"})
            answer = self.push(appliance, certificate=stranger)
            self.assertEqual((answer.status, answer.description), ("403", "BadCertificate"))

    def test_every_answer_that_it_can_meet(self):
        with Mailroom() as appliance:
            hello = {"aps": {"alert": "hello"}}
            cases = [
                (dict(notification_id="42"), "400", "BadMessageId"),
                (dict(device_token=""), "400", "MissingDeviceToken"),
                (dict(device_token="xyz"), "400", "BadDeviceToken"),
                (dict(device_token="00" * 32), "400", "BadDeviceToken"),
                (dict(apns_topic="not a topic"), "400", "BadTopic"),
                (dict(apns_topic="com.example.other"), "400", "TopicDisallowed"),
                (dict(priority=7), "400", "BadPriority"),
                (dict(priority=10, push_type=PushType.BACKGROUND), "400", "BadPriority"),
                (dict(time_to_live=-2**40), "400", "BadExpirationDate"),
                (dict(collapse_key="x" * 65), "400", "BadCollapseId"),
                (dict(message={**hello, "pad": "x" * 4096}), "413", "PayloadTooLarge"),
                (dict(message={"acme": 1}), "400", "PayloadEmpty"),
                (dict(apns_topic=APP + ".voip", push_type=PushType.VOIP, message={**hello, "pad": "x" * 5000}), "200", None),
            ]
            for changes, status, reason in cases:
                with self.subTest(str(changes)[:60]):
                    answer = self.push(appliance, **changes)
                    self.assertEqual((answer.status, answer.description), (status, reason))
            answer = self.push(appliance, key=make_key())
            self.assertEqual((answer.status, answer.description), ("403", "InvalidProviderToken"))

    def push(self, appliance, certificate=None, key=None, **changes):
        async def one():
            apns = client(appliance, certificate, key)
            request = {"device_token": appliance.token, "message": {"aps": {"alert": "hello"}}, **changes}
            answer = await apns.send_notification(NotificationRequest(**request))
            close(apns)
            return answer

        return asyncio.run(one())

    def test_a_wrong_token_is_told_apart_from_a_gone_one(self):
        with Mailroom() as appliance:
            wrong = self.push(appliance, device_token="00" * 32)
            self.assertEqual((wrong.status, wrong.description), ("400", "BadDeviceToken"))
            appliance.run("app", "unregister", APP)
            gone = self.push(appliance)
            self.assertEqual((gone.status, gone.description), ("410", "Unregistered"))
            self.assertGreater(int(gone.timestamp), 1_700_000_000_000)
