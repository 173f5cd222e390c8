"""The connection to Home Assistant through a broker: a real Mosquitto, and a listener in place of Home Assistant. `make
test-home` uses the real one."""

import json
import tempfile
import unittest
from pathlib import Path

from Tests.support.appliance import APP, Appliance
from Tests.support.broker import Broker, Subscriber
from Tests.support.project import ROOT

BASE = "deskbell/desk"
SOUNDS = ["bell", "chime", "glass", "harp", "knock", "marimba", "ping", "pulse", "radar", "wood"]
PATTERNS = ["steady", "blink", "double", "breathe", "heartbeat", "sos"]


def connected(text):
    """Returns an appliance with these settings, in whose folder is that of the command line's push keys."""
    appliance = Appliance(settings=text)
    appliance.environment["HOME"] = str(appliance.folder)
    return appliance


def at(place, **more):
    lines = [f"  {key.replace('_', '-')}: {value}" for key, value in {"broker": place, "topic": BASE, **more}.items()]
    return "mqtt:\n" + "\n".join(lines) + "\n"


class HomeTests(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        self.broker = self.enterContext(Broker())
        self.house = self.enterContext(Subscriber(self.broker))
        self.appliance = self.enterContext(
            connected(at(f"mqtt://127.0.0.1:{self.broker.port}", name="Desk")))
        self.house.expect_last(f"{BASE}/devices", lamp="")

    def device(self):
        return "deskbell-" + self.appliance.report("state")["deviceID"][:12]

    def test_the_device_is_announced(self):
        device = self.device()
        found = json.loads(self.house.published(f"homeassistant/device/{device}/config")[-1])
        version = self.appliance.report("state")["version"]
        self.assertEqual(found["device"], {
            "identifiers": [device], "name": "Desk", "manufacturer": "Deskbell", "model": "Simulated board",
            "serial_number": device, "sw_version": version})
        self.assertEqual(found["origin"], {"name": "deskbell", "sw_version": version})
        self.assertEqual((found["availability_topic"], found["qos"]), (f"{BASE}/availability", 1))
        components = found["components"]
        self.assertEqual(
            {key: each["platform"] for key, each in components.items()},
            {"badge": "sensor", "unseen": "sensor", "held": "sensor", "lamp": "light", "bell": "siren",
             "message": "notify", "notification": "event", "button": "event", "trigger-view-short": "device_automation",
             "trigger-view-long": "device_automation", "trigger-close-short": "device_automation",
             "trigger-close-long": "device_automation", "press-view": "button", "press-close": "button",
             "press-clear": "button", "press-snooze": "button", "press-fetch": "button",
             "silent": "switch", "notifications": "switch",
             "quiet-hours": "text", "focus": "select", "problem-lamp": "binary_sensor", "problem-display": "binary_sensor",
             "problem-speaker": "binary_sensor", "problem-push-gateway": "binary_sensor",
             "problem-store": "binary_sensor"})
        self.assertEqual(components["lamp"], {
            "platform": "light", "name": "Lamp", "unique_id": f"{device}-lamp", "schema": "json",
            "supported_color_modes": ["onoff"], "state_topic": f"{BASE}/lamp", "command_topic": f"{BASE}/lamp/set",
            "effect": True, "effect_list": PATTERNS})
        self.assertEqual(components["bell"], {
            "platform": "siren", "name": "Bell", "unique_id": f"{device}-bell", "icon": "mdi:bell-ring",
            "state_topic": f"{BASE}/bell", "command_topic": f"{BASE}/bell/set", "available_tones": SOUNDS,
            "support_duration": True, "support_volume_set": True})
        self.assertEqual(components["trigger-view-long"], {
            "platform": "device_automation", "automation_type": "trigger", "type": "button_long_press",
            "subtype": "view", "topic": f"{BASE}/event/button", "payload": "view long",
            "value_template": "{{ value_json.button }} {{ value_json.press }}"})
        self.house.expect(f"{BASE}/availability", "online")
        self.house.expect(f"{BASE}/state", {
            "badge": 0, "unseen": 0, "held": 0, "apps": {}, "silent": "off", "notifications": "on",
            "focus": "off", "quiet_hours": "off"})

    def test_commands_that_mean_nothing_fill_no_log(self):
        forged = "deskbell: notice: refused from=192.0.2.7 reason=Unauthorized status=401"
        for _ in range(30):
            for name, payload in (("press", f"x\n{forged}"), ("bell", f"x\r{forged}"), ("lamp", "\u2028" * 1_000),
                                  ("quiet-hours", f"x\r\n{forged}"), ("silent", "e" + "\u0301" * 2_000)):
                self.house.send(f"{BASE}/{name}/set", payload)
        self.appliance.wait_for_log("more lines; the last: home assistant: ")
        about = [line for line in self.appliance.errors if "home assistant" in line]
        self.assertLess(len(about), 70)
        self.assertLess(max(map(len, about)), 1_200)
        self.assertFalse([line for line in self.appliance.errors if line.startswith(forged)])

    def test_what_a_push_shows_is_told(self):
        self.appliance.run("app", "install", ROOT / "examples/mailroom")
        push = self.appliance.report("push", APP, "--body", "A parcel", "--badge", 3)["id"]
        self.house.expect(f"{BASE}/event/notification", {
            "event_type": "presented", "app": APP, "push": push, "body": "A parcel"})
        self.house.expect_last(f"{BASE}/state", badge=3, unseen=1, apps={APP: 3})
        self.house.expect_last(f"{BASE}/lamp", state="ON", effect="double")
        self.appliance.run("press", "close")
        self.house.expect(f"{BASE}/event/button", {"event_type": "press", "button": "close", "press": "short"})
        self.house.expect_last(f"{BASE}/state", unseen=0)
        self.house.expect_last(f"{BASE}/lamp", state="OFF")

    def test_commands_go_through_the_handsets_rules(self):
        send, expect = self.house.send, self.house.expect_last
        send(f"{BASE}/lamp/set", {"state": "ON", "effect": "breathe"})
        expect(f"{BASE}/lamp", state="ON", effect="breathe")
        send(f"{BASE}/lamp/set", "OFF")
        expect(f"{BASE}/lamp", state="OFF")
        for key, value in [
                ("quiet-hours", "22:00-07:00"), ("notifications", "off"), ("notifications", "on"), ("silent", "on")]:
            send(f"{BASE}/{key}/set", value)
            expect(f"{BASE}/state", **{key.replace("-", "_"): value})
        send(f"{BASE}/notify/set", "The washing is done")
        self.house.wait(lambda _: any("The washing is done" in text for text in self.house.published(
            f"{BASE}/event/notification")), "the message")
        shown = json.loads(self.house.published(f"{BASE}/event/notification")[-1])
        self.assertEqual((shown["event_type"], shown["app"]), ("presented", "home.assistant"))
        report = self.appliance.report("explain", shown["push"])
        self.assertEqual(
            report["summary"], "It did not ring: the ring/silent switch is on silent (S5). "
            "It showed: banner, Notification Center, the lamp, vibration pulse.")
        send(f"{BASE}/press/set", "clear")
        expect(f"{BASE}/state", unseen=0)
        self.house.expect(f"{BASE}/event/notification", {"event_type": "dismissed", "app": "home.assistant"})

    def test_a_ring_goes_on_for_as_long_as_it_is_asked_to_and_ends_when_it_is_told(self):
        self.house.send(f"{BASE}/bell/set", {"state": "ON", "tone": "ping", "volume_level": 0.5, "duration": 600})
        self.house.expect(f"{BASE}/bell", {"state": "ON", "tone": "ping", "volume_level": 0.5})
        last = 0
        for _ in range(2):
            last = self.appliance.wait_for_event("sound-started", last, name="ping")["sequence"]
        self.house.send(f"{BASE}/bell/set", "OFF")
        self.house.expect_last(f"{BASE}/bell", state="OFF", volume_level=0.5)
        self.assertEqual(self.appliance.report("settings", "home.assistant", "volume")["value"], "50%")

    def test_a_ring_that_may_not_sound_is_over_at_once(self):
        self.appliance.run("conditions", "silent", "on")
        self.house.expect_last(f"{BASE}/state", silent="on")
        self.house.forget()
        self.house.send(f"{BASE}/bell/set", {"state": "ON", "tone": "ping", "duration": 600})
        self.house.expect_last(f"{BASE}/bell", state="OFF")
        self.assertEqual(
            [event["event"] for event in self.appliance.events() if event["event"] == "sound-started"], [])

    def test_what_means_nothing_changes_nothing(self):
        before = self.appliance.report("settings")
        bad = [("lamp", "{"), ("lamp", {"state": "ON", "effect": "disco"}), ("bell", {"state": "ON", "volume_level": 7}),
               ("bell", {"state": "ON", "duration": -1}), ("press", "sit"), ("silent", "perhaps"),
               ("quiet-hours", "at night"), ("notify", b"\xff\xfe"), ("notify", ""), ("what", "x"),
               ("notify", "x" * 5000)]
        for name, payload in bad:
            self.house.send(f"{BASE}/{name}/set", payload)
        self.house.send(f"{BASE}/lamp/set", "ON")
        self.house.expect_last(f"{BASE}/lamp", state="ON", effect="steady")
        self.house.send(f"{BASE}/lamp/set", "OFF")
        self.house.expect_last(f"{BASE}/lamp", state="OFF")
        self.assertEqual(self.appliance.report("settings"), before)
        self.assertEqual(self.appliance.report("center"), [])
        said = [line for line in self.appliance.errors if "home assistant: " in line and "connected" not in line]
        self.assertEqual(len(said), 9, said)
        self.assertIn(
            "lamp: expected an effect of steady, blink, double, breathe, heartbeat, sos, or one with a colour behind it, "
            "such as blink-red: red, orange, yellow, green, cyan, blue, purple, white, not 'disco'", said[1])

    def test_a_command_that_the_broker_kept_is_of_another_time(self):
        self.house.send(f"{BASE}/lamp/set", "ON", retain=True)
        self.house.expect_last(f"{BASE}/lamp", state="ON")
        self.house.send(f"{BASE}/lamp/set", "OFF")
        self.house.expect_last(f"{BASE}/lamp", state="OFF")
        self.appliance.stop()
        self.house.expect(f"{BASE}/availability", "offline")
        self.house.forget()
        self.appliance.start()
        self.house.expect(f"{BASE}/availability", "online")
        self.house.expect(f"{BASE}/lamp", {"state": "OFF"})

    def test_it_is_gone_when_it_was_killed(self):
        self.house.forget()
        self.appliance.kill()
        self.house.expect(f"{BASE}/availability", "offline")
        self.house.forget()
        self.appliance.start()
        self.house.expect(f"{BASE}/availability", "online")

    def test_it_is_announced_again_when_home_assistant_has_started(self):
        self.house.forget()
        self.house.send("homeassistant/status", "online")
        self.house.wait(lambda _: self.house.published(f"homeassistant/device/{self.device()}/config"), "a device")
        self.house.expect_last(f"{BASE}/state", badge=0)


class ColourTests(unittest.TestCase):
    def test_a_lamp_of_several_colours_has_each_pattern_in_each(self):
        with Broker() as broker, Subscriber(broker) as house, tempfile.TemporaryDirectory(prefix="deskbell-") as folder:
            board = Path(folder, "blinkt.yaml")
            board.write_text("board: Blinkt\nchip: simulated\nlamp: { type: apa102, data: D, clock: C, lamps: 8 }\n")
            with Appliance(settings=at(f"mqtt://127.0.0.1:{broker.port}"), board=str(board)) as appliance:
                house.expect_last(f"{BASE}/devices", lamp="")
                device = "deskbell-" + appliance.report("state")["deviceID"][:12]
                found = json.loads(house.published(f"homeassistant/device/{device}/config")[-1])["components"]["lamp"]
                colours = ["red", "orange", "yellow", "green", "cyan", "blue", "purple", "white"]
                self.assertEqual(
                    found["effect_list"], PATTERNS + [f"{pattern}-{colour}" for pattern in PATTERNS for colour in colours])
                house.send(f"{BASE}/lamp/set", {"state": "ON", "effect": "blink-purple"})
                house.expect_last(f"{BASE}/lamp", state="ON", effect="blink-purple")
                lamp = appliance.report("state")["presentation"]["lamp"]
                self.assertEqual((lamp["pattern"], lamp["colour"]), ("blink-purple", "purple"))


class BrokerTests(unittest.TestCase):
    """Restrictions and failures of a broker."""

    def test_a_broker_that_is_away_costs_only_itself(self):
        with Broker() as away, connected(at(f"mqtt://127.0.0.1:{away.port}")) as appliance:
            with Subscriber(away) as house:
                house.expect(f"{BASE}/availability", "online")
            away.stop()
            appliance.wait_for_log("home assistant: mqtt://")
            self.assertFalse(appliance.device("home assistant")["works"])
            appliance.run("app", "install", ROOT / "examples/mailroom")
            appliance.run("push", APP, "--body", "Without a house", "--badge", 2)
            away.start()
            with Subscriber(away) as house:
                house.expect(f"{BASE}/availability", "online")
                house.expect_last(f"{BASE}/state", badge=2)
                self.assertEqual(appliance.device("home assistant"), {"name": "home assistant", "works": True})
                self.assertEqual(house.published(f"{BASE}/event/notification"), [])

    def test_nobody_is_there(self):
        with Broker() as nobody:
            nobody.stop()
            with connected(at(f"mqtt://127.0.0.1:{nobody.port}")) as appliance:
                appliance.wait_for_log("home assistant: ")
                self.assertEqual(
                    appliance.device("home assistant")["problem"],
                    f"mqtt://127.0.0.1:{nobody.port}: Connection refused (ECONNREFUSED)")

    def test_a_user_with_a_password(self):
        with Broker(password="correct horse") as strict:
            place = f"mqtt://127.0.0.1:{strict.port}"
            secret = strict.folder / "secret"
            secret.write_text("wrong\n")
            with connected(at(place, user="desk", password_file=secret)) as appliance:
                appliance.wait_for_log("home assistant: ")
                self.assertEqual(appliance.device("home assistant")["problem"], f"{place}: Connection Refused: not authorised.")
                appliance.stop()
                secret.write_text("correct horse\n")
                appliance.start()
                with Subscriber(strict, "desk", "correct horse") as house:
                    house.expect(f"{BASE}/availability", "online")
                self.assertNotIn("correct horse", "\n".join(appliance.errors))

    def test_tls(self):
        # The certificate is one that a daemon has made for this machine.
        with Appliance() as authority:
            tls = authority.state / "tls"
            with Broker(tls=(tls / "server.pem", tls / "server-key.pem")) as secure:
                place = f"mqtts://localhost:{secure.port}"
                with connected(at(place, authority=authority.ca)) as appliance:
                    appliance.wait_for_log("home assistant: connected to")
                    self.assertEqual(appliance.device("home assistant"), {"name": "home assistant", "works": True})
                with connected(at(place)) as appliance:
                    appliance.wait_for_log("home assistant: mqtts://")
                    self.assertIn("certificate verify failed", appliance.device("home assistant")["problem"])

    def test_doctor_warns_of_a_connection_that_can_be_read(self):
        with Appliance() as appliance:
            for place, warnings in (("mqtt://broker.example.com", 1), ("mqtts://broker.example.com", 0),
                                    ("mqtt://127.0.0.1:18830", 0)):
                path = appliance.folder / "other.yaml"
                path.write_text(at(place))
                found = [each for each in appliance.findings("--config", path) if each["subject"] == "broker"]
                self.assertEqual(len(found), warnings, place)

    def test_settings_that_are_wrong(self):
        appliance = Appliance()
        path = appliance.folder / "bad.yaml"
        path.write_text("mqtt:\n  broker: http://localhost\n  topic: desk/#\n  password-file: /dev/null\n")
        done = appliance.command("check", path, check=False)
        appliance.folder_handle.cleanup()
        self.assertEqual(done.returncode, 1)
        self.assertEqual(
            [line.split(": ", 2)[0].removeprefix(str(path)) + ": " + line.split(": ", 2)[2]
             for line in (done.stdout + done.stderr).splitlines() if ": error: " in line],
            [":2:3: password-file: without a user there is no password",
             ":2:11: 'broker' expected mqtts://HOST or, without TLS, mqtt://HOST, with :PORT where it is not 8883 or 1883",
             ":3:10: 'topic' expected a topic without '+', '#', '$' and spaces, such as deskbell/kitchen"])
