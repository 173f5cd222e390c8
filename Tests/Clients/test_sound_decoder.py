"""A child of the daemon that can only read the file and write samples decodes foreign sound files."""

import math
import os
import re
import resource
import signal
import struct
import subprocess
import time
import unittest
import wave
from pathlib import Path

from Tests.support.appliance import Appliance, Mailroom
from Tests.support.project import DESKBELL, PATIENCE_SECONDS, ROOT

FORMS = "com.example.forms"
SOURCE = [round(20_000 * math.sin(frame / 20)) for frame in range(4_410) for _ in range(2)]
# The capacity of a pipe: writing more returns only after its reader has begun to read.
PIPE_BYTES = 65_536


def little(form, value):
    return struct.pack("<" + form, value)


def wav(data, bits, rate=44_100, channels=2, tag=1):
    frame = channels * bits // 8
    header = struct.pack("<HHIIHH", tag, channels, rate, rate * frame, frame, bits)
    return (b"RIFF" + little("I", 36 + len(data)) + b"WAVEfmt " + little("I", 16) + header
            + b"data" + little("I", len(data)) + data)


def aiff(data, bits):
    # 44,100 as a number of 80 bits.
    common = struct.pack(">hIh", 2, len(data) * 8 // bits // 2, bits) + bytes.fromhex("400eac44000000000000")
    sound = b"\0" * 8 + data
    return (b"FORM" + struct.pack(">I", 4 + 8 + len(common) + 8 + len(sound)) + b"AIFFCOMM"
            + struct.pack(">I", len(common)) + common + b"SSND" + struct.pack(">I", len(sound)) + sound)


def caf(data, bits, flags=0):
    description = struct.pack(">d4sIIIII", 44_100, b"lpcm", flags, bits // 4, 1, 2, bits)
    return (b"caff\0\1\0\0desc" + struct.pack(">q", len(description)) + description
            + b"data" + struct.pack(">q", len(data) + 4) + b"\0\0\0\0" + data)


def samples(form, scale=1):
    """Returns the source in another number format, with each sample multiplied by `scale`."""
    return b"".join(struct.pack(form, sample * scale) for sample in SOURCE)


def three_bytes(order):
    return b"".join((sample * 256).to_bytes(3, order, signed=True) for sample in SOURCE)


# Each of these has the source's own samples.
SAME = {
    "wav16": wav(samples("<h"), 16),
    "wav24": wav(three_bytes("little"), 24),
    "wav32": wav(samples("<i", 65_536), 32),
    "wavFloat": wav(samples("<f", 1 / 32_768), 32, tag=3),
    "wavDouble": wav(samples("<d", 1 / 32_768), 64, tag=3),
    "aiff16": aiff(samples(">h"), 16),
    "aiff24": aiff(three_bytes("big"), 24),
    "caf16": caf(samples(">h"), 16),
    "cafFloat": caf(samples("<f", 1 / 32_768), 32, flags=3),
}


def children(pid):
    """Yields the processes whose parent is this one, with their command lines."""
    for entry in Path("/proc").iterdir():
        try:
            if entry.name.isdigit() and f"\nPPid:\t{pid}\n" in (entry / "status").read_text():
                yield int(entry.name), (entry / "cmdline").read_bytes().split(b"\0")
        except OSError:
            pass  # It has ended meanwhile.


def decoder_of(daemon):
    """Returns the daemon's decoder, as soon as there is one."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < deadline:
        for pid, words in children(daemon):
            if b"decode-sound" in words:
                return pid
    raise AssertionError("there was no decoder")


class SoundDecoderTests(unittest.TestCase):
    def decode(self, **options):
        child = subprocess.Popen(
            [DESKBELL, "decode-sound"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            bufsize=0, **options)
        self.addCleanup(child.wait)
        self.addCleanup(child.kill)
        return child

    def status(self, child):
        return dict(re.findall(r"^(\w+):\s*(.*)$", Path(f"/proc/{child.pid}/status").read_text(), re.MULTILINE))

    def bundle(self, appliance, files):
        return appliance.bundle(f"id: {FORMS}\nname: Forms\n", {f"sounds/{name}": data for name, data in files.items()})

    def installed(self, appliance, name):
        with wave.open(str(appliance.state / "handsets/1/apps" / FORMS / "sounds" / f"{name}.wav")) as file:
            self.assertEqual(file.getparams()[:3], (2, 2, 44_100))
            return file.readframes(file.getnframes())

    def test_it_confines_itself_before_it_decodes(self):
        child = self.decode()
        whole = SAME["wavFloat"] + bytes(PIPE_BYTES)
        # Once these are written, the child is reading, and waits for more.
        child.stdin.write(whole[:PIPE_BYTES + 1])
        status = self.status(child)
        self.assertEqual((status["Threads"], status["NoNewPrivs"]), ("1", "1"))
        # If the kernel has it.
        if "Seccomp" in status:
            self.assertEqual(status["Seccomp"], "2")
        limits = Path(f"/proc/{child.pid}/limits").read_text()
        for name, soft, hard in [
                ("address space", "201326592", "201326592"), ("cpu time", "30", "31"), ("open files", "0", "0"),
                ("processes", "0", "0"), ("file size", "0", "0"), ("core file size", "0", "0")]:
            self.assertRegex(limits, rf"Max {name} +{soft} +{hard} ")
        answer, errors = child.communicate(whole[PIPE_BYTES + 1:], PATIENCE_SECONDS)
        self.assertEqual((child.returncode, errors), (0, b""))
        kind, form, frames = answer.split(b"\n", 2)
        self.assertEqual((kind, form), (b"sound", b"WAV, 32-bit float PCM, 44100 Hz, 2 channels"))
        self.assertEqual(frames, samples("=h"))

    def test_without_memory_it_ends(self):
        child = self.decode()
        long = wav(bytes(2 * 44_100 * 4 * 10), 16)
        child.stdin.write(long[:PIPE_BYTES + 1])
        # All the memory that it has, but no more for the samples.
        size = int(self.status(child)["VmSize"].split()[0]) * 1024
        resource.prlimit(child.pid, resource.RLIMIT_AS, (size, size))
        answer, _ = child.communicate(long[PIPE_BYTES + 1:], PATIENCE_SECONDS)
        self.assertEqual(answer, b"")
        self.assertLess(child.returncode, 0)

    def test_every_form_is_installed_and_sounds_the_same(self):
        with Appliance() as appliance:
            files = {f"{name}.{name[:4].rstrip('0123456789FD')}": data for name, data in SAME.items()}
            refused = {
                "channels.wav": (wav(samples("<h"), 16, channels=3),
                                 " (WAV, 16-bit PCM, 44100 Hz, 3 channels): has 3 channels; mix it down to two"),
                "gsm.wav": (wav(samples("<h"), 16, tag=0x31), " (WAV): cannot be decoded: "),
                "text.wav": (b"text", ": is not a WAV, AIFF or CAF file; convert it to one of these")}
            files.update({name: data for name, (data, _) in refused.items()})
            corpus = ROOT / "Fuzz/Corpus/sound-file"
            others = {"alaw": 1_411, "ulaw": 1_411, "ima": 2_020, "pcm8": 1_103}
            files.update({f"{name}.wav": (corpus / f"{name}.wav").read_bytes() for name in others})
            said = appliance.run("app", "install", self.bundle(appliance, files))
            notes = [line for line in said.splitlines() if line.startswith("note: ")]
            self.assertEqual(len(notes), len(refused), said)
            for note, (name, (_, words)) in zip(notes, sorted(refused.items())):
                self.assertTrue(note.startswith(f"note: sound 'sounds/{name}'{words}"), note)
            for name in SAME:
                self.assertEqual(self.installed(appliance, name), samples("<h"), name)
            for name, frames in others.items():
                self.assertEqual(len(self.installed(appliance, name)), frames * 4, name)

    def test_one_that_hangs_or_dies_keeps_no_push_waiting(self):
        with Mailroom() as appliance:
            # Some tenths of a second of work, so that there is time to interrupt it.
            long = wav(bytes(range(256)) * 900, 8, rate=4_000)
            folder = self.bundle(appliance, {"long.wav": long, "wav16.wav": SAME["wav16"]})
            install = subprocess.Popen(
                [DESKBELL, "app", "install", str(folder)], env=appliance.environment, stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            self.addCleanup(install.communicate)
            self.addCleanup(install.kill)
            decoder = decoder_of(appliance.process.pid)
            os.kill(decoder, signal.SIGSTOP)
            appliance.push({"aps": {"alert": "still here", "sound": "letter"}})
            appliance.wait_for_event("sound-started", name="letter")
            self.assertIsNone(install.poll())
            os.kill(decoder, signal.SIGKILL)
            said, errors = install.communicate(timeout=PATIENCE_SECONDS)
            self.assertEqual((install.returncode, errors), (0, ""))
            self.assertIn(
                "note: sound 'sounds/long.wav': cannot be decoded: the decoder was ended by signal 9; "
                "convert it to WAV with 16-bit Linear PCM; the default sound plays in its place (A1)\n", said)
            self.assertEqual(self.installed(appliance, "wav16"), samples("<h"))
            self.assertEqual(list(children(appliance.process.pid)), [])
            # The file itself was valid.
            self.assertNotIn("note: ", appliance.run("app", "install", folder))
            self.assertEqual(len(self.installed(appliance, "long")), 115_200 * 44_100 // 4_000 * 4)
