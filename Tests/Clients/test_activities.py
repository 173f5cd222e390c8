"""Live Activities, from two client libraries: a kill -9 between their pushes loses nothing."""

import asyncio
import json
import os
import shutil
import subprocess
import time
import unittest

from aioapns import APNs, NotificationRequest, PushType

from Tests.support.appliance import KEY_ID, TEAM, Appliance
from Tests.support.http2_wire import client_context
from Tests.support.project import PATIENCE_SECONDS, ROOT

MATCH = "com.example.match"
TOPIC = MATCH + ".push-type.liveactivity"


class Match(Appliance):
    """A daemon with the example of a match."""

    def prepare(self):
        self.token = self.install(ROOT / "examples/activities/match/app", MATCH)
        self.add_provider(MATCH)

    def activities(self):
        return self.report("app", "activities", MATCH)

    def start_token(self):
        """The token that starts activities, which the daemon makes just after the registration."""
        deadline = time.monotonic() + PATIENCE_SECONDS
        while time.monotonic() < deadline:
            if token := self.activities().get("startToken"):
                return token
        raise AssertionError("there is no token to start an activity")

    def activity_token(self, number):
        deadline = time.monotonic() + PATIENCE_SECONDS
        while time.monotonic() < deadline:
            for activity in self.activities()["activities"]:
                if activity["id"] == number and activity.get("token"):
                    return activity["token"]
        raise AssertionError(f"activity {number} has no token")


def aps(event, score, timestamp, **more):
    start = {"attributes-type": "Match", "attributes": {}, "alert": {"title": "Match", "body": score}}
    return {"event": event, "timestamp": timestamp, "content-state": {"score": score},
            **(start if event == "start" else {}), **more}


def send_with_python(appliance, pushes):
    """Sends the pushes, each a token and its `aps`; returns their statuses and reasons."""

    async def send():
        apns = APNs(key=appliance.key, key_id=KEY_ID, team_id=TEAM, topic=TOPIC,
                    ssl_context=client_context(appliance.ca))
        here = {"APNS_SERVER": "localhost", "APNS_PORT": appliance.port}
        apns.pool.protocol_class = type("Here", (apns.pool.protocol_class,), here)
        answers = []
        for token, parts in pushes:
            request = NotificationRequest(
                device_token=token, message={"aps": parts}, push_type=PushType.LIVEACTIVITY)
            answer = await apns.send_notification(request)
            answers.append((int(answer.status), answer.description))
        for connection in apns.pool.connections:
            connection.close()
        return answers

    return asyncio.run(send())


def send_with_node(appliance, pushes):
    lines = "".join(json.dumps({"token": token, "topic": TOPIC, "aps": parts}) + "\n" for token, parts in pushes)
    done = subprocess.run(
        ["node", ROOT / "Tests/Clients/activities.mjs"], input=lines, capture_output=True, text=True, check=True,
        timeout=PATIENCE_SECONDS,
        env={**os.environ, "BELL_URL": f"https://localhost:{appliance.port}", "BELL_CA": str(appliance.ca),
             "BEARER": appliance.bearer()})
    return [(answer["status"], answer["reason"]) for answer in map(json.loads, done.stdout.splitlines())]


class ActivityTests(unittest.TestCase):
    def test_a_match_from_kick_off_to_full_time(self):
        senders = {"aioapns": send_with_python}
        if shutil.which("node"):
            senders["Node's http2"] = send_with_node
        for name, send in senders.items():
            with self.subTest(name), Match(settings="display: max7219\n") as appliance:
                now = int(time.time())
                start = appliance.start_token()
                self.assertEqual(send(appliance, [(start, aps("start", "0:0", now))]), [(200, None)])
                activity = appliance.activities()["activities"][0]
                self.assertEqual((activity["state"], activity["content"]), ("active", {"score": "0:0"}))
                token = appliance.activity_token(activity["id"])
                self.assertNotIn(token, (start, appliance.token))
                appliance.cut_power()
                self.assertEqual((appliance.start_token(), appliance.activity_token(activity["id"])), (start, token))
                answers = send(appliance, [
                    (token, aps("update", "1:0", now + 2)), (token, aps("update", "0:1", now + 1)),
                    (appliance.token, aps("update", "9:9", now + 3)), (start, aps("update", "9:9", now + 3))])
                wrong = (400, "DeviceTokenNotForTopic")
                self.assertEqual(answers, [(200, None), (200, None), wrong, wrong])
                appliance.cut_power()
                state = appliance.report("state")
                self.assertEqual(state["activities"][0]["content"], {"score": "1:0"})
                self.assertEqual(state["presentation"]["digits"].strip(), "1.0")
                end = aps("end", "2:0", now + 4, **{"dismissal-date": now - 1})
                self.assertEqual(send(appliance, [(token, end)]), [(200, None)])
                self.assertEqual(appliance.report("activity", "list"), [])
                gone = send(appliance, [(token, aps("update", "3:0", now + 5))])
                self.assertEqual(gone, [(410, "Unregistered")])


if __name__ == "__main__":
    unittest.main()
