"""The time from a push to the first sample, and every sample of a sound."""

import re
import struct

from Tests.Hardware.image import FRAMES_PER_SECOND, TICK_FRAMES, measured_frames
from Tests.support.report import percentile

BOARD = "raspberry-pi-4-multiplexed"
FIRST_SAMPLE_MILLISECONDS = 40
APART_MILLISECONDS = 45
FEWEST_TICKS = 20
BYTES_PER_FRAME = 4
# The long sound, the ticks, and one that is silenced.
SOUNDS = FEWEST_TICKS + 2
# A card that cannot take samples back plays its buffer, up to 186 ms.
SILENCE_MILLISECONDS = 200
# The silence between two sounds.
SILENT_FRAMES = 4_410
# The card's clock is the kernel's tick.
RESOLUTION_MILLISECONDS = 4


def check(run):
    section = run.section("sound", "From a push to sound (loop-back card, whose clock ticks each 4 ms)")
    captured = run.bytes("sound", "captured.raw")
    start = trigger_nanoseconds(run.text("sound", "capture-status"))
    events = run.events("sound")
    lamp = [edge.nanoseconds for edge in run.trace("sound").edges(run.line(BOARD)) if edge.level]
    sounds = runs_of_sound(captured)

    expected = measured_frames()
    first = sounds[0][0] * BYTES_PER_FRAME if sounds else 0
    played = captured[first:first + len(expected)]
    section.note("frames of the long sound", len(expected) // BYTES_PER_FRAME)
    section.equal("differing frames", differing(played, expected), 0)
    tick = expected[:TICK_FRAMES * BYTES_PER_FRAME]
    section.none("ticks that differ", [
        place for place, (begin, _) in enumerate(sounds[1:FEWEST_TICKS + 1], 1)
        if captured[begin * BYTES_PER_FRAME:begin * BYTES_PER_FRAME + len(tick)] != tick])

    accepted = [event["uptimeMicroseconds"] * 1000 for event in events
                if event["event"] == "badge" and event.get("push") and event["number"]]
    samples = [start + begin * 1_000_000_000 // FRAMES_PER_SECOND for begin, _ in sounds]
    section.at_least("sounds", len(samples), SOUNDS)
    section.equal("pushes with a sound", len(accepted), len(samples))
    delays = [(sample - push) / 1e6 for push, sample in zip(accepted, samples)]
    apart = [min((abs(sample - edge) / 1e6 for edge in lamp), default=1e9) for sample in samples]
    if delays:
        section.note("push → first sample, p50", f"{percentile(delays, 50):.1f} ms")
        section.at_most("push → first sample, longest", max(delays), FIRST_SAMPLE_MILLISECONDS, " ms")
        section.at_most("lamp and first sample apart, longest", max(apart), APART_MILLISECONDS, " ms")
        section.at_least("push → first sample, shortest", min(delays), -RESOLUTION_MILLISECONDS, " ms")
    if len(sounds) == SOUNDS:
        silenced = [event["uptimeMicroseconds"] * 1000 for event in events if event["event"] == "button"]
        check_stopped(section, captured, expected, start, sounds[-1], silenced[-1])
    endings = [event["reason"] for event in events if event["event"] == "sound-ended"]
    section.equal("the long sound and all ticks end by themselves", endings[:-1], ["finished"] * (SOUNDS - 1))
    return section


def check_stopped(section, captured, expected, start, sound, silenced):
    """Checks that nothing plays after it was silenced, and that nothing was lost before."""
    begin, end = sound
    silent = start + end * 1e9 / FRAMES_PER_SECOND
    section.at_most("close pressed → silence", (silent - silenced) / 1e6, SILENCE_MILLISECONDS, " ms")
    certain = silenced - start - RESOLUTION_MILLISECONDS * 1_000_000
    whole = certain * FRAMES_PER_SECOND // 1_000_000_000 - begin
    section.equal("differing frames before that", differing(
        captured[begin * BYTES_PER_FRAME:(begin + whole) * BYTES_PER_FRAME], expected[:whole * BYTES_PER_FRAME]), 0)
    last = struct.unpack("<hh", captured[(end - 1) * BYTES_PER_FRAME:end * BYTES_PER_FRAME])
    section.note("loudest of the last frame before silence, of 12,000", max(abs(value) for value in last))


def trigger_nanoseconds(status):
    """Returns the beginning of the capture on the monotonic clock, as alsa-lib requests it of the kernel."""
    seconds, nanoseconds = re.search(r"^trigger_time: (\d+)\.(\d+)$", status, re.MULTILINE).groups()
    return int(seconds) * 1_000_000_000 + int(nanoseconds)


def runs_of_sound(captured):
    """Returns (first frame, frame after the last) of each stretch that is not silent."""
    runs, silence, begin = [], 0, None
    for frame, (value,) in enumerate(struct.iter_unpack("<i", captured[:len(captured) // 4 * 4])):
        if value:
            if begin is None:
                begin = frame
            silence = 0
        elif begin is not None:
            silence += 1
            if silence == SILENT_FRAMES:
                runs.append((begin, frame - SILENT_FRAMES + 1))
                begin, silence = None, 0
    if begin is not None:
        runs.append((begin, len(captured) // 4))
    return runs


def differing(played, expected):
    """Returns the number of frames that differ from the expected ones; missing ones count."""
    return sum(played[at:at + BYTES_PER_FRAME] != expected[at:at + BYTES_PER_FRAME]
               for at in range(0, len(expected), BYTES_PER_FRAME))
