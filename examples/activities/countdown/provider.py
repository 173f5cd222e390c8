"""Starts a tea timer by push and ends it: provider.py KEY.p8 KEYID TEAM CA.pem [SECONDS]

deskbell app install examples/activities/countdown/app; deskbell app register com.example.tea
"""

import asyncio
import json
import ssl
import subprocess
import sys
import time
from pathlib import Path

from aioapns import APNs, NotificationRequest, PushType

APP = "com.example.tea"


def activities():
    return json.loads(subprocess.check_output(["deskbell", "app", "activities", APP, "--json"]))


async def main(key, key_id, team, ca, seconds="180"):
    topic = APP + ".push-type.liveactivity"
    trust = ssl.create_default_context(cafile=ca)
    apns = APNs(key=Path(key).read_text(), key_id=key_id, team_id=team, topic=topic, ssl_context=trust)
    here = {"APNS_SERVER": "localhost", "APNS_PORT": 2197}
    apns.pool.protocol_class = type("Here", (apns.pool.protocol_class,), here)

    async def send(token, event, more):
        aps = {"timestamp": int(time.time()), "event": event, "content-state": {"ready": ready}, **more}
        request = NotificationRequest(device_token=token, message={"aps": aps}, push_type=PushType.LIVEACTIVITY)
        print(event, (await apns.send_notification(request)).status)

    ready = int(time.time()) + int(seconds)
    tea = {"attributes-type": "Tea", "attributes": {"kind": "green"}, "alert": {"title": "Tea", "body": "It draws."}}
    await send(activities()["startToken"], "start", tea)
    await asyncio.sleep(ready - time.time())
    done = {"alert": {"title": "Tea", "body": "It is ready.", "sound": "default"}, "dismissal-date": int(time.time())}
    await send(activities()["activities"][-1]["token"], "end", done)


asyncio.run(main(*sys.argv[1:]))
