"""Sends two pushes, one after the other, and prints what came of each: the status, or aioapns' error, or that it says nothing."""

import asyncio
import logging
import os
import ssl
from pathlib import Path
from urllib.parse import urlsplit

from aioapns import APNs, NotificationRequest


async def main():
    logging.disable()
    url = urlsplit(os.environ["BELL_URL"])
    apns = APNs(key=Path(os.environ["BELL_KEY"]).read_text(), key_id=os.environ["BELL_KEY_ID"],
                team_id=os.environ["BELL_TEAM_ID"], topic="com.example.mail", max_connection_attempts=1,
                ssl_context=ssl.create_default_context(cafile=os.environ["BELL_CA"]))
    apns.pool.protocol_class = type(
        "Bell", (apns.pool.protocol_class,), {"APNS_SERVER": url.hostname, "APNS_PORT": url.port})
    for _ in range(2):
        push = NotificationRequest(device_token=os.environ["BELL_TOKEN"], message={"aps": {"alert": "Hello"}})
        try:
            result = await asyncio.wait_for(apns.send_notification(push), float(os.environ["SECONDS"]))
            print(" ".join(filter(None, [result.status, result.description])))
        except TimeoutError:
            print("no answer")
        except Exception as error:
            print(f"{type(error).__name__}: {error}")
    apns.pool.close()


asyncio.run(main())
