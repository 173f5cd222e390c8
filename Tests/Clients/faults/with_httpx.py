"""Sends two pushes, one after the other, and prints what came of each: the status, or httpx's error."""

import os
import ssl

import httpx

context = ssl.create_default_context(cafile=os.environ["BELL_CA"])
with httpx.Client(http2=True, verify=context, timeout=float(os.environ["SECONDS"])) as client:
    for _ in range(2):
        try:
            print(client.post(
                f"{os.environ['BELL_URL']}/3/device/{os.environ['BELL_TOKEN']}", content='{"aps":{"alert":"Hello"}}',
                headers={"authorization": f"bearer {os.environ['BEARER']}", "apns-topic": "com.example.mail"}
            ).status_code)
        except httpx.HTTPError as error:
            print(f"{type(error).__name__}: {error}")
