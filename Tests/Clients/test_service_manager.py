"""The daemon under a service manager, which the test replaces: its messages, and the sockets that it holds."""

import os
import shutil
import signal
import socket
import ssl
import sys
import tempfile
import threading
import unittest
from pathlib import Path

from Tests.support.appliance import Appliance
from Tests.support.certificates import make
from Tests.support.project import PATIENCE_SECONDS

# Like systemd: the sockets are descriptors 3 and 4 of the very process that LISTEN_PID names.
LAUNCHER = """
import os, sys
copies = [os.dup2(int(number), 200 + index) for index, number in enumerate(sys.argv[1].split(","))]
for index, copy in enumerate(copies):
    os.dup2(copy, 3 + index, inheritable=True)
os.environ.update(LISTEN_PID=str(os.getpid()), LISTEN_FDS=str(len(copies)), LISTEN_FDNAMES="push:control")
os.execv(sys.argv[2], sys.argv[2:])
"""


class Manager:
    """A service manager that receives the messages of a service, and holds its sockets."""

    def __init__(self):
        self.folder = tempfile.TemporaryDirectory(prefix="deskbell-manager-")
        path = Path(self.folder.name)
        self.notify = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.notify.bind(str(path / "notify"))
        self.notify.settimeout(PATIENCE_SECONDS)
        self.push = socket.create_server(("127.0.0.1", 0), backlog=64)
        self.control = socket.socket(socket.AF_UNIX)
        self.control.bind(str(path / "control.sock"))
        os.chmod(path / "control.sock", 0o660)
        self.control.listen(64)
        self.port = self.push.getsockname()[1]
        self.environment = {"NOTIFY_SOCKET": str(path / "notify")}

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for held in (self.notify, self.push, self.control):
            held.close()
        self.folder.cleanup()

    def receive(self):
        return self.notify.recv(65536).decode()

    def receive_until(self, word):
        """Receives all messages up to that word."""
        received = []
        while not received or received[-1] != word:
            received.append(self.receive())
        return received

    def appliance(self, **more):
        """Returns an appliance with this manager's sockets."""
        descriptors = (self.push.fileno(), self.control.fileno())
        environment = {**self.environment, "DESKBELL_CONTROL": str(Path(self.folder.name) / "control.sock")}
        return Appliance(
            environment=environment, descriptors=descriptors,
            launcher=[sys.executable, "-c", LAUNCHER, ",".join(map(str, descriptors))], **more)


class ServiceManagerTests(unittest.TestCase):
    def test_it_is_ready_when_it_listens_and_says_that_it_stops(self):
        with Manager() as manager, Appliance(environment=manager.environment) as appliance:
            address = appliance.report("state")["pushAddress"]
            received = manager.receive_until("READY=1")
            self.assertEqual(received, [f"STATUS=pushes to {address}, board Simulated board", "READY=1"])
            appliance.install_mailroom()
            self.assertEqual(appliance.curl('{"aps": {"badge": 1}}')[0], 200)
            appliance.stop()
            self.assertEqual(appliance.process.returncode, 0)
            self.assertEqual(manager.receive(), "STOPPING=1\nSTATUS=Stopping: answering the requests in flight")

    def test_a_missing_device_is_in_its_status(self):
        with Manager() as manager:
            with Appliance(environment=manager.environment, board="raspberry-pi-4") as appliance:
                address = appliance.report("state")["pushAddress"]
                status = [word for word in manager.receive_until("READY=1") if word.startswith("STATUS=")][-1]
                broken = {each["name"]: each["problem"] for each in appliance.report("state")["devices"]
                          if not each["works"]}
                self.assertEqual(set(broken), {"lamp", "display"})
                # The front's thread may report it after the daemon is ready.
                while broken["display"] not in status or broken["lamp"] not in status:
                    status = manager.receive()
                self.assertTrue(
                    status.startswith(f"STATUS=pushes to {address}, board Raspberry Pi 4 Model B; does not work: "),
                    status)

    def test_sockets_that_are_handed_over_outlive_the_daemon(self):
        with Manager() as manager, manager.appliance() as appliance:
            self.assertEqual(appliance.port, manager.port)
            self.assertIn(
                "listen: 127.0.0.1:0 is not used, the service manager's socket is", "\n".join(appliance.errors))
            apps = Path(manager.folder.name) / "apps.sock"
            self.assertEqual(apps.stat().st_mode & 0o777, 0o660)
            appliance.install_mailroom()
            for number, end in enumerate([appliance.kill, appliance.stop, appliance.kill], start=1):
                end()
                answers = []
                pushing = threading.Thread(
                    target=lambda: answers.append(appliance.curl(f'{{"aps": {{"badge": {number}}}}}')[0]))
                pushing.start()
                # Without a daemon, connections are neither answered nor refused.
                with socket.create_connection(("127.0.0.1", manager.port), PATIENCE_SECONDS):
                    appliance.start()
                pushing.join(PATIENCE_SECONDS)
                self.assertEqual(answers, [200])
                self.assertEqual(appliance.report("state")["presentation"]["badge"], number)
            for _ in range(4):
                manager.receive_until("READY=1")
            appliance.process.send_signal(signal.SIGHUP)
            manager.receive_until("READY=1")
            appliance.stop()
            # The same settings were read again: a socket that overrides them is no change.
            self.assertNotIn("after the next restart", "\n".join(appliance.errors))

    def test_only_a_watchdog_is_pinged(self):
        with Manager() as manager:
            environment = {**manager.environment, "WATCHDOG_USEC": "200000"}
            with Appliance(environment=environment):
                manager.receive_until("READY=1")
                self.assertEqual([manager.receive() for _ in range(3)], ["WATCHDOG=1"] * 3)

    def test_reloading_puts_a_renewed_certificate_into_service(self):
        with Manager() as manager:
            folder = Path(manager.folder.name)
            first, second = make(folder, "first"), make(folder, "second")
            both, configuration = folder / "server.pem", folder / "deskbell.yaml"
            shutil.copy(first, both)
            configuration.write_text(f"certificate: {{ chain: {both}, key: {both} }}\n")
            with Appliance("--config", str(configuration), environment=manager.environment) as appliance:
                manager.receive_until("READY=1")

                def shows(file):
                    shown = ssl.get_server_certificate(("127.0.0.1", appliance.port))
                    certificate = file.read_text().split("-----BEGIN PRIVATE")[0]
                    return ssl.PEM_cert_to_DER_cert(shown) == ssl.PEM_cert_to_DER_cert(certificate)

                def reload():
                    appliance.process.send_signal(signal.SIGHUP)
                    return manager.receive_until("READY=1")

                shutil.copy(second, both)
                self.assertTrue(shows(first))
                self.assertRegex(reload()[0], r"\ARELOADING=1\nMONOTONIC_USEC=[0-9]+\Z")
                self.assertTrue(shows(second))
                # An invalid file changes nothing.
                both.write_text("nothing")
                reload()
                self.assertTrue(shows(second))
                shutil.copy(first, both)
                configuration.write_text(configuration.read_text() + "language: de\n")
                reload()
                self.assertTrue(shows(first))
            said = "\n".join(appliance.errors)
            self.assertIn(f"the configuration stays as it was: {both}", said)
            self.assertIn("read, and in force after the next restart: language", said)

    def test_without_a_service_manager_a_hangup_ends_it(self):
        # Under nohup the tests would pass on the ignored signal.
        self.addCleanup(signal.signal, signal.SIGHUP, signal.signal(signal.SIGHUP, signal.SIG_DFL))
        with Appliance() as appliance:
            appliance.process.send_signal(signal.SIGHUP)
            appliance.finish()
            self.assertEqual(appliance.process.returncode, -signal.SIGHUP)
