"""Certificates: clients' as Apple issues them, with the parts that the daemon reads, and a server's own."""

import datetime

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

APPLE = "1.2.840.113635.100.6.3."
DEVELOPMENT, PRODUCTION = 1, 2


def der(tag, content):
    return bytes([tag, len(content)]) + content if len(content) < 128 else bytes([tag, 0x81, len(content)]) + content


def topic_list(topics):
    """Returns Apple's extension: each topic, then its kinds."""
    inner = b"".join(
        der(0x0C, topic.encode()) + der(0x30, b"".join(der(0x0C, kind.encode()) for kind in kinds))
        for topic, kinds in topics)
    return der(0x30, inner)


def make(folder, name, *, topic=None, topics=None, marks=(), hosts=(), days=30):
    """Writes NAME.pem, the certificate followed by its key, as clients expect it, and NAME.key."""
    key = ec.generate_private_key(ec.SECP256R1())
    names = [x509.NameAttribute(NameOID.COMMON_NAME, f"Push Services: {name}")]
    if topic:
        names.append(x509.NameAttribute(NameOID.USER_ID, topic))
    subject = x509.Name(names)
    now = datetime.datetime.now(datetime.timezone.utc)
    builder = (
        x509.CertificateBuilder().subject_name(subject).issuer_name(subject).public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=60)).not_valid_after(now + datetime.timedelta(days=days)))
    for mark in marks:
        builder = builder.add_extension(x509.UnrecognizedExtension(x509.ObjectIdentifier(f"{APPLE}{mark}"), b"\5\0"), False)
    if topics:
        builder = builder.add_extension(
            x509.UnrecognizedExtension(x509.ObjectIdentifier(f"{APPLE}6"), topic_list(topics)), False)
    if hosts:
        builder = builder.add_extension(x509.SubjectAlternativeName([x509.DNSName(host) for host in hosts]), False)
    certificate = builder.sign(key, hashes.SHA256())
    key_pem = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    (folder / f"{name}.key").write_bytes(key_pem)
    path = folder / f"{name}.pem"
    path.write_bytes(certificate.public_bytes(serialization.Encoding.PEM) + key_pem)
    return path
