"""Memory and database after 300 pushes of 4 KB whose texts resolve to 1 MB each, and once the list is empty."""

import asyncio
import json
import ssl
import time

import httpx

from Tests.support.appliance import APP
from Tests.support.usage import resident_megabytes

PUSHES, CONNECTIONS = 300, 4
# A key without a string in the app is shown itself.
TEXT = {"loc-key": "%1$@" * 490, "loc-args": ["x" * 2_050]}


def resident(appliance):
    return resident_megabytes(appliance.process.pid)


def stored(appliance):
    return sum(
        (appliance.state / f"deskbell.sqlite{suffix}").stat().st_size for suffix in ("", "-wal")) / 1_048_576


def settled(appliance, value, seconds=10):
    """Returns the value once it has stayed the same for a second."""
    deadline, last = time.monotonic() + seconds, None
    while time.monotonic() < deadline:
        now = round(value(appliance))
        if now == last:
            break
        last = now
        # Only time shows that it stays.
        time.sleep(1)
    return value(appliance)


async def push(appliance):
    body = json.dumps({"aps": {"alert": TEXT}}, separators=(",", ":"))
    headers = {"authorization": f"bearer {appliance.bearer()}", "apns-topic": APP}
    url = f"https://localhost:{appliance.port}/3/device/{appliance.token}"
    context = ssl.create_default_context(cafile=appliance.ca)

    async def one_connection():
        async with httpx.AsyncClient(http2=True, verify=context, timeout=30) as client:
            # A connection has one stream until its token is verified.
            first = await client.post(url, headers=headers, content=body)
            rest = (client.post(url, headers=headers, content=body) for _ in range(PUSHES // CONNECTIONS - 1))
            return [first, *await asyncio.gather(*rest)]

    answers = await asyncio.gather(*(one_connection() for _ in range(CONNECTIONS)))
    return sum(answer.status_code == 200 for some in answers for answer in some)


def measure(appliance):
    appliance.install_mailroom()
    before = resident(appliance)
    accepted = asyncio.run(push(appliance))
    figures = [
        ("pushes answered 200", str(accepted)),
        ("resident before", f"{before:.0f} MB"),
        ("resident after", f"{resident(appliance):.0f} MB"),
        ("resident after a while", f"{settled(appliance, resident):.0f} MB"),
        ("database after", f"{settled(appliance, stored):.0f} MB")]
    appliance.run("center", "--clear")
    return figures + [
        ("database once Notification Center is empty", f"{settled(appliance, stored):.0f} MB"),
        ("resident then", f"{settled(appliance, resident):.0f} MB")]
