"""The services' units as shipped. Needs no build."""

import configparser
import unittest

from Tests.support.project import ROOT


def unit(name):
    read = configparser.ConfigParser(strict=False, interpolation=None)
    read.optionxform = str
    with open(ROOT / "systemd" / name) as file:
        read.read_file(file)
    return read


class Unit(unittest.TestCase):
    def setUp(self):
        self.unit = unit("deskbell.service")

    def test_a_crash_that_repeats_is_no_lasting_outage(self):
        # With a limit of starts, systemd would also close the sockets, and nothing would open them again.
        for name in ("deskbell.service", "deskbell-gateway.service"):
            with self.subTest(unit=name):
                self.assertEqual(unit(name)["Unit"]["StartLimitIntervalSec"], "0")
                service = unit(name)["Service"]
                self.assertEqual(
                    [service[key] for key in ("Restart", "RestartSec", "RestartSteps", "RestartMaxDelaySec")],
                    ["on-failure", "500ms", "5", "10s"])

    def test_it_starts_without_a_settings_file(self):
        # The package has none. The daemon reads deskbell.yaml in the folder that systemd names, if it exists.
        service = self.unit["Service"]
        self.assertEqual(
            [service[key] for key in ("ExecStart", "ConfigurationDirectory")], ["/usr/bin/deskbell serve", "deskbell"])

    def test_what_it_may_take_of_the_machine(self):
        service = self.unit["Service"]
        self.assertEqual(
            [service[key] for key in ("MemoryMax", "TasksMax", "LimitCORE", "OOMPolicy")],
            ["384M", "256", "0", "continue"])
        # It would slow down the daemon together with a program that uses too much.
        self.assertNotIn("MemoryHigh", service)


class Gateway(unittest.TestCase):
    def setUp(self):
        self.unit = unit("deskbell-gateway.service")

    def test_only_a_machine_with_its_settings_runs_one(self):
        self.assertEqual(self.unit["Unit"]["ConditionPathExists"], "/etc/deskbell/gateway/gateway.yaml")
        self.assertEqual(
            self.unit["Service"]["ExecStart"], "/usr/bin/deskbell gateway --config /etc/deskbell/gateway/gateway.yaml")
        # Nothing else enables it, and it enables nothing else.
        self.assertEqual(dict(self.unit["Install"]), {"WantedBy": "multi-user.target"})
        self.assertNotIn("deskbell-gateway", (ROOT / "systemd/deskbell.service").read_text())

    def test_what_it_may_take_of_the_machine(self):
        service = self.unit["Service"]
        self.assertEqual(
            [service[key] for key in ("MemoryMax", "TasksMax", "LimitCORE", "LimitNOFILE")],
            ["1G", "64", "0", "16384"])

    def test_its_sandbox_is_that_of_the_daemon_without_devices(self):
        # The daemon's programs and board need these, and it has a watchdog and a control socket.
        only_daemon = {
            "WatchdogSec", "TimeoutStartSec", "ConfigurationDirectory", "RuntimeDirectory", "RuntimeDirectoryPreserve",
            "OOMPolicy", "LimitRTPRIO", "DeviceAllow"}
        only_gateway = {"InaccessiblePaths", "PrivateDevices", "RestrictRealtime"}
        differ = {"ExecStart", "StateDirectory", "Environment", "MemoryMax", "TasksMax"}
        daemon, gateway = dict(unit("deskbell.service")["Service"]), dict(self.unit["Service"])
        self.assertEqual(set(daemon) - set(gateway), only_daemon)
        self.assertEqual(set(gateway) - set(daemon), only_gateway)
        self.assertEqual({key for key in set(daemon) & set(gateway) if daemon[key] != gateway[key]}, differ)
        # It runs as the daemon's user, because the seed is that user's.
        self.assertEqual(gateway["InaccessiblePaths"], "-/var/lib/deskbell -/run/deskbell")
