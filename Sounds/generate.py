#!/usr/bin/env python3
"""Synthesises the handset's alert sounds, and those of the example app, bit for bit the same on every machine.

    generate.py           writes the files
    generate.py --check   writes nothing; exit code 1 where a file differs from what would be written

Floating-point addition, subtraction, multiplication, division and square root are exactly rounded everywhere; the
library functions sin, exp, pow and log are not. So only those five are used, one at a time: sines come from
damped rotations, their first step from a series; noise comes from a linear congruential generator. No `sum` (its
algorithm differs between versions of Python), no `**`, no complex numbers (a compiler may fuse their products).
"""

import sys
from collections import deque
from math import sqrt
from multiprocessing import Pool
from pathlib import Path

RATE = 44100
PEAK = 23197  # -3.0004 dB of 32768: the last step that is not above -3 dBFS
PI = 3.141592653589793
# Mean square, K-weighted, of the loudest 400 ms of every alert, full scale being 1: -12.5 LUFS.
LOUDNESS = 0.0659

SOUNDS = Path(__file__).resolve().parent
MAILROOM = SOUNDS.parent / "examples" / "mailroom" / "sounds"


# Arithmetic


def sin_cos(angle):
    """Of 0 to pi, by the Taylor series of the half angle, doubled."""
    x = angle / 2
    square = x * x
    sine, cosine, term, n = x, 1.0, x, 1
    while n < 24:
        term = -term * square / ((n + 1) * (n + 2))
        sine += term
        n += 2
    term, n = 1.0, 0
    while n < 24:
        term = -term * square / ((n + 1) * (n + 2))
        cosine += term
        n += 2
    return 2 * sine * cosine, 1 - 2 * sine * sine


def exp_small(x):
    """Of a small number."""
    total, term, n = 1.0, 1.0, 1
    while n < 16:
        term = term * x / n
        total += term
        n += 1
    return total


def decay_step(seconds_60db, rate):
    """What to multiply with at each sample, to be 60 dB down after so many seconds."""
    return exp_small(-6.907755278982137 / (seconds_60db * rate))


class Noise:
    """White, from -1 to 1."""

    def __init__(self, seed):
        self.state = seed

    def __call__(self):
        self.state = (self.state * 6364136223846793005 + 1442695040888963407) % (1 << 64)
        return (self.state >> 40) / 8388608 - 1


def smooth(t):
    """From 0 to 1 without a corner."""
    return 0.0 if t <= 0 else 1.0 if t >= 1 else t * t * (3 - 2 * t)


# Voices. Each adds itself to a stereo pair of lists.


class Canvas:
    def __init__(self, seconds, rate=RATE):
        self.rate = rate
        self.frames = int(seconds * rate)
        self.left = [0.0] * self.frames
        self.right = [0.0] * self.frames

    def partial(self, at, hertz, level, seconds_60db, pan=0.0, attack=0.0015, phase=0.0):
        """A sine that dies away. pan is -1 (left) to 1 (right)."""
        if hertz * 2.2 > self.rate:
            return
        start = int(at * self.rate)
        sine, cosine = sin_cos(2 * PI * hertz / self.rate)
        step = decay_step(seconds_60db, self.rate)
        turn_x, turn_y = cosine * step, sine * step
        y, x = sin_cos(phase)
        rise = max(1, int(attack * self.rate))
        left, right = level * sqrt((1 - pan) / 2), level * sqrt((1 + pan) / 2)
        end = min(self.frames, start + int(1.4 * seconds_60db * self.rate))
        for n in range(start, end):
            value = y * smooth((n - start) / rise) if n - start < rise else y
            self.left[n] += left * value
            self.right[n] += right * value
            x, y = x * turn_x - y * turn_y, x * turn_y + y * turn_x

    def strike(self, at, level, seconds_60db, low, high, seed, pan=0.0, attack=0.0008):
        """A burst of noise between two one-pole filters, whose coefficients (0 to 1) grow with the frequency."""
        noise = Noise(seed)
        start = int(at * self.rate)
        step = decay_step(seconds_60db, self.rate)
        rise = max(1, int(attack * self.rate))
        left, right = level * sqrt((1 - pan) / 2), level * sqrt((1 + pan) / 2)
        slow = fast = 0.0
        loudness = 1.0
        for n in range(start, min(self.frames, start + int(1.2 * seconds_60db * self.rate))):
            white = noise()
            fast += high * (white - fast)
            slow += low * (fast - slow)
            value = (fast - slow) * loudness * smooth((n - start) / rise)
            self.left[n] += left * value
            self.right[n] += right * value
            loudness *= step

    def swell(self, at, seconds, partials, level, pan=0.0, rise=0.02, fall=0.06, seconds_60db=0.8):
        """A tone of harmonics (hertz, level) with soft ends, that falls back after its start."""
        step = decay_step(seconds_60db, self.rate)
        start, length = int(at * self.rate), int(seconds * self.rate)
        left, right = level * sqrt((1 - pan) / 2), level * sqrt((1 + pan) / 2)
        for hertz, height in partials:
            sine, cosine = sin_cos(2 * PI * hertz / self.rate)
            sine, cosine = sine * step, cosine * step
            x, y = 1.0, 0.0
            for n in range(min(length, self.frames - start)):
                t = n / self.rate
                value = y * height * smooth(t / rise) * smooth((seconds - t) / fall)
                self.left[start + n] += left * value
                self.right[start + n] += right * value
                x, y = x * cosine - y * sine, x * sine + y * cosine

    def string(self, at, hertz, level, brightness, sustain, seed, pan=0.0):
        """A plucked string: a loop of noise, averaged at each turn (Karplus and Strong, 1983)."""
        noise = Noise(seed)
        start = int(at * self.rate)
        period = self.rate / hertz - 0.5  # the average is half a sample late
        whole = int(period)
        part = period - whole
        allpass = (1 - part) / (1 + part)
        loop, value = [], 0.0
        for _ in range(whole):
            value += brightness * (noise() - value)
            loop.append(value)
        # Plucked a fifth from the end: every fifth harmonic is weak.
        tap = whole // 5
        loop = [loop[n] - loop[n - tap] for n in range(whole)]
        left, right = level * sqrt((1 - pan) / 2), level * sqrt((1 + pan) / 2)
        position, last, last_in, last_out = 0, 0.0, 0.0, 0.0
        rise = int(0.002 * self.rate)
        for n in range(start, self.frames):
            value = loop[position]
            average = sustain * 0.5 * (value + last)
            last = value
            turned = allpass * (average - last_out) + last_in
            last_in, last_out = average, turned
            loop[position] = turned
            position = position + 1 if position + 1 < whole else 0
            out = value * smooth((n - start) / rise) if n - start < rise else value
            self.left[n] += left * out
            self.right[n] += right * out

    def room(self, level, seconds_60db=0.5):
        """A small wooden room: four echoing paths an ear, a little different, and two diffusers."""
        for side, extra in ((self.left, 0), (self.right, 23)):
            wet = [0.0] * self.frames
            for delay in (1116, 1277, 1422, 1557):
                delay = (delay + extra) * self.rate // RATE
                gain = exp_small(-6.907755278982137 * delay / (seconds_60db * self.rate) / 4)
                gain = gain * gain * gain * gain
                line, position, damped = [0.0] * delay, 0, 0.0
                for n in range(self.frames):
                    out = line[position]
                    damped += 0.6 * (out - damped)
                    line[position] = side[n] + damped * gain
                    position = position + 1 if position + 1 < delay else 0
                    wet[n] += out
            for delay in (556, 225):
                delay = (delay + extra) * self.rate // RATE
                line, position = [0.0] * delay, 0
                for n in range(self.frames):
                    out = line[position]
                    line[position] = wet[n] + 0.5 * out
                    wet[n] = out - 0.5 * wet[n]
                    position = position + 1 if position + 1 < delay else 0
            for n in range(self.frames):
                side[n] += level * wet[n]


# Mastering


def biquad(samples, b0, b1, b2, a1, a2):
    out, x1, x2, y1, y2 = [], 0.0, 0.0, 0.0, 0.0
    for x in samples:
        y = b0 * x + b1 * x1 + b2 * x2 - a1 * y1 - a2 * y2
        x1, x2, y1, y2 = x, x1, y, y1
        out.append(y)
    return out


def loudest(canvas):
    """The K-weighted mean square of the loudest 400 ms (ITU-R BS.1770-4, both filters at 44.1 kHz)."""
    window = int(0.4 * canvas.rate)
    power = [0.0] * max(canvas.frames, window)
    for side in (canvas.left, canvas.right):
        shelf = biquad(
            side, 1.5308412300503476, -2.6509799951547293, 1.169079079921587, -1.6636551132560202, 0.7125954280732254)
        weighted = biquad(shelf, 1.0, -2.0, 1.0, -1.989169673629796, 0.9891990357870394)
        for n in range(canvas.frames):
            power[n] += weighted[n] * weighted[n]
    total = best = 0.0
    for n in range(len(power)):
        total += power[n]
        if n >= window:
            total -= power[n - window]
        if total > best:
            best = total
    return best / window


def limited(canvas, ceiling):
    """Peaks above the ceiling are turned down beforehand and gently, not cut off: no new harmonics."""
    reach = int(0.004 * canvas.rate)
    frames = canvas.frames
    wanted = []
    for n in range(frames):
        peak = max(abs(canvas.left[n]), abs(canvas.right[n]))
        wanted.append(1.0 if peak <= ceiling else ceiling / peak)
    least = least_within(wanted, reach)
    gain = average(average(least, reach // 2), reach // 2)
    result = Canvas(0, canvas.rate)
    result.frames = frames
    result.left = [canvas.left[n] * gain[n] for n in range(frames)]
    result.right = [canvas.right[n] * gain[n] for n in range(frames)]
    return result


def least_within(values, reach):
    """The least of what is within reach on both sides."""
    least, candidates = [], deque()  # of indices, their values rising
    for n in range(len(values) + reach):
        if n < len(values):
            while candidates and values[candidates[-1]] >= values[n]:
                candidates.pop()
            candidates.append(n)
        if n >= reach:
            if candidates[0] < n - 2 * reach:
                candidates.popleft()
            least.append(values[candidates[0]])
    return least


def average(values, reach):
    """The mean of what is within reach; beyond the ends is the end."""
    count = len(values)
    total = values[0] * reach
    for n in range(reach + 1):
        total += values[min(n, count - 1)]
    out = []
    for n in range(count):
        out.append(total / (2 * reach + 1))
        total += values[min(n + reach + 1, count - 1)] - values[max(n - reach, 0)]
    return out


def faded(canvas, rise, fall):
    """Both ends come from silence and go to it."""
    frames = canvas.frames
    rise, fall = int(rise * canvas.rate), int(fall * canvas.rate)
    for side in (canvas.left, canvas.right):
        for n in range(rise):
            side[n] *= smooth(n / rise)
        for n in range(fall):
            side[frames - 1 - n] *= smooth(n / fall)


def peak_of(canvas):
    return max(max(max(canvas.left), -min(canvas.left)), max(max(canvas.right), -min(canvas.right)))


def master(canvas, fall=0.12):
    """Fades the ends, brings the loudness to LOUDNESS with the limiter, the peak to PEAK."""
    # No rumble, and no offset that a fade would turn into a thump.
    for name in ("left", "right"):
        setattr(canvas, name, biquad(getattr(canvas, name), 1.0, -2.0, 1.0, -1.989169673629796, 0.9891990357870394))
    faded(canvas, 0.0015, fall)
    peak = peak_of(canvas)
    full = PEAK / 32768
    low, high, best = 0.12, 1.0, canvas
    if loudest(canvas) * (full / peak) * (full / peak) < LOUDNESS:
        for _ in range(7):
            middle = (low + high) / 2
            best = limited(canvas, peak * middle)
            scale = full / peak_of(best)
            if loudest(best) * scale * scale < LOUDNESS:
                high = middle
            else:
                low = middle
    return quantised(best, full / peak_of(best))


def quantised(canvas, scale):
    """Interleaved 16-bit samples, rounded to the nearest; the peak is exact."""
    samples = []
    for n in range(canvas.frames):
        for side in (canvas.left, canvas.right):
            value = side[n] * scale * 32768
            sample = int(value + 0.5) if value >= 0 else -int(0.5 - value)
            samples.append(max(-PEAK, min(PEAK, sample)))
    return samples


# The alerts


def bell():
    """A reception bell: a hard strike, partials of a shallow dome, the lowest beating slowly."""
    canvas = Canvas(1.6)
    for ratio, level, seconds, pan in (
        (1.0, 1.0, 1.9, -0.15), (1.0016, 0.75, 1.7, 0.15), (0.5, 0.10, 1.2, 0.0), (2.02, 0.55, 1.1, 0.2),
        (2.74, 0.40, 0.85, -0.25), (3.76, 0.26, 0.55, 0.1), (4.97, 0.20, 0.36, -0.1), (6.83, 0.14, 0.20, 0.2),
        (9.1, 0.08, 0.12, 0.0),
    ):
        canvas.partial(0.002, 1318.5 * ratio, level, seconds, pan)
    canvas.strike(0.0, 0.5, 0.03, 0.15, 0.7, 11)
    canvas.room(0.05)
    return master(canvas)


def chime():
    """Two tubes of a door chime, a major third down."""
    canvas = Canvas(1.5)
    for at, hertz, side in ((0.0, 659.26, -0.2), (0.42, 523.25, 0.2)):
        for ratio, level, seconds in (
            (1.0, 1.0, 1.5), (1.002, 0.4, 1.4), (2.0, 0.30, 1.0), (2.76, 0.34, 0.7), (5.40, 0.16, 0.3),
            (8.93, 0.06, 0.12),
        ):
            canvas.partial(at + 0.002, hertz * ratio, level, seconds, side, 0.003)
        canvas.strike(at, 0.25, 0.04, 0.05, 0.4, 21, side)
    canvas.room(0.06, 0.6)
    return master(canvas, 0.2)


def glass():
    """A wine glass, tapped twice with a spoon."""
    canvas = Canvas(1.2)
    for at, force, side in ((0.0, 0.8, -0.15), (0.17, 1.0, 0.15)):
        for ratio, level, seconds in (
            (1.0, 0.8, 1.1), (1.004, 0.35, 1.0), (2.32, 0.75, 0.8), (4.25, 0.42, 0.45), (6.63, 0.20, 0.22),
            (9.38, 0.1, 0.1),
        ):
            canvas.partial(at + 0.001, 1046.5 * ratio, level * force, seconds, side, 0.001)
        canvas.strike(at, 0.35 * force, 0.012, 0.3, 0.9, 31, side)
    canvas.room(0.04, 0.4)
    return master(canvas)


def harp():
    """Four strings of a G major chord, upwards."""
    canvas = Canvas(1.3)
    for n, (hertz, side) in enumerate(((392.0, -0.3), (493.88, -0.1), (587.33, 0.1), (783.99, 0.3))):
        canvas.string(0.085 * n, hertz, 0.8 + 0.07 * n, 0.45, 0.9955, 41 + n, side)
    canvas.room(0.05)
    return master(canvas, 0.25)


def knock():
    """Three knocks on a wooden door."""
    canvas = Canvas(0.75)
    for n, (at, force) in enumerate(((0.0, 0.85), (0.16, 0.8), (0.32, 1.0))):
        for hertz, level, seconds in (
            (196.0, 0.9, 0.24), (331.0, 1.0, 0.21), (527.0, 0.8, 0.16), (874.0, 0.5, 0.10), (1490.0, 0.25, 0.05)
        ):
            canvas.partial(at + 0.001, hertz, level * force, seconds, 0.1 * (n - 1), 0.0008)
        canvas.strike(at, 1.1 * force, 0.035, 0.08, 0.5, 51 + n)
    canvas.room(0.08, 0.3)
    return master(canvas)


def marimba():
    """Three rosewood bars, tuned as such bars are: 1 : 4 : 10."""
    canvas = Canvas(0.95)
    for n, (at, hertz) in enumerate(((0.0, 523.25), (0.12, 659.26), (0.24, 1046.5))):
        side = 0.25 * (n - 1)
        for ratio, level, seconds in ((1.0, 1.0, 0.75), (3.98, 0.26, 0.2), (10.1, 0.07, 0.06)):
            canvas.partial(at + 0.001, hertz * ratio, level, seconds, side, 0.002)
        canvas.strike(at, 0.3, 0.02, 0.03, 0.3, 61 + n, side)
    canvas.room(0.04, 0.35)
    return master(canvas)


def ping():
    """One clear tone and its echoes from either side."""
    canvas = Canvas(0.9)
    for n, (at, level) in enumerate(((0.0, 1.0), (0.19, 0.4), (0.38, 0.16), (0.57, 0.06))):
        side = (0.0, -0.5, 0.5, -0.5)[n]
        canvas.partial(at, 1174.7, level, 0.55, side, 0.004)
        canvas.partial(at, 2349.4, level * 0.22, 0.3, side, 0.004)
        canvas.partial(at, 3524.0, level * 0.06, 0.16, side, 0.004)
    return master(canvas)


def pulse():
    """Three soft electronic tones, the last held."""
    canvas = Canvas(0.85)
    for at, seconds, hertz in ((0.0, 0.12, 783.99), (0.18, 0.12, 783.99), (0.36, 0.4, 987.77)):
        partials = ((hertz, 1.0), (hertz * 2, 0.5), (hertz * 3, 0.3), (hertz * 4, 0.15), (hertz * 5, 0.1))
        canvas.swell(at, seconds, partials, 1.0, -0.1, 0.008, 0.6 * seconds, 0.42)
        canvas.swell(at, seconds, ((hertz * 1.005, 0.35),), 1.0, 0.5, 0.008, 0.6 * seconds, 0.42)
    canvas.room(0.03, 0.3)
    return master(canvas)


def radar():
    """Five short blips that rise and come nearer."""
    canvas = Canvas(0.9)
    for n, hertz in enumerate((698.46, 880.0, 1046.5, 1318.5, 1396.9)):
        level = (0.4, 0.46, 0.54, 0.65, 1.0)[n]
        seconds = 0.09 if n < 4 else 0.26
        partials = ((hertz, 1.0), (hertz * 2, 0.45), (hertz * 3, 0.2))
        canvas.swell(0.115 * n, seconds, partials, level, 0.2 * (n - 2), 0.005, 0.7 * seconds, 0.35)
    canvas.room(0.05, 0.4)
    return master(canvas)


def wood():
    """Two wood blocks, high and low, in a quick figure."""
    canvas = Canvas(0.6)
    for n, (at, hertz, force) in enumerate(((0.0, 1046.5, 0.8), (0.09, 1046.5, 0.8), (0.2, 783.99, 1.0))):
        side = 0.25 if hertz > 1000 else -0.25
        for ratio, level, seconds in ((1.0, 1.0, 0.22), (1.51, 0.45, 0.12), (2.71, 0.35, 0.06), (4.9, 0.12, 0.03)):
            canvas.partial(at, hertz * ratio, level * force, seconds, side, 0.0007)
        canvas.strike(at, 0.7 * force, 0.012, 0.2, 0.8, 71 + n, side)
    canvas.room(0.07, 0.25)
    return master(canvas)


ALERTS = (bell, chime, glass, harp, knock, marimba, ping, pulse, radar, wood)


# The example app's sounds, in other forms that an app may bring: each is converted at install.


def letter():
    """Paper through a slot, and the flap: 16-bit PCM, 22.05 kHz, mono."""
    canvas = Canvas(0.7, 22050)
    canvas.strike(0.0, 0.5, 0.45, 0.15, 0.9, 81, 0.0, 0.09)
    canvas.partial(0.3, 740.0, 0.5, 0.16)
    canvas.partial(0.3, 1178.0, 0.35, 0.1)
    canvas.strike(0.3, 0.9, 0.04, 0.1, 0.6, 82)
    canvas.partial(0.4, 740.0, 0.25, 0.12)
    canvas.strike(0.4, 0.4, 0.03, 0.1, 0.6, 83)
    return master(canvas)


def parcel():
    """Something heavy put down, then a happy third: A-law, 44.1 kHz, mono."""
    canvas = Canvas(0.9)
    canvas.partial(0.0, 110.0, 1.0, 0.25)
    canvas.partial(0.0, 173.0, 0.7, 0.18)
    canvas.strike(0.0, 0.9, 0.06, 0.03, 0.3, 91)
    for at, hertz in ((0.2, 659.26), (0.32, 830.61)):
        canvas.partial(at, hertz, 0.9, 0.6)
        canvas.partial(at, hertz * 4, 0.2, 0.2)
    return master(canvas)


def stamp():
    """A rubber stamp: the pad, then the paper: µ-law, 22.05 kHz, mono."""
    canvas = Canvas(0.5, 22050)
    for at, force, seed in ((0.0, 0.5, 95), (0.18, 1.0, 96)):
        canvas.partial(at, 145.0, force, 0.14)
        canvas.partial(at, 392.0, 0.7 * force, 0.1)
        canvas.partial(at, 910.0, 0.3 * force, 0.05)
        canvas.strike(at, force, 0.03, 0.08, 0.6, seed)
    return master(canvas)


# Files


def little(number, count):
    return number.to_bytes(count, "little")


def big(number, count):
    return number.to_bytes(count, "big")


def pcm(samples):
    return b"".join(sample.to_bytes(2, "little", signed=True) for sample in samples)


def mono(samples):
    return [samples[n] if abs(samples[n]) >= abs(samples[n + 1]) else samples[n + 1] for n in range(0, len(samples), 2)]


def wav(samples, channels=2, rate=RATE):
    data = pcm(samples)
    fmt = little(1, 2) + little(channels, 2) + little(rate, 4) + little(rate * channels * 2, 4)
    fmt += little(channels * 2, 2) + little(16, 2)
    chunks = b"WAVEfmt " + little(16, 4) + fmt + b"data" + little(len(data), 4) + data
    return b"RIFF" + little(len(chunks), 4) + chunks


def mulaw(sample):
    """ITU-T G.711."""
    sign = 0x80 if sample < 0 else 0
    magnitude = min(abs(sample), 32635) + 132
    exponent = magnitude.bit_length() - 8
    return ~(sign | exponent << 4 | magnitude >> (exponent + 3) & 15) & 0xFF


def alaw(sample):
    """ITU-T G.711."""
    sign = 0x80 if sample >= 0 else 0
    magnitude = min(sample if sample >= 0 else ~sample, 32767) >> 3
    exponent = max(0, magnitude.bit_length() - 5)
    mantissa = magnitude >> (exponent if exponent > 0 else 1) & 15
    return (sign | exponent << 4 | mantissa) ^ 0x55


def aiff_mulaw(samples, rate):
    data = bytes(mulaw(sample) for sample in samples)
    exponent = rate.bit_length() - 1
    extended = big(16383 + exponent, 2) + big(rate << (63 - exponent), 8)  # 80 bits, the standard's own form
    comm = big(1, 2) + big(len(data), 4) + big(16, 2) + extended + b"ulaw" + b"\x00\x00"
    chunks = b"FVER" + big(4, 4) + big(0xA2805140, 4) + b"COMM" + big(len(comm), 4) + comm
    chunks += b"SSND" + big(8 + len(data), 4) + big(0, 8) + data + b"\x00" * (len(data) % 2)
    return b"FORM" + big(4 + len(chunks), 4) + b"AIFC" + chunks


def caf_alaw(samples, rate):
    data = bytes(alaw(sample) for sample in samples)
    exponent = rate.bit_length() - 1
    double = big((1023 + exponent) << 52 | (rate << (52 - exponent)) - (1 << 52), 8)
    desc = double + b"alaw" + big(0, 4) + big(1, 4) + big(1, 4) + big(1, 4) + big(8, 4)
    return (
        b"caff" + big(1, 2) + big(0, 2) + b"desc" + big(len(desc), 8) + desc
        + b"data" + big(4 + len(data), 8) + big(0, 4) + data
    )


def make(path):
    """The bytes of one file."""
    if path.parent == SOUNDS:
        return wav(globals()[path.stem]())
    if path.name == "letter.wav":
        return wav(mono(letter()), 1, 22050)
    if path.name == "stamp.aiff":
        return aiff_mulaw(mono(stamp()), 22050)
    return caf_alaw(mono(parcel()), RATE)


FILES = [SOUNDS / f"{alert.__name__}.wav" for alert in ALERTS]
FILES += [MAILROOM / name for name in ("letter.wav", "stamp.aiff", "parcel.caf")]


def main():
    if sys.argv[1:] not in ([], ["--check"]):
        sys.exit(__doc__)
    differing = 0
    with Pool() as pool:
        for path, content in zip(FILES, pool.imap(make, FILES)):
            name = path.relative_to(SOUNDS.parent)
            if sys.argv[1:] == []:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(content)
                print(f"{name}: {len(content)} bytes")
            elif not path.exists() or path.read_bytes() != content:
                differing += 1
                print(f"{name}: differs from what Sounds/generate.py makes; run it to write the file", file=sys.stderr)
    if differing:
        sys.exit(1)
    if sys.argv[1:]:
        print(f"{len(FILES)} sounds are as Sounds/generate.py makes them")


if __name__ == "__main__":
    main()
