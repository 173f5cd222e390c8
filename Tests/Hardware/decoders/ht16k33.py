"""Backpacks with an HT16K33. Sources: Holtek, HT16K33 data sheet Rev. 1.10; Adafruit, the backpacks' schematics."""

import unittest

from .glyphs import text
from .signals import Wire
from .two_wire import I2C, TwoWire, two_wire_transfer


class HT16K33(TwoWire):
    """A row of backpacks with these addresses, leftmost first. Lines: clock, data."""

    limits, is_most_first = I2C, True

    def __init__(self, addresses, segments=7):
        super().__init__()
        self.segments = segments
        self.chips = {address: {"memory": [None] * 16, "runs": False, "is_on": False, "dimming": None}
                      for address in addresses}

    def take(self, time, data):
        chip = self.chips.get(data[0] >> 1)
        if chip is None or data[0] & 1 or len(data) < 2:
            self.errors.append((time, f"unknown bytes {bytes(data).hex(' ')}"))
        elif not chip["runs"] and data[1] not in (0x20, 0x21):
            # Without its oscillator the chip takes nothing else. [Power-on reset]
            self.errors.append((time, f"in standby: {bytes(data).hex(' ')}"))
        elif not self.write(chip, data[1], data[2:]):
            self.errors.append((time, f"unknown bytes {bytes(data).hex(' ')}"))
        lit = [chip for chip in self.chips.values() if chip["runs"] and chip["is_on"]]
        if any(None in [*chip["memory"], chip["dimming"]] for chip in lit):
            self.errors.append((time, "lit before all of it was written"))
        self.brightness = lit[0]["dimming"] if lit else None
        self.faces.append((time, text([glyph for chip in self.chips.values() for glyph in self.glyphs(chip, time)])))

    @staticmethod
    def write(chip, command, data):
        if command <= 0x0F and command + len(data) <= 16:
            chip["memory"][command:command + len(data)] = data
        elif data:
            return False
        elif command in (0x20, 0x21):
            chip["runs"] = command == 0x21
        elif command in (0x80, 0x81):
            chip["is_on"] = command == 0x81
        elif command & 0xF0 == 0xE0:
            chip["dimming"] = command & 15
        else:
            return False
        return True

    def glyphs(self, chip, time):
        if not (chip["runs"] and chip["is_on"]):
            return [0] * 4
        memory = [byte or 0 for byte in chip["memory"]]
        if self.segments == 7:
            return [memory[place] for place in (0, 2, 6, 8)]
        words = [memory[2 * digit] | memory[2 * digit + 1] << 8 for digit in range(4)]
        # The middle bar is two segments; the others beyond a to f are no part of a number.
        if any(word & 0xBF00 or word & 0xC0 in (0x40, 0x80) for word in words):
            self.errors.append((time, "a segment that no digit with seven segments has"))
        return [word & 0x7F | (word >> 14 & 1) << 7 for word in words]


def ht16k33(display):
    addresses = display.get("addresses") or [f"{0x70 + place:#x}" for place in range(display["digits"] // 4)]
    chip = HT16K33([int(address, 16) for address in addresses], display.get("segments-per-digit", 7))
    return chip, [display["clock"], display["data"]]


DISPLAYS = {"ht16k33": ht16k33}


class HT16K33Tests(unittest.TestCase):
    def setUp(self):
        self.chip = HT16K33([0x70, 0x71])
        self.wire = Wire(self.chip)
        self.wire.time = 50_000

    def light(self, *memories):
        for address, memory in zip((0xE0, 0xE2), memories):
            two_wire_transfer(self.wire, address, 0x21)
            two_wire_transfer(self.wire, address, 0, *memory, *[0] * (16 - len(memory)))
            two_wire_transfer(self.wire, address, 0xE4)
            two_wire_transfer(self.wire, address, 0x81)

    def test_shows_what_was_written(self):
        self.light([0, 0, 0x06, 0, 0, 0, 0x5B, 0, 0x4F], [0x66, 0, 0x6D, 0, 0, 0, 0x7D, 0, 0x87])
        self.assertEqual((self.chip.faces[-1][1], self.chip.brightness), (" 1234567.", 4))
        self.assertEqual((self.chip.errors, self.chip.timing.violations), ([], []))
        two_wire_transfer(self.wire, 0xE0, 0x80)
        self.assertEqual(self.chip.faces[-1][1], "    4567.")

    def test_alphanumeric(self):
        self.chip = HT16K33([0x70], 14)
        self.wire = Wire(self.chip)
        self.light([0x06, 0, 0xDB, 0, 0xCF, 0x40])
        self.assertEqual((self.chip.faces[-1][1], self.chip.errors), ("123. ", []))
        self.light([0x46])
        self.assertEqual(self.chip.errors[0][1], "a segment that no digit with seven segments has")

    def test_standby(self):
        two_wire_transfer(self.wire, 0xE0, 0, 1)
        self.assertEqual(self.chip.errors[0][1], "in standby: e0 00 01")
        two_wire_transfer(self.wire, 0xE0, 0x21)
        two_wire_transfer(self.wire, 0xE0, 0, 1)
        self.assertEqual((len(self.chip.errors), self.chip.chips[0x70]["memory"][0]), (1, 1))

    def test_unknown_bytes(self):
        two_wire_transfer(self.wire, 0xE0, 0x21)
        for data in ([0xE4, 0x21], [0xE1, 0x21], [0xE0], [0xE0, 0x22], [0xE0, 0x21, 0], [0xE0, 0x0F, 1, 2]):
            two_wire_transfer(self.wire, *data)
            self.assertEqual(self.chip.errors.pop()[1], f"unknown bytes {bytes(data).hex(' ')}")

    def test_lit_before_it_was_written(self):
        two_wire_transfer(self.wire, 0xE0, 0x21)
        two_wire_transfer(self.wire, 0xE0, 0x81)
        self.assertEqual(self.chip.errors[0][1], "lit before all of it was written")

    def test_a_clock_faster_than_100_khz(self):
        two_wire_transfer(self.wire, 0xE0, 0x21, half=4_500)
        self.assertTrue(any(line.startswith("clock period: ") for line in self.chip.timing.violations))
