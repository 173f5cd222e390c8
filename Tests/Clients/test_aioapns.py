"""A client library that we did not write, unchanged but for the server's name, port and authority."""

import asyncio
import logging
import ssl
import unittest

from aioapns import APNs, NotificationRequest

from appliance import APP, KEY_ID, TEAM, Appliance, new_id

PUSHES = 1000
# It says so, many times a second, whenever all its streams are in use.
logging.getLogger("aioapns").setLevel(logging.CRITICAL)


def client(appliance):
    apns = APNs(
        key=appliance.key, key_id=KEY_ID, team_id=TEAM, topic=APP, max_connections=4,
        ssl_context=ssl.create_default_context(cafile=str(appliance.ca)))
    server = type("Here", (apns.pool.protocol_class,), {"APNS_SERVER": "localhost", "APNS_PORT": appliance.port})
    apns.pool.protocol_class = server
    return apns


def close(apns):
    for connection in apns.pool.connections:
        connection.close()


async def send(appliance, ids):
    apns = client(appliance)

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
        with Appliance() as appliance:
            appliance.install_mailroom()
            ids = [new_id() for _ in range(PUSHES)]
            answers = asyncio.run(send(appliance, ids))
            self.assertEqual({answer.status for answer in answers}, {"200"})
            self.assertEqual([answer.notification_id for answer in answers], ids)

            appliance.kill()
            appliance.start()
            self.assertEqual(appliance.report("state")["presentation"]["badge"], PUSHES)
            self.assertEqual(appliance.report("state")["unseen"], PUSHES)
            stored = appliance.report("center", "--limit", PUSHES)
            self.assertEqual({notification["push"] for notification in stored}, set(ids))
            self.assertEqual(stored[0]["title"], f"Letter {PUSHES}")

    def test_a_wrong_token_is_told_apart_from_a_gone_one(self):
        with Appliance() as appliance:
            appliance.install_mailroom()

            async def push(token):
                apns = client(appliance)
                answer = await apns.send_notification(
                    NotificationRequest(device_token=token, message={"aps": {"alert": "hello"}}))
                close(apns)
                return answer

            wrong = asyncio.run(push("00" * 32))
            self.assertEqual((wrong.status, wrong.description), ("400", "BadDeviceToken"))
            appliance.run("app", "unregister", APP)
            gone = asyncio.run(push(appliance.token))
            self.assertEqual((gone.status, gone.description), ("410", "Unregistered"))
            self.assertGreater(int(gone.timestamp), 1_700_000_000_000)


if __name__ == "__main__":
    unittest.main()
