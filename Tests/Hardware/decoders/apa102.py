"""A row of APA102. Source: Shiji Lighting, APA102 data sheet."""

import unittest

from .signals import Wire, bits_of
from .timing import Timing

# The data sheet has a picture and no numbers; this is half the period of its fastest clock.
LIMITS = {"clock high": (30, "clock"), "clock low": (30, "clock"), "data before clock": (30, "clock")}


class APA102:
    """The receiving end. Lines: data, clock. `faces` has red, green and blue of each lamp, in 31 steps of brightness."""

    rest = (0, 0)
    scan = None

    def __init__(self, lamps):
        self.lamps = lamps
        self.timing = Timing(LIMITS)
        self.errors, self.faces, self.bits = [], [], []
        self.levels = list(self.rest)
        self.rose = self.fell = self.data_changed = None

    def change(self, time, line, level):
        self.levels[line] = level
        if line == 0:
            self.data_changed = time
        elif not level:
            self.timing.measure("clock high", self.rose, time)
            self.fell = time
        else:
            self.timing.measure("clock low", self.fell, time)
            self.timing.measure("data before clock", self.data_changed, time)
            self.rose = time
            self.clock(time, self.levels[0])

    def clock(self, time, bit):
        self.bits.append(bit)
        first, frames = 32, 32 * self.lamps
        if len(self.bits) == first + 1 and not bit:
            # A frame begins with a one: the start is longer.
            self.bits.pop()
        elif len(self.bits) <= first:
            if bit:
                self.errors.append((time, "a one in the 32 zeros of the start"))
                self.bits.clear()
            return
        # Each lamp takes its frame and passes the rest on, half a clock late; an SK9822 waits for 32 more.
        if len(self.bits) < first + frames + 32 + (self.lamps + 1) // 2:
            return
        frame, end = self.bits[first:first + frames], self.bits[first + frames:]
        if any(end):
            self.errors.append((time, "a one after the last lamp's frame"))
        self.faces.append((time, [self.colour(time, frame[at:at + 32]) for at in range(0, frames, 32)]))
        # What is left of the last byte is zeros, which lengthen the next start.
        self.bits.clear()

    def colour(self, time, bits):
        step, blue, green, red = (int("".join(map(str, bits[at:at + 8])), 2) for at in range(0, 32, 8))
        if step < 0xE0:
            self.errors.append((time, f"a frame that begins with {step:02x}"))
        return tuple(part * (step & 31) // 31 for part in (red, green, blue))


class APA102Tests(unittest.TestCase):
    def send(self, *data, lamps=1):
        chip = APA102(lamps)
        wire = Wire(chip)
        for bit in bits_of(*data):
            wire.set(0, bit, 500)
            wire.set(1, 1, 500)
            wire.set(1, 0, 500)
        return chip

    def test_the_colours_of_each_lamp(self):
        chip = self.send(0, 0, 0, 0, 0xFF, 1, 2, 3, 0xE0, 9, 9, 9, 0, 0, 0, 0, 0, lamps=2)
        self.assertEqual((chip.faces[-1][1], chip.errors, chip.timing.violations), ([(3, 2, 1), (0, 0, 0)], [], []))

    def test_nothing_before_the_end(self):
        self.assertEqual(self.send(0, 0, 0, 0, 0xFF, 1, 2, 3, 0, 0, 0, 0).faces, [])

    def test_wrong_bits(self):
        self.assertEqual(self.send(1).errors[0][1], "a one in the 32 zeros of the start")
        self.assertEqual(self.send(0, 0, 0, 0, 0x9F, 1, 2, 3, 0, 0, 0, 0, 0).errors[0][1], "a frame that begins with 9f")
        self.assertEqual(
            self.send(0, 0, 0, 0, 0xFF, 1, 2, 3, 1, 0, 0, 0, 0).errors[0][1], "a one after the last lamp's frame")
