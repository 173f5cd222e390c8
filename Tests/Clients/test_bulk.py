"""Real clients that send much at once: no push is lost, and none rings twice."""

import contextlib
import json
import shutil
import subprocess
import threading
import unittest
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from Tests.support import certificates
from Tests.support.appliance import APP, ApplianceCase, Mailroom
from Tests.support.http2_wire import Wire

JAVA = Path(__file__).parent / "java/ManyPushes.java"
PAYLOAD = json.dumps({"aps": {"alert": "One of many"}})
TIMEOUT_SECONDS = 240


def stored(appliance):
    """Returns the number of accepted pushes in the appliance's journal."""
    return sum(event["event"] == "accepted" for event in appliance.events())


def curl_pushes(appliance, count, at_once, certificate=None):
    """Pushes with one curl; returns a count of each status, and the number of connections.

    With a token, curl may open many at once, as there is one stream until the first is found valid; with a certificate
    it needs one."""
    config = appliance.folder / "curl.config"
    config.write_text(
        # The fragment is not sent; it makes `count` requests of one address.
        f'url = "https://localhost:{appliance.port}/3/device/{appliance.token}#[1-{count}]"\noutput = "/dev/null"\n'
        f'silent\ncacert = "{appliance.ca}"\nheader = "apns-topic: {APP}"\ndata = "@{appliance.folder}/payload"\n'
        + (f'cert = "{certificate}"\n' if certificate else f'header = "authorization: bearer {appliance.bearer()}"\n')
        + (f'parallel\nparallel-max = {at_once}\n' if at_once > 1 else "")
        + f'max-time = {TIMEOUT_SECONDS}\nwrite-out = "%{{http_code}} %{{num_connects}}\\n"\n')
    (appliance.folder / "payload").write_text(PAYLOAD)
    done = subprocess.run(
        ["curl", "--disable", "--config", str(config)], capture_output=True, text=True, timeout=TIMEOUT_SECONDS + 10)
    lines = [line.split() for line in done.stdout.splitlines()]
    return Counter(int(status) for status, _ in lines), sum(int(connects) for _, connects in lines)


def add_certificate(appliance):
    """Adds a provider with a client certificate."""
    certificate = certificates.make(appliance.folder, "bulk", topic=APP)
    appliance.run("provider", "add", "bulk", "--certificate", certificate)
    return certificate


def has_java():
    return shutil.which("java") is not None and shutil.which("javac") is not None


def java_pushes(appliance, count):
    """Pushes with the JDK's own HttpClient, all at once; returns a count of each answer or exception."""
    done = subprocess.run(
        ["java", str(JAVA), f"https://localhost:{appliance.port}/3/device/{appliance.token}", str(appliance.ca),
         appliance.bearer(), APP, str(count)], capture_output=True, text=True, check=True, timeout=TIMEOUT_SECONDS)
    answers = Counter()
    for line in done.stdout.splitlines():
        number, _, answer = line.partition(" ")
        if number.isdigit():
            answers[answer] += int(number)
    return answers


def pushes_over_connections(appliance, connections, pushes):
    """Opens all connections at once, and pushes when each is open or has failed; returns the number of answers 200."""
    fields = appliance.fields()
    everybody = threading.Barrier(connections)

    def run(number):
        wire = None
        with contextlib.suppress(OSError):
            wire = Wire(appliance.port, str(appliance.ca), timeout=TIMEOUT_SECONDS).greet()
        everybody.wait(TIMEOUT_SECONDS)
        if wire is None:
            return 0
        with wire:
            return sum(push(wire) for _ in range(number, pushes, connections))

    def push(wire):
        try:
            return wire.push(fields, PAYLOAD.encode()) == 200
        except OSError:
            return False

    with ThreadPoolExecutor(connections) as pool:
        return sum(pool.map(run, range(connections)))


class BulkTests(ApplianceCase):
    @classmethod
    def make(cls):
        return Mailroom(board=None)

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.certificate = add_certificate(cls.appliance)

    def setUp(self):
        self.before = stored(self.appliance)

    def stored(self):
        return stored(self.appliance) - self.before

    def test_curl_resets_what_it_has_the_answer_of(self):
        """libcurl 7.88 sends RST_STREAM(STREAM_CLOSED) after each answer."""
        for at_once in [1, 100]:
            with self.subTest(at_once=at_once):
                self.before = stored(self.appliance)
                answers, connections = curl_pushes(self.appliance, 1_000, at_once, self.certificate)
                self.assertEqual((dict(answers), connections, self.stored()), ({200: 1_000}, 1, 1_000))

    def test_curl_with_a_token(self):
        answers, connections = curl_pushes(self.appliance, 1_000, 1)
        self.assertEqual((dict(answers), connections, self.stored()), ({200: 1_000}, 1, 1_000))

    def test_two_hundred_connections_at_once(self):
        self.assertEqual((pushes_over_connections(self.appliance, 200, 500), self.stored()), (500, 500))

    @unittest.skipUnless(has_java(), "no JDK on the PATH")
    def test_the_jdk_opens_a_connection_for_each_push(self):
        self.assertEqual((dict(java_pushes(self.appliance, 500)), self.stored()), ({"200": 500}, 500))
