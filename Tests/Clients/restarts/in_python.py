"""Pushes with httpx, aioapns, kalyke or PyAPNs2, as README.md describes: in_python.py LIBRARY."""

import asyncio
import os
import ssl
import sys
import time
from pathlib import Path

# A library that finds no daemon tries again after a pause: the daemon is being restarted by another process.
COUNT, AT_ONCE, PAUSE_SECONDS, ATTEMPTS = int(os.environ["COUNT"]), 10, 0.05, 400
TOPIC, DEVICE, HOST, PORT = (os.environ[name] for name in ("TOPIC", "DEVICE", "HOST", "PORT"))
KEY, KEY_ID, TEAM, CA = (os.environ[name] for name in ("KEY", "KEY_ID", "TEAM", "CA"))


def say(number, text):
    print(number, str(text).replace("\n", " "), flush=True)


async def push_all(push):
    gate = asyncio.Semaphore(AT_ONCE)

    async def one(number):
        async with gate:
            for _ in range(ATTEMPTS):
                try:
                    return say(number, await push(number))
                except Exception as error:
                    say(number, f"failed: {error!r}")
                    await asyncio.sleep(PAUSE_SECONDS)

    await asyncio.gather(*map(one, range(COUNT)))


async def with_httpx():
    import httpx

    fields = {"authorization": f"bearer {os.environ['BEARER']}", "apns-topic": TOPIC}
    async with httpx.AsyncClient(http1=False, http2=True, verify=ssl.create_default_context(cafile=CA)) as client:
        async def push(number):
            answer = await client.post(os.environ["URL"], headers=fields, json={"aps": {"alert": str(number)}})
            return answer.status_code

        await push_all(push)


async def with_aioapns():
    from aioapns import APNs, NotificationRequest

    apns = APNs(
        key=Path(KEY).read_text(), key_id=KEY_ID, team_id=TEAM, topic=TOPIC, max_connections=2, max_connection_attempts=1,
        ssl_context=ssl.create_default_context(cafile=CA))
    apns.pool.protocol_class = type(
        "Here", (apns.pool.protocol_class,), {"APNS_SERVER": HOST, "APNS_PORT": int(PORT)})

    async def push(number):
        answer = await apns.send_notification(
            NotificationRequest(device_token=DEVICE, message={"aps": {"alert": str(number)}}))
        if not answer.is_successful:
            raise RuntimeError(answer.description)
        return answer.status

    await push_all(push)


async def with_kalyke():
    from kalyke import ApnsClient, ApnsConfig, Payload

    os.environ["SSL_CERT_FILE"] = CA
    client = type("Here", (ApnsClient,), {"_base_url": f"https://{HOST}:{PORT}"})(
        use_sandbox=False, team_id=TEAM, auth_key_id=KEY_ID, auth_key_filepath=Path(KEY))

    async def push(number):
        await client.send_message(DEVICE, Payload(alert=str(number)), ApnsConfig(topic=TOPIC))
        return 200

    await push_all(push)


def with_pyapns2():
    import collections
    import collections.abc

    # Python moved these; the library's own, hyper, still uses their old place.
    for name in ("Mapping", "MutableMapping", "MutableSet", "Iterable"):
        setattr(collections, name, getattr(collections.abc, name))
    from apns2.client import APNsClient
    from apns2.credentials import TokenCredentials
    from apns2.payload import Payload
    from hyper import HTTP20Connection

    context = ssl.create_default_context(cafile=CA)
    context.set_alpn_protocols(["h2"])
    credentials = TokenCredentials(auth_key_path=KEY, auth_key_id=KEY_ID, team_id=TEAM)
    credentials.create_connection = lambda *_: HTTP20Connection(HOST, int(PORT), ssl_context=context, secure=True)
    client = APNsClient(credentials)
    for number in range(COUNT):
        for _ in range(ATTEMPTS):
            try:
                client.send_notification(DEVICE, Payload(alert=str(number)), TOPIC)
                say(number, 200)
                break
            except Exception as error:
                say(number, f"failed: {error!r}")
                time.sleep(PAUSE_SECONDS)
                client = APNsClient(credentials)


LIBRARIES = {"httpx": with_httpx, "aioapns": with_aioapns, "kalyke": with_kalyke, "pyapns2": with_pyapns2}
begun = LIBRARIES[sys.argv[1]]()
if begun is not None:
    asyncio.run(begun)
