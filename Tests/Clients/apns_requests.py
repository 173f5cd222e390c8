"""Invalid pushes, one for each mistake, for every client to send."""

import json
import time
from dataclasses import dataclass, replace

from Tests.support.appliance import APP, make_key, new_id


@dataclass(frozen=True)
class Request:
    token: str
    headers: tuple
    payload: bytes = b'{"aps": {"alert": "hello"}}'
    method: str = "POST"
    path: str = "/3/device/"

    @property
    def id(self):
        return dict(self.headers).get("apns-id")

    def header(self, name, *values):
        """Returns a copy with these values for a header, or without it."""
        rest = tuple((key, value) for key, value in self.headers if key != name)
        return replace(self, headers=rest + tuple((name, value) for value in values))


def good(appliance):
    headers = (
        ("apns-id", new_id().upper()), ("authorization", f"bearer {appliance.bearer()}"), ("apns-topic", APP))
    return Request(appliance.token, headers)


def padded(size):
    """Returns a valid payload of exactly that many bytes."""
    frame = json.dumps({"aps": {"alert": "hello"}, "pad": ""})
    return json.dumps({"aps": {"alert": "hello"}, "pad": "x" * (size - len(frame))}).encode()


def mistakes(appliance):
    """Returns mistakes: a name, the request, and its answer. Each needs a connection of its own."""
    request = good(appliance)
    now = int(time.time())

    def bearer(**changes):
        return request.header("authorization", f"bearer {appliance.bearer(**changes)}")

    return [
        ("no UUID", request.header("apns-id", "42"), 400, "BadMessageId"),
        ("GET", replace(request, method="GET", payload=b""), 405, "MethodNotAllowed"),
        ("another path", replace(request, path="/3/devices/"), 404, "BadPath"),
        ("another version", replace(request, path="/4/device/"), 404, "BadPath"),
        ("no token", replace(request, token=""), 400, "MissingDeviceToken"),
        ("not hexadecimal", replace(request, token="xyz"), 400, "BadDeviceToken"),
        ("twice", request.header("apns-topic", APP, APP), 400, "DuplicateHeaders"),
        ("no credential", request.header("authorization"), 403, "MissingProviderToken"),
        ("basic", request.header("authorization", "Basic Zm9vOmJhcg=="), 403, "MissingProviderToken"),
        ("another's key", bearer(key=make_key()), 403, "InvalidProviderToken"),
        ("unknown key", bearer(kid="KEY0000000"), 403, "InvalidProviderToken"),
        ("ahead", bearer(iat=now + 400), 403, "InvalidProviderToken"),
        ("old", bearer(iat=now - 3700), 403, "ExpiredProviderToken"),
        ("no topic", request.header("apns-topic"), 400, "MissingTopic"),
        ("no such topic", request.header("apns-topic", "not a topic"), 400, "BadTopic"),
        ("another's topic", request.header("apns-topic", "com.example.other"), 400, "TopicDisallowed"),
        ("topic of another type", request.header("apns-topic", APP + ".voip").header("apns-push-type", "alert"), 400,
         "TopicDisallowed"),
        ("type", request.header("apns-push-type", "shout"), 400, "InvalidPushType"),
        ("priority", request.header("apns-priority", "7"), 400, "BadPriority"),
        ("urgent background", request.header("apns-push-type", "background").header("apns-priority", "10"), 400,
         "BadPriority"),
        ("expiration", request.header("apns-expiration", "soon"), 400, "BadExpirationDate"),
        ("collapse id", request.header("apns-collapse-id", "x" * 65), 400, "BadCollapseId"),
        ("one byte too long", replace(request, payload=padded(4097)), 413, "PayloadTooLarge"),
        ("much too long", replace(request, payload=padded(60_000)), 413, "PayloadTooLarge"),
        ("voip, one byte too long",
         replace(request.header("apns-topic", APP + ".voip").header("apns-push-type", "voip"), payload=padded(5121)), 413,
         "PayloadTooLarge"),
        ("empty", replace(request, payload=b""), 400, "PayloadEmpty"),
        ("not JSON", replace(request, payload=b"{oops"), 400, "PayloadEmpty"),
        ("trailing comma", replace(request, payload=b'{"aps": {"alert": "x",}}'), 400, "PayloadEmpty"),
        ("no JSON object", replace(request, payload=b"[1]"), 400, "PayloadEmpty"),
        ("no aps", replace(request, payload=b'{"acme": 1}'), 400, "PayloadEmpty"),
        ("nobody's token", replace(request, token="00" * 32), 400, "BadDeviceToken"),
        ("too many headers", request.header("x-padding", "x" * 9000), 431, "RequestHeaderFieldsTooLarge"),
    ]
