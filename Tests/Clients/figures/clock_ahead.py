"""Checks that the certificate authority stays the same after one start with the clock 15 years ahead."""

import hashlib
import ssl
from pathlib import Path


def fingerprint(appliance):
    return hashlib.sha256(ssl.PEM_cert_to_DER_cert(appliance.ca.read_text())).hexdigest()[:16]


def measure(appliance):
    library = next(Path("/usr/lib").glob("*/faketime/libfaketime.so.1"), None)
    if not library:
        return [("the authority after a start 15 years ahead", "not measured: faketime is not installed")]
    before = fingerprint(appliance)
    appliance.stop()
    # Twice: the library changes the environment of the first program it is loaded into, and Swift finds its arguments
    # behind the environment.
    appliance.launcher = ["env", f"LD_PRELOAD={library}", "FAKETIME=+15y", "env"]
    appliance.start()
    ahead = fingerprint(appliance)
    # With a faked clock, timers are late.
    appliance.kill()
    appliance.launcher = []
    appliance.start()
    after = fingerprint(appliance)
    return [
        ("the authority while the clock is 15 years ahead", "the same" if ahead == before else "another"),
        ("the authority once the clock is right again", "the same" if after == before else "another")]
