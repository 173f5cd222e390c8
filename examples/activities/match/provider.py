"""Sends a match with its goals: provider.py KEY.p8 KEYID TEAM CA.pem

deskbell app install examples/activities/match/app; deskbell app register com.example.match
"""

import asyncio
import json
import ssl
import subprocess
import sys
import time
from pathlib import Path

from aioapns import APNs, NotificationRequest, PushType

APP = "com.example.match"
GOALS = ["0:0", "1:0", "1:1", "2:1"]


def activities():
    return json.loads(subprocess.check_output(["deskbell", "app", "activities", APP, "--json"]))


async def main(key, key_id, team, ca):
    topic = APP + ".push-type.liveactivity"
    trust = ssl.create_default_context(cafile=ca)
    apns = APNs(key=Path(key).read_text(), key_id=key_id, team_id=team, topic=topic, ssl_context=trust)
    here = {"APNS_SERVER": "localhost", "APNS_PORT": 2197}
    apns.pool.protocol_class = type("Here", (apns.pool.protocol_class,), here)

    async def send(token, event, score, body):
        aps = {"timestamp": int(time.time()), "event": event, "content-state": {"score": score}}
        aps |= {"relevance-score": 50, "alert": {"title": "Match", "body": body, "sound": "default"}}
        if event == "start":
            aps |= {"attributes-type": "Match", "attributes": {"teams": ["Home", "Away"]}}
        request = NotificationRequest(device_token=token, message={"aps": aps}, push_type=PushType.LIVEACTIVITY)
        print(event, score, (await apns.send_notification(request)).status)

    await send(activities()["startToken"], "start", GOALS[0], "Kick-off")
    token = activities()["activities"][-1]["token"]
    for score in GOALS[1:]:
        await asyncio.sleep(10)
        await send(token, "update", score, f"Goal! {score}")
    await send(token, "end", GOALS[-1], "Full time")


asyncio.run(main(*sys.argv[1:]))
