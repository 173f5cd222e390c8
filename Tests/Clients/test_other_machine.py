"""Runs lines printed for other machines on one: in a network namespace of its own, joined only by a cable."""

import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import unittest
import uuid
from pathlib import Path

from Tests.Clients.monitoring import Alertmanager, alert
from Tests.support.appliance import APP, Mailroom
from Tests.support.project import PATIENCE_SECONDS, ROOT

ANSWERER = """
import socket, struct, sys
name, address = sys.argv[1:]
link = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
link.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
link.bind(("224.0.0.251", 5353))
link.setsockopt(socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP, socket.inet_aton("224.0.0.251") + socket.inet_aton(address))
print("ready", flush=True)
labels = b"".join(bytes([len(part)]) + part.encode() for part in name.split(".")) + b"\\0"
while True:
    query, asker = link.recvfrom(1500)
    if query[12:12 + len(labels)].lower() == labels:
        answer = query[:2] + struct.pack(">HHHHH", 0x8400, 1, 1, 0, 0) + labels + b"\\0\\1\\0\\1"
        answer += labels + b"\\0\\1\\x80\\1" + struct.pack(">IH", 10, 4) + socket.inet_aton(address)
        link.sendto(answer, asker)
"""


class Cable:
    """Two network namespaces, `bell` and `room`, joined by a pair of interfaces; neither has a default route."""

    def __init__(self):
        tag = uuid.uuid4().hex[:8]
        self.bell, self.room = f"bell-{tag}", f"room-{tag}"
        self.address = "10.93.7.1"
        self.ends = f"b{tag}", f"r{tag}"

    def __enter__(self):
        for words in (
            f"netns add {self.bell}", f"netns add {self.room}",
            f"link add {self.ends[0]} netns {self.bell} type veth peer name {self.ends[1]} netns {self.room}",
            f"-n {self.bell} address add {self.address}/24 dev {self.ends[0]}",
            f"-n {self.room} address add 10.93.7.2/24 dev {self.ends[1]}",
            f"-n {self.bell} link set lo up", f"-n {self.bell} link set {self.ends[0]} up",
            f"-n {self.room} link set lo up", f"-n {self.room} link set {self.ends[1]} up",
        ):
            subprocess.run(["ip", *words.split()], check=True, capture_output=True)
        return self

    def __exit__(self, *_):
        for name in (self.bell, self.room):
            subprocess.run(["ip", "netns", "delete", name], check=False, capture_output=True)


@unittest.skipUnless(os.geteuid() == 0, "network namespaces need root")
class OtherMachineTests(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.cable = cls.enterClassContext(Cable())

    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory(prefix="deskbell-")))
        self.bell = self.enterContext(Everywhere(launcher=["ip", "netns", "exec", self.cable.bell]))

    def room(self, line, **environment):
        """Runs a shell line on the other machine."""
        done = subprocess.run(
            ["ip", "netns", "exec", self.cable.room, "sh", "-c", line], capture_output=True, text=True, check=False,
            timeout=PATIENCE_SECONDS, cwd=self.folder, env={**os.environ, **environment})
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout

    def shown(self):
        [notification] = self.bell.report("center")
        self.bell.run("center", "--clear")
        return notification.get("title"), notification["body"]

    def printed(self, *words):
        lines = [line.strip() for line in self.bell.run(*words).splitlines()]
        return [line for line in lines if line.startswith("curl ")]

    def test_lines_for_other_machines_have_the_address_on_the_network(self):
        [topic] = self.printed("topic", "add", "parcels", "--app", APP)
        self.assertIn(f" https://{self.cable.address}:{self.bell.port}/parcels", topic)
        self.room(topic)
        self.assertEqual(self.shown(), (None, "A parcel"))
        [hook] = self.printed("hook", "add", "ci", "--app", APP)
        self.room(hook)
        self.assertEqual(self.shown(), (None, "Hello"))

    def test_a_name_that_multicast_dns_has_is_printed(self):
        name = f"{socket.gethostname().split('.')[0]}.local".lower()
        responder = subprocess.Popen(
            ["ip", "netns", "exec", self.cable.bell, sys.executable, "-c", ANSWERER, name, self.cable.address],
            stdout=subprocess.PIPE, text=True)
        self.addCleanup(lambda: (responder.kill(), responder.wait(), responder.stdout.close()))
        self.assertEqual(responder.stdout.readline(), "ready\n")
        [topic] = self.printed("topic", "add", "parcels", "--app", APP)
        self.assertIn(f" https://{name}:{self.bell.port}/parcels", topic)
        # Resolvers with multicast DNS find the name; here a hosts file replaces them.
        hosts = Path(f"/etc/netns/{self.cable.room}")
        hosts.mkdir(parents=True)
        self.addCleanup(lambda: ((hosts / "hosts").unlink(), hosts.rmdir()))
        (hosts / "hosts").write_text(f"{self.cable.address} {name}\n")
        self.room(topic)
        self.assertEqual(self.shown(), (None, "A parcel"))

    def recipe(self, program):
        """Returns a program's line of docs/certificates.md, with this bell and its keys."""
        [topic] = self.printed("topic", "add", "parcels", "--app", APP)
        self.key = key = topic.split("Bearer ")[1].split("'")[0]
        [hook] = self.printed("hook", "add", "alerts", "--app", APP, "--template", "alertmanager")
        self.hook = re.search(r"https://\S+", hook)[0]
        (self.folder / "ca.pem").write_text(self.bell.run("ca"))
        line = recipes()[program].replace("https://BELL/h/KEY", self.hook)
        return line.replace("BELL", f"{self.cable.address}:{self.bell.port}").replace("KEY", key)

    def test_curl_with_the_authority(self):
        self.room(self.recipe("curl"))
        self.assertEqual(self.shown(), (None, "A parcel"))

    def test_apprise_with_the_authority(self):
        self.room(self.recipe("Apprise"), PATH=f"{Path(sys.executable).parent}:{os.environ['PATH']}")
        self.assertEqual(self.shown(), (None, "A parcel"))

    def test_alertmanager_with_the_authority(self):
        self.ring_through_alertmanager(self.recipe("Alertmanager"))

    def test_grafana_with_the_authority(self):
        """Go's library reads the variable, in Grafana and in Alertmanager."""
        variable = self.recipe("Grafana").replace("/etc/grafana/authorities", str(self.folder))
        self.ring_through_alertmanager(f'webhook_configs: [{{ url: "{self.hook}" }}]', variable)

    def ring_through_alertmanager(self, receiver, variable="TZ=UTC"):
        environment = dict([variable.split("=", 1)])
        launcher = ["ip", "netns", "exec", self.cable.room]
        with Alertmanager(self.folder, receiver, launcher, environment) as manager:
            manager.post(alert("DiskFull", "No space on vinyl", severity="critical"))
            self.bell.wait_for_event("presented")
        self.assertEqual(self.shown(), ("DiskFull (firing)", "No space on vinyl"))

    @unittest.skipUnless(shutil.which("node"), "Node is not installed")
    def test_uptime_kuma_with_the_authority(self):
        """Node reads the variable, in Uptime Kuma and here."""
        variable = self.recipe("Uptime Kuma").replace("/path", str(self.folder))
        address = f"https://{self.cable.address}:{self.bell.port}/parcels"
        self.room(f"""{variable} node -e '
            const request = require("https").request("{address}", {{
              method: "POST", headers: {{ Authorization: "Bearer {self.key}" }}
            }}, answer => process.exit(answer.statusCode == 200 ? 0 : 1));
            request.end("A parcel")'""")
        self.assertEqual(self.shown(), (None, "A parcel"))


class Everywhere(Mailroom):
    """An appliance that listens on all addresses of its network namespace."""

    def arguments(self, port):
        return [word.replace("127.0.0.1:", "*:") for word in super().arguments(port)]


def recipes():
    """Returns the lines of docs/certificates.md for other machines, by their programs."""
    rows = (ROOT / "docs/certificates.md").read_text().split("## Other machines")[1].split("\n## ")[0].splitlines()
    cells = [[cell.strip() for cell in row.strip("|").split("|")] for row in rows if row.startswith("| ")]
    return {row[0]: re.search(r"`([^`]+)`", row[1])[1] for row in cells[1:]}
