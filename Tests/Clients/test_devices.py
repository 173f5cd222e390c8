"""The daemon with missing devices, and with a sound card that records its input."""

import datetime
import subprocess
import unittest
import wave

from Tests.support.appliance import APP, Appliance, Mailroom
from Tests.support.project import DESKBELL, ROOT

ALSA = """
pcm.written {{
  type file
  slave.pcm {{ type null }}
  file "{file}"
  format raw
}}
"""


class DeviceTests(unittest.TestCase):
    def test_the_sound_card_hears_the_installed_sound_sample_for_sample(self):
        appliance = Mailroom("--pcm", "written", wav=False)
        played, config = appliance.folder / "heard.raw", appliance.folder / "asound.conf"
        config.write_text(ALSA.format(file=played))
        appliance.environment["ALSA_CONFIG_PATH"] = str(config)
        with appliance:
            identifier = appliance.push({"aps": {"alert": "hello", "sound": "letter.wav"}})
            ended = appliance.wait_for_event("sound-ended")
            self.assertEqual((ended["name"], ended["reason"], ended["push"]), ("letter", "finished", identifier))
            with wave.open(str(appliance.state / "handsets/1/apps" / APP / "sounds/letter.wav")) as installed:
                self.assertEqual(installed.getparams()[:3], (2, 2, 44100))
                frames = installed.readframes(installed.getnframes())
            # The plug-in pads the last period.
            self.assertEqual(played.read_bytes()[: len(frames)], frames)
            self.assertEqual(set(played.read_bytes()[len(frames):]) - {0}, set())

    def test_missing_devices_cost_only_themselves(self):
        with Appliance("--pcm", "nowhere", board="raspberry-pi-4", wav=False) as appliance:
            errors = "\n".join(appliance.errors)
            self.assertIn("pinctrl-bcm2711", errors)
            appliance.install_mailroom()
            # Each try that fails doubles the pause: no push tries the card in the next seconds.
            for _ in range(4):
                self.assertIn("PCM 'nowhere'", appliance.refusal("sound", "play"))
            self.assertEqual(appliance.curl('{"aps": {"badge": 12, "sound": "default"}}')[0], 200)
            presented = appliance.wait_for_event("presented")
            self.assertEqual((presented["sound"], presented["silenced"]), ("default", "speaker-lost"))
            explained = appliance.report("explain", presented["push"])["summary"]
            self.assertIn("did not ring: the speaker does not work, and is not tried again yet (A5). It showed", explained)
            self.assertNotIn("sound default", explained)
            self.assertIn("PCM 'nowhere'", "\n".join(appliance.errors))
            state = appliance.report("state")
            self.assertEqual(state["presentation"]["badge"], 12)
            broken = {device["name"]: device["problem"] for device in state["devices"] if not device["works"]}
            self.assertEqual(set(broken), {"lamp", "display", "speaker"})
            self.assertIn("PCM 'nowhere'", broken["speaker"])
            self.assertIn("pinctrl-bcm2711", broken["lamp"])

    def test_night_dims_the_display_while_virtual_time_goes_by(self):
        for display in ["multiplexed", "max7219", "74hc595-static", "74hc595-multiplexed", "ht16k33-8", "tm1650"]:
            with self.subTest(display), Mailroom(
                    "--clock", "virtual", "--display", display, environment={"TZ": "UTC"}) as appliance:
                now = datetime.datetime.fromtimestamp(
                    appliance.report("state")["wallMicroseconds"] / 1e6, datetime.timezone.utc)
                dusk, dawn = (now + datetime.timedelta(minutes=minutes) for minutes in (2, 4))
                appliance.run("settings", "night-hours", f"{dusk:%H:%M}-{dawn:%H:%M}")
                self.assertEqual(appliance.curl('{"aps": {"badge": 34}}')[0], 200)
                appliance.wait_for_event(lambda event: event["event"] == "display" and event["text"].strip() == "34")
                seen = []
                for _ in range(3):
                    shown = appliance.report("state")["presentation"]
                    seen.append((shown["digits"].strip(), shown["dimmed"]))
                    appliance.run("clock", "advance", "2m")
                self.assertEqual(seen, [("34", False), ("34", True), ("34", False)])
                self.assertTrue(any('34"' in line for line in appliance.lines), appliance.lines)

    def test_a_scanned_display_is_counted_and_a_motor_runs(self):
        with Appliance() as appliance:
            appliance.stop()
            path = appliance.folder / "board.yaml"
            path.write_text((ROOT / "board-configs/simulated.yaml").read_text() + "motor: { line: MOTOR }\n")
            appliance.options[appliance.options.index("--board") + 1] = str(path)
            appliance.options += ["--display", "multiplexed"]
            appliance.start()
            # At most the one frame that clears another program's output.
            self.assertLessEqual(appliance.report("state")["scan"]["frames"], 1)
            appliance.install_mailroom()
            self.assertEqual(appliance.curl('{"aps": {"badge": 34, "alert": "hello", "sound": "default"}}')[0], 200)
            appliance.wait_for_event(lambda event: event["event"] == "display" and event["text"].strip() == "34")
            scan = appliance.report("state")["scan"]
            self.assertGreater(scan["frames"], 0)
            self.assertLessEqual(scan["lateFrames"], scan["frames"])
            # Ordinary code sets simulated lines.
            self.assertFalse(scan["isRealTime"])
            self.assertRegex(appliance.command("state").stdout, r"scan +[0-9]+ frames, [0-9]+ late, without real-time")
            appliance.wait_for_event("sound-ended")
            self.assertTrue(any("motor ≋" in line for line in appliance.lines), appliance.lines)

    def test_a_state_directory_has_one_daemon(self):
        with Appliance() as appliance:
            second = appliance.refusal("serve", "--state", appliance.state, "--listen", "127.0.0.1:0")
            self.assertIn(str(appliance.process.pid), second)
            self.assertIn(str(appliance.state), second)

    def test_commands_without_a_daemon_say_so(self):
        with Appliance() as appliance:
            appliance.stop()
            self.assertEqual(appliance.command("state", check=False).returncode, 3)

    def test_a_board_file_with_mistakes_is_explained(self):
        with Appliance() as appliance:
            board = appliance.folder / "board.yaml"
            board.write_text(
                "board: Mine\nchip: pinctrl-bcm2711\nlamp: { lien: GPIO17 }\n"
                "display:\n  type: tm1637\n  digits: 5\n  clock: GPIO23\n  data: GPIO23\n")
            checked = appliance.command("check", board, check=False)
            self.assertEqual(checked.returncode, 1)
            lines = (checked.stdout + checked.stderr).splitlines()
            places = [line.split(" error: ")[0] for line in lines if " error: " in line]
            self.assertEqual(places, [f"{board}:3:9:", f"{board}:6:11:", f"{board}:8:9:"])
            self.assertIn("used twice", lines[2])

    def test_any_display_on_any_board(self):
        settings = "board: simulated\ndisplay: %s\n"
        with Appliance(board=None) as appliance:
            appliance.stop()
            for display, digits in (("max7219", 8), ("tm1637-6", 6), ("none", None)):
                appliance.configure(settings % display)
                appliance.start()
                shown = appliance.report("state")["presentation"].get("digits")
                self.assertEqual(shown and len(shown), digits, display)
                appliance.stop()
            appliance.configure(settings % "tm1637x")
            self.assertIn(
                "display 'tm1637x': no such file and no shipped display, did you mean 'tm1637'?",
                appliance.refusal(*appliance.arguments(0)))

    def test_a_display_in_the_way_of_another_device_is_named(self):
        board = ROOT / "board-configs/raspberry-pi-4-buttons.yaml"
        checked = subprocess.run([DESKBELL, "check", board, "--display", "max7219"], capture_output=True, text=True)
        self.assertEqual(checked.returncode, 1)
        first = checked.stdout.splitlines()[0]
        self.assertRegex(first, r"/headers/raspberry-pi\.yaml:\d+:\d+: error: 'data' of the display: line 'GPIO5', pin 29, is "
                         r"used twice, first by the view button at .*/raspberry-pi-4-buttons\.yaml:\d+:\d+$")

    def test_shipped_boards_are_good(self):
        boards = sorted((ROOT / "board-configs").rglob("*.yaml"))
        self.assertGreaterEqual(len(boards), 24)
        checked = subprocess.run([DESKBELL, "check", *map(str, boards)], capture_output=True, text=True)
        self.assertEqual((checked.returncode, checked.stderr), (0, ""))
