"""The requests of client libraries, as in their sources: one entry each, with all their differences.

`seen_in` names the source: a released package, or a commit of the library's repository.
"""

import base64
import json
import time
from dataclasses import dataclass

from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature

from Tests.support.http2_client import Post

ENABLE_PUSH, INITIAL_WINDOW_SIZE, MAX_HEADER_LIST_SIZE = 2, 4, 6
RAW, DER, OF_P521 = "64 bytes", "DER", "132 bytes"


@dataclass(frozen=True)
class Library:
    name: str
    seen_in: str
    # Header fields in their order; names in braces are replaced.
    fields: tuple
    # The header and claims of its provider token, and the form of its signature.
    header: tuple = (("alg", "ES256"), ("kid", "{kid}"))
    claims: tuple = (("iss", "{team}"), ("iat", int))
    signature: str = RAW
    # The deviations from the documentation: the paths of events `ignored`.
    lint: tuple = ()
    # The separators of its JSON.
    separators: tuple = (",", ":")
    # The number of requests it has in progress at a time.
    streams: int = 1_000_000
    settings: tuple = ()
    window: int = 0
    empty_end: bool = False

    @property
    def has_id(self):
        """Returns true if a push has an identifier of the client's, with which it can be sent again."""
        return any(name == "apns-id" for name, _ in self.fields)

    def token(self, key_pem, team, kid, now=None):
        """Returns a provider token as the library makes it."""
        now = time.time() if now is None else now

        def part(pairs):
            values = {"{kid}": kid, "{team}": team}
            filled = {
                name: values.get(value, value) if isinstance(value, str) else value(now) for name, value in pairs}
            text = json.dumps(filled, separators=self.separators).encode()
            return base64.urlsafe_b64encode(text).rstrip(b"=")

        signed = part(self.header) + b"." + part(self.claims)
        key = serialization.load_pem_private_key(key_pem.encode(), None)
        digest = hashes.SHA512() if dict(self.header)["alg"] == "ES512" else hashes.SHA256()
        signature = key.sign(signed, ec.ECDSA(digest))
        if self.signature != DER:
            size = 32 if self.signature == RAW else 66
            signature = b"".join(number.to_bytes(size, "big") for number in decode_dss_signature(signature))
        return (signed + b"." + base64.urlsafe_b64encode(signature).rstrip(b"=")).decode()

    def post(self, payload, *, port, device, topic, identifier, token=None, expiration=0):
        """Returns a push; without a token, for a connection that has a certificate."""
        body = json.dumps(payload, separators=self.separators).encode()
        values = {
            "authority": f"localhost:{port}", "host": "localhost", "path": f"/3/device/{device}", "topic": topic,
            "id": identifier, "expiration": str(expiration), "length": str(len(body)), "token": token,
        }
        fields = tuple(
            (name, value.format(**values)) for name, value in self.fields if token or name != "authorization")
        return Post(fields, body, identifier)


def as_text(now):
    return str(int(now))


LIBRARIES = [
    Library(
        # Java, over Netty. `apns-expiration` is always sent; the host is without its port.
        name="Pushy", seen_in="jchambers/pushy 40cd12e, ae90b03",
        fields=(
            (":method", "POST"), (":authority", "{host}"), (":path", "{path}"), (":scheme", "https"),
            ("apns-expiration", "{expiration}"), ("apns-priority", "10"), ("apns-push-type", "alert"),
            ("apns-topic", "{topic}"), ("apns-id", "{id}"), ("authorization", "bearer {token}")),
        header=(("alg", "ES256"), ("typ", "JWT"), ("kid", "{kid}")), signature=DER, lint=("the signature is DER",)),
    Library(
        # Ruby, over net-http2, which sends `host` and no `:authority`, and by default one request at a time.
        name="apnotic", seen_in="ostinelli/apnotic d5481ec, 19db3d9; ostinelli/net-http2 e2eb3d5",
        fields=(
            (":scheme", "https"), (":method", "POST"), (":path", "{path}"), ("apns-id", "{id}"),
            ("apns-push-type", "alert"), ("apns-topic", "{topic}"), ("authorization", "bearer {token}"),
            ("host", "{host}"), ("content-length", "{length}")),
        signature=DER, lint=("the signature is DER",), streams=1),
    Library(
        # PHP, over libcurl. Its tokens are ES512, with SHA-512, of a P-256 key.
        name="pushok", seen_in="edamov/pushok 2a35e5d, 9404502, b242454; web-token's ES512",
        fields=(
            (":method", "POST"), (":scheme", "https"), (":authority", "{authority}"), (":path", "{path}"),
            ("accept", "*/*"), ("apns-id", "{id}"), ("apns-push-type", "alert"), ("apns-topic", "{topic}"),
            ("authorization", "bearer {token}"), ("content-length", "{length}"),
            ("content-type", "application/x-www-form-urlencoded")),
        header=(("alg", "ES512"), ("kid", "{kid}")), signature=OF_P521,
        lint=("alg is ES512", "the signature is two numbers of 66 bytes"), streams=10),
    Library(
        # Python, over hyper. No `apns-id`: an unanswered push cannot be sent again.
        name="PyAPNs2", seen_in="apns2 0.7.2 and hyper 0.7.0 of PyPI",
        fields=(
            (":method", "POST"), (":scheme", "https"), (":authority", "{host}"), (":path", "{path}"),
            ("apns-topic", "{topic}"), ("apns-push-type", "alert"), ("authorization", "bearer {token}")),
        header=(("typ", "JWT"), ("alg", "ES256"), ("kid", "{kid}")), claims=(("iss", "{team}"), ("iat", float)),
        lint=("iat is",)),
    Library(
        # Swift, over AsyncHTTPClient. `iat` is a string, and the claims contain the key's identifier too.
        name="APNSwift", seen_in="swift-server-community/APNSwift ecf0f44, eb98650; swift-nio-http2 1.46.0",
        fields=(
            (":path", "{path}"), (":method", "POST"), (":scheme", "https"), (":authority", "{authority}"),
            ("content-type", "application/json"), ("user-agent", "APNS/swift-nio"), ("apns-push-type", "alert"),
            ("apns-id", "{id}"), ("apns-expiration", "{expiration}"), ("apns-priority", "10"),
            ("apns-topic", "{topic}"), ("authorization", "bearer {token}"), ("content-length", "{length}")),
        header=(("alg", "ES256"), ("typ", "JWT"), ("kid", "{kid}")),
        claims=(("iss", "{team}"), ("iat", as_text), ("kid", "{kid}")), lint=("iat is a string",)),
    Library(
        # Node's own HTTP/2: END_STREAM in an empty DATA frame, and a PING every minute. No `apns-priority` if it is 10.
        name="node-apn", seen_in="parse-community/node-apn 446c8f2, 9333d50, 7ced14e",
        fields=(
            (":scheme", "https"), (":method", "POST"), (":authority", "{host}"), (":path", "{path}"),
            ("apns-id", "{id}"), ("apns-topic", "{topic}"), ("apns-push-type", "alert"),
            ("authorization", "bearer {token}")),
        header=(("alg", "ES256"), ("typ", "JWT"), ("kid", "{kid}")), claims=(("iat", int), ("iss", "{team}")),
        empty_end=True),
    Library(
        # Go's x/net/http2, with windows of its own.
        name="sideshow/apns2", seen_in="sideshow/apns2 dd5c89b, cf99ae9; golang.org/x/net/http2",
        fields=(
            (":authority", "{authority}"), (":method", "POST"), (":path", "{path}"), (":scheme", "https"),
            ("authorization", "bearer {token}"), ("content-type", "application/json; charset=utf-8"),
            ("apns-topic", "{topic}"), ("apns-id", "{id}"), ("apns-priority", "10"), ("apns-push-type", "alert"),
            ("content-length", "{length}"), ("accept-encoding", "gzip"), ("user-agent", "Go-http-client/2.0")),
        claims=(("iat", int), ("iss", "{team}")),
        settings=((ENABLE_PUSH, 0), (INITIAL_WINDOW_SIZE, 4 << 20), (MAX_HEADER_LIST_SIZE, 10 << 20)),
        window=1 << 30),
]


@dataclass(frozen=True)
class ChannelCall:
    """A request about channels as a library makes it, and its answer here."""
    what: str
    method: str
    # Behind /1/apps/BUNDLE; {channel} is replaced, as in the fields.
    path: str
    status: int
    reason: str = None
    fields: tuple = ()
    body: str = ""


# Swift, over AsyncHTTPClient. The older version has the channel in the path. The newer one has it in the header, lists at
# the path of single channels, decodes a body of the answer 201, which has none, and takes 204 for an error. Neither
# sends broadcasts.
APNSWIFT_CHANNELS = {
    "swift-server-community/APNSwift 234d745": (
        ChannelCall("create", "POST", "/channels", 201,
                    body='{"message-storage-policy":1,"push-type":"LiveActivity"}'),
        ChannelCall("read", "GET", "/channels/{channel}", 404, "BadPath"),
        ChannelCall("delete", "DELETE", "/channels/{channel}", 404, "BadPath"),
        ChannelCall("list", "GET", "/channels", 400, "MissingChannelId"),
    ),
    "swift-server-community/APNSwift 12f3c76": (
        ChannelCall("create", "POST", "/channels", 201,
                    body='{"message-storage-policy":1,"push-type":"LiveActivity"}'),
        ChannelCall("read", "GET", "/channels", 200, fields=(("apns-channel-id", "{channel}"),)),
        ChannelCall("list", "GET", "/channels", 400, "MissingChannelId"),
        ChannelCall("delete", "DELETE", "/channels", 204, fields=(("apns-channel-id", "{channel}"),)),
    ),
}
APNSWIFT_FIELDS = (("content-type", "application/json"), ("user-agent", "APNS/swift-nio"))
