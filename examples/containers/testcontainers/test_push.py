"""A provider of a few lines, and a test of it."""
import ssl
from pathlib import Path

import httpx
import jwt


def send(bell, text):
    """Stands for your provider: only address, authority and key are the bench's."""
    claims = {"iss": bell.team_id, "iat": int(bell.clock())}
    bearer = jwt.encode(claims, Path(bell.key).read_text(), "ES256", {"kid": bell.key_id})
    with httpx.Client(http2=True, verify=ssl.create_default_context(cafile=bell.ca)) as client:
        client.post(f"{bell.url}/3/device/{bell.token('com.example.mail')}",
                    json={"aps": {"alert": text, "badge": 1, "sound": "default"}},
                    headers={"authorization": f"bearer {bearer}", "apns-topic": "com.example.mail",
                             "apns-push-type": "alert", "apns-priority": "10"})


def test_a_push_rings(bell):
    send(bell, "A parcel")
    [push] = bell.settled()
    assert push.rang, push.why
    assert bell.board.digits == "   1"
