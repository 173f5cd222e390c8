"""Sounds on their own: a file is checked, one is played through the daemon, and each has the right loudness."""

import array
import json
import unittest
import wave

from Tests.support.appliance import APP, Appliance, Mailroom
from Tests.support.project import ROOT


def samples(path):
    with wave.open(str(path)) as file:
        return array.array("h", file.readframes(file.getnframes()))


def at(volume, samples):
    factor = round(volume * 65536)
    return array.array("h", [(sample * factor + 32768) >> 16 for sample in samples])


class SoundTests(unittest.TestCase):
    def test_check_says_what_would_play(self):
        appliance = Appliance()
        self.addCleanup(appliance.folder_handle.cleanup)
        letter = ROOT / "examples/mailroom/sounds/letter.wav"
        [report] = appliance.report("sound", "check", letter)
        self.assertEqual(report["plays"], "itself")
        self.assertNotIn("problem", report)
        self.assertGreater(report["seconds"], 0)
        self.assertLessEqual(report["peakDecibels"], 0)
        text = appliance.run("sound", "check", letter)
        for word in ("format", "length", "peak", "loudness", "clipping", "plays"):
            self.assertIn(word, text)
        done = appliance.command("sound", "check", letter, ROOT / "README.md", "--json", check=False)
        self.assertEqual(done.returncode, 1)
        bad = json.loads(done.stdout)[1]
        self.assertEqual(bad["plays"], "default")
        self.assertEqual(bad["problem"], "is not a WAV, AIFF or CAF file; convert it to one of these")
        missing = appliance.refusal("sound", "check", "/nowhere.wav")
        self.assertIn("/nowhere.wav cannot be read: No such file or directory", missing)
        # Without a daemon nothing plays.
        self.assertEqual(appliance.command("sound", "play", check=False).returncode, 3)
        self.assertEqual(appliance.command("sound", "play", "a", "b", "c", check=False).returncode, 2)

    def test_plays_an_apps_sound_a_file_and_the_default(self):
        with Mailroom() as appliance:
            appliance.run("settings", APP, "volume", "40%")
            self.assertEqual(appliance.report("sound", "play", APP, "letter"), {"sound": "letter"})
            stamp = ROOT / "examples/mailroom/sounds/stamp.aiff"
            self.assertEqual(appliance.run("sound", "play", stamp), "playing stamp.aiff\n")
            appliance.run("sound", "play")
            appliance.run("sound", "play", "default")
            refused = appliance.command("sound", "play", APP, "lettre", check=False)
            self.assertEqual(refused.returncode, 1)
            self.assertIn(f"'{APP}' has no sound 'lettre'", refused.stderr)
            self.assertIn("did you mean 'letter'?", refused.stderr)
            self.assertIn("is not a WAV, AIFF or CAF file", appliance.refusal("sound", "play", ROOT / "README.md"))
            started = [e for e in appliance.events() if e["event"] == "sound-started"]
            self.assertEqual([e["name"] for e in started], ["letter", "stamp.aiff", "default", "default"])
            self.assertTrue(all("push" not in e for e in started))
            appliance.stop()
            played = sorted(appliance.sounds.glob("*.wav"))
            self.assertEqual(
                [path.name for path in played],
                ["000001-letter.wav", "000002-stamp_aiff.wav", "000003-default.wav", "000004-default.wav"])
            installed = samples(appliance.state / "handsets/1/apps" / APP / "sounds/letter.wav")
            self.assertEqual(samples(played[0]), at(0.4, installed))

    def test_shipped_sounds_by_name_and_as_the_default_sound(self):
        with Mailroom() as appliance:

            def played(sound):
                """Returns the sound played for a push with that sound: its name, and the samples."""
                before = appliance.report("state")["lastEvent"]
                appliance.push({"aps": {"alert": "hello", "sound": sound}})
                ended = appliance.wait_for_event("sound-ended", before)
                return ended["name"], samples(sorted(appliance.sounds.iterdir())[-1])

            def shipped(name):
                return name, samples(ROOT / f"Sounds/{name}.wav")

            self.assertEqual(played("chime"), shipped("chime"))
            self.assertEqual(played("glass.caf"), shipped("glass"))
            self.assertEqual(played("letter")[0], "letter")
            self.assertEqual(played("default"), ("default", samples(ROOT / "Sounds/bell.wav")))
            # Each choice takes effect at once, and an app's overrides the handset's.
            appliance.run("settings", "default-sound", "marimba")
            self.assertEqual(played("default"), shipped("marimba"))
            appliance.run("settings", APP, "default-sound", "knock")
            self.assertEqual(played("nothing"), shipped("knock"))
            self.assertEqual(appliance.report("sound", "play"), {"sound": "marimba"})
            self.assertEqual(appliance.report("sound", "play", "wood"), {"sound": "wood"})
            self.assertEqual(appliance.report("sound", "play", APP, "wood"), {"sound": "wood"})
            self.assertIn("did you mean 'chime'?", appliance.refusal("settings", "default-sound", "chimes"))
            push = [event for event in appliance.events() if event["event"] == "presented"][-1]["push"]
            explained = appliance.run("explain", push)
            self.assertIn("the person chose the default sound", explained)

    def test_an_apps_volume_and_a_critical_sounds_own(self):
        with Mailroom() as appliance:
            appliance.run("settings", APP, "volume", "30%")
            appliance.run("settings", APP, "critical", "on")

            def ring(sound, level):
                last = appliance.last_sequence()
                appliance.push({"aps": {"sound": sound, "interruption-level": level}})
                appliance.wait_for_event("sound-ended", last)

            ring("letter", "active")
            ring({"critical": 1, "name": "letter", "volume": 0.75}, "critical")
            appliance.stop()
            installed = samples(appliance.state / "handsets/1/apps" / APP / "sounds/letter.wav")
            first, second = sorted(appliance.sounds.glob("*.wav"))
            self.assertEqual(samples(first), at(0.3, installed))
            self.assertEqual(samples(second), at(0.75, installed))

    def test_a_missing_card_is_reported_to_the_caller(self):
        with Appliance("--pcm", "nowhere", wav=False) as appliance:
            self.assertIn("'default' cannot be played: speaker: PCM 'nowhere'", appliance.refusal("sound", "play"))
