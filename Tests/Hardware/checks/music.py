"""Music is lowered while a sound plays and returns without a click, as the other end of the card hears both (rule A3).

The waveform of the run is drawn in .build/hardware/music.svg; docs/sound-and-music.svg is one of these.
"""

import json
import math
import statistics
import struct

from Tests.Hardware.image import (
    FRAMES_PER_SECOND, MUSIC_AMPLITUDE, MUSIC_PERIOD, RIGHT_FRAMES, right_frames)

LOWERED_DECIBELS = 20 * math.log10(0.2)
# A volume control has steps: those of a softvol are 0.2 dB.
STEP_DECIBELS = 0.25
# The ramp takes 200 ms down and 400 ms up; what is buffered when it begins, at most 93 ms, keeps its level.
DOWN_MILLISECONDS, UP_MILLISECONDS = 350, 550
# The music's level may change by so much from one of its periods (2.3 ms) to the next. Music that is switched to its level
# and back jumps by 14 dB.
JUMP_DECIBELS = 2.5
WIDTH, LANE, LEFT, TOP = 720, 110, 56, 26


def check(run):
    section = run.section("music", "Music and a sound on one card, mixed by ALSA")
    left, right = channels(run.bytes("music", "captured.raw"))
    levels = peaks(left, MUSIC_PERIOD)
    heard = [frame for frame, value in enumerate(right) if value]
    begin, end = heard[0], heard[-1] + 1
    first, last = begin // MUSIC_PERIOD, end // MUSIC_PERIOD
    before = statistics.median(levels[first - 200:first])
    lowered = statistics.median(levels[(first + last) // 2:last - 20])
    section.at_least("level before, of 12,000", before, MUSIC_AMPLITUDE - 1)
    section.at_most("lowered by, off 14 dB", abs(decibels(lowered / before) - LOWERED_DECIBELS), STEP_DECIBELS, " dB")
    section.note("lowered by", f"{-decibels(lowered / before):.1f} dB")
    after = [level for level in levels[last + 400:last + 600] if level]
    section.equal("level after, the same", (min(after), max(after)), (before, before))

    down = next(place for place in range(first, last) if levels[place] <= lowered * 1.02)
    up = next(place for place in range(last, len(levels)) if levels[place] >= before)
    fade = [milliseconds(down * MUSIC_PERIOD - begin), milliseconds(up * MUSIC_PERIOD - end)]
    section.at_most("first sample of the sound \N{RIGHTWARDS ARROW} lowered", fade[0], DOWN_MILLISECONDS, " ms")
    section.at_most("last sample of the sound \N{RIGHTWARDS ARROW} music as before", fade[1], UP_MILLISECONDS, " ms")
    steps = [abs(decibels(two / one)) for one, two in zip(levels[first - 20:up + 20], levels[first - 19:up + 21])]
    section.at_most("largest step of the music's level", max(steps), JUMP_DECIBELS, " dB")

    expected = [value for _, value in struct.iter_unpack("<hh", right_frames())]
    played = right[begin - 1:begin - 1 + RIGHT_FRAMES]
    section.equal("differing frames of the sound", sum(one != two for one, two in zip(played, expected)), 0)
    # The panel's files are not on the virtual board.
    problems = [device["problem"] for device in json.loads(run.text("music", "state.json"))["devices"]
                if not device["works"] and device["name"] != "web panel"]
    section.none("devices that do not work, but for the panel", problems)
    drawing = draw(left, right, begin, end, fade, decibels(lowered / before))
    (run.folder.parent.parent.parent / "music.svg").write_text(drawing)
    return section


def channels(captured):
    frames = list(struct.iter_unpack("<hh", captured[:len(captured) // 4 * 4]))
    return [left for left, _ in frames], [right for _, right in frames]


def peaks(samples, length):
    return [max(map(abs, samples[at:at + length])) for at in range(0, len(samples) - length + 1, length)]


def decibels(share):
    return 20 * math.log10(share) if share > 0 else -100.0


def milliseconds(frames):
    return frames * 1000 / FRAMES_PER_SECOND


def draw(left, right, begin, end, fade, lowered):
    """Draws both channels from 0.7 s before the sound to 1.3 s after it."""
    first, last = begin - int(0.7 * FRAMES_PER_SECOND), end + int(1.3 * FRAMES_PER_SECOND)
    scale = WIDTH / (last - first)
    at = lambda frame: round(LEFT + (frame - first) * scale, 1)
    lanes = [("music", left, TOP, "#9a5200"), ("sound", right, TOP + LANE + 16, "#3d6a8a")]
    height = TOP + 2 * LANE + 16 + 44
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {LEFT + WIDTH + 14} {height}" role="img" '
        'font-family="sans-serif" font-size="12">',
        f"<title>The music on the left channel, lowered by {-lowered:.1f} dB while a sound plays on the right one</title>",
        f'<rect width="{LEFT + WIDTH + 14}" height="{height}" fill="#fffdf9"/>']
    for name, samples, top, colour in lanes:
        middle = top + LANE / 2
        lines.append(f'<text x="6" y="{middle + 4:.0f}" fill="#26221c">{name}</text>')
        lines.append(f'<path fill="{colour}" d="{outline(samples, first, last, middle)}"/>')
    bottom = TOP + 2 * LANE + 16
    places = [(begin, "sound begins"), (begin + fade[0] * FRAMES_PER_SECOND / 1000, f"lowered after {fade[0]:.0f} ms"),
              (end, "sound ends"), (end + fade[1] * FRAMES_PER_SECOND / 1000, f"as before after {fade[1]:.0f} ms")]
    for place, (frame, words) in enumerate(places):
        lines.append(f'<path d="M{at(frame)} {TOP - 4}V{bottom + 4}" stroke="#6c6456" stroke-dasharray="3 3"/>')
        anchor, shift = (("end", -3) if place % 2 == 0 else ("start", 3))
        lines.append(f'<text x="{at(frame) + shift}" y="{TOP - 9}" text-anchor="{anchor}" fill="#26221c">{words}</text>')
    for tenths in range(0, int((last - first) / FRAMES_PER_SECOND * 10) + 1, 5):
        x = at(first + tenths * FRAMES_PER_SECOND / 10)
        lines.append(f'<path d="M{x} {bottom + 6}v6" stroke="#6c6456"/>')
        lines.append(f'<text x="{x}" y="{bottom + 26}" text-anchor="middle" fill="#6c6456">{tenths / 10:g} s</text>')
    return "\n".join(lines + ["</svg>"]) + "\n"


def outline(samples, first, last, middle):
    """Returns the path of a waveform: the highest and the lowest sample of each pixel."""
    above, below = [], []
    for pixel in range(WIDTH):
        part = samples[first + (last - first) * pixel // WIDTH:first + (last - first) * (pixel + 1) // WIDTH] or [0]
        above.append(f"{LEFT + pixel} {middle - max(part) * LANE / 2 / 13_000 - 0.4:.1f}")
        below.append(f"{LEFT + pixel} {middle - min(part) * LANE / 2 / 13_000 + 0.4:.1f}")
    return "M" + "L".join(above + below[::-1]) + "Z"
