"""Provider tokens: JSON Web Tokens with ES256."""

import base64
import json
from pathlib import Path

from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature

# Apple refuses a token older than an hour, and a new one more often than every 20 minutes.
LIFETIME_SECONDS = 40 * 60


class Tokens:
    """Makes provider tokens, and keeps the newest for all pushes."""

    def __init__(self, key: str, key_id: str, team_id: str) -> None:
        """`key`: a P-256 key as PEM, or the path of its file."""
        loaded = serialization.load_pem_private_key(text_or_file(key).encode(), password=None)
        if not isinstance(loaded, ec.EllipticCurvePrivateKey):
            raise ValueError("the key is not an EC key; Apple's keys are files AuthKey_….p8")
        self.key, self.key_id, self.team_id = loaded, key_id, team_id
        self.token, self.issued = "", 0.0

    def current(self, now: float, *, lifetime: float = LIFETIME_SECONDS) -> str:
        if not self.token or now - self.issued >= lifetime:
            self.token, self.issued = self.sign(now), now
        return self.token

    def forget(self, token: str) -> None:
        """Makes the next push renew the token, if it is still this one."""
        if token == self.token:
            self.token = ""

    def sign(self, now: float) -> str:
        parts = [{"alg": "ES256", "kid": self.key_id}, {"iss": self.team_id, "iat": int(now)}]
        text = ".".join(base64url(json.dumps(part, separators=(",", ":")).encode()) for part in parts)
        r, s = decode_dss_signature(self.key.sign(text.encode(), ec.ECDSA(hashes.SHA256())))
        return f"{text}.{base64url(r.to_bytes(32, 'big') + s.to_bytes(32, 'big'))}"


def base64url(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def text_or_file(value: str) -> str:
    return value if "-----BEGIN" in value else Path(value).read_text()
