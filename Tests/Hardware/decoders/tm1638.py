"""The TM1638 with eight digits. Source: Titan Micro Electronics, TM1638 data sheet V1.3 (English)."""

import unittest

from .glyphs import text
from .signals import Wire
from .three_wire import ThreeWire
from .timing import Timing

LIMITS = {
    "clock period": (1_000, "switching characteristics, fMAX"),
    "clock high": (400, "timing characteristics, PWCLK"),
    "clock low": (400, "timing characteristics, PWCLK"),
    "latch after clock": (1_000, "timing characteristics, tCLK-STB"),
    "data before clock": (100, "timing characteristics, tSETUP"),
    "data after clock": (100, "timing characteristics, tHOLD"),
    "latch high": (1_000, "timing characteristics, PWSTB"),
    "pause before keys": (2_000, "serial data transmission, Twait"),
}


class TM1638:
    """A TM1638. Lines: data (DIO), clock (CLK), strobe (STB). A trace does not have its answers."""

    rest = (1, 1, 1)
    scan = None

    def __init__(self, digits, order=None):
        self.places = [place - 1 for place in order or range(1, digits + 1)]
        self.timing = Timing(LIMITS)
        self.errors = []
        self.faces = []
        self.brightness = None
        self.memory = [None] * 16
        self.is_on = self.is_writing = False
        self.wire = ThreeWire(self.timing, self.take)
        self.wire.levels = list(self.rest)

    def change(self, time, line, level):
        if line == 1 and not level and self.wire.bits == [0x42 >> place & 1 for place in range(8)]:
            self.timing.measure("pause before keys", self.wire.clock_rose, time)
        self.wire.change(time, line, level)

    def take(self, time, bits):
        if not bits or len(bits) % 8:
            self.errors.append((time, f"a transfer of {len(bits)} bits"))
            return
        command, *data = [sum(bit << place for place, bit in enumerate(bits[at:at + 8])) for at in range(0, len(bits), 8)]
        if command in (0x40, 0x42):
            # What follows is written, or keys are read: one register says which. [Data command]
            self.is_writing = command == 0x40
        if command == 0x42 and data == [0xFF] * 4:
            return
        if command & 0xF0 == 0x80 and not data:
            self.is_on = command & 8 != 0
            self.brightness = command & 7 if self.is_on else None
        elif command & 0xF0 == 0xC0 and not self.is_writing:
            self.errors.append((time, "bytes without a command to write"))
        elif command & 0xF0 == 0xC0 and (command & 15) + len(data) <= 16:
            self.memory[command & 15:(command & 15) + len(data)] = data
        elif command != 0x40 or data:
            self.errors.append((time, f"unknown bytes {bytes([command, *data]).hex(' ')}"))
        if self.is_on and None in self.memory:
            self.errors.append((time, "lit before all of it was written"))
        shown = [(self.memory[2 * self.places.index(digit)] or 0) if self.is_on else 0 for digit in range(len(self.places))]
        self.faces.append((time, text(shown)))


DISPLAYS = {
    "tm1638": lambda display: (
        TM1638(display["digits"], display.get("digit-order")), [display["data"], display["clock"], display["strobe"]]),
}


class TM1638Tests(unittest.TestCase):
    def setUp(self):
        self.chip = TM1638(2)
        self.wire = Wire(self.chip)

    def transfer(self, *data, half=2_000):
        self.wire.set(2, 0, half)
        for bit in (byte >> place & 1 for byte in data for place in range(8)):
            self.wire.set(1, 0, half // 2)
            if self.chip.wire.levels[0] != bit:
                self.chip.change(self.wire.time, 0, bit)
            self.wire.time += half // 2
            self.wire.set(1, 1, half)
        if not self.chip.wire.levels[0]:
            self.wire.set(0, 1, half)
        self.wire.set(2, 1, half)

    def test_shows_what_was_written(self):
        self.transfer(0x40)
        self.transfer(0xC0, 0x06, 0, 0xDB, *[0] * 13)
        self.transfer(0x8A)
        self.assertEqual((self.chip.faces[-1][1], self.chip.brightness), ("12.", 2))
        self.transfer(0x42, 0xFF, 0xFF, 0xFF, 0xFF)
        self.assertEqual((self.chip.errors, self.chip.timing.violations), ([], []))
        self.transfer(0x80)
        self.assertEqual(self.chip.faces[-1][1], "  ")

    def test_any_other_order(self):
        self.chip = TM1638(2, [2, 1])
        self.wire = Wire(self.chip)
        self.transfer(0x40)
        self.transfer(0xC0, 0x06, 0, 0x5B, *[0] * 13)
        self.transfer(0x88)
        self.assertEqual(self.chip.faces[-1][1], "21")

    def test_bytes_without_a_command_to_write(self):
        self.transfer(0xC0, 0x06)
        self.transfer(0x40)
        self.transfer(0x42, 0xFF, 0xFF, 0xFF, 0xFF)
        self.transfer(0xC0, 0x06)
        self.assertEqual([error for _, error in self.chip.errors], ["bytes without a command to write"] * 2)
        self.assertEqual(self.chip.timing.violations, [])

    def test_keys_read_too_soon(self):
        self.transfer(0x42, 0xFF, 0xFF, 0xFF, 0xFF, half=1_990)
        self.assertIn("pause before keys: 1990 ns, at least 2000 ns", self.chip.timing.violations)

    def test_unknown_bytes(self):
        self.transfer(0x40)
        for data in ([0x41], [0xC1] + [0] * 16, [0x40, 0], [0x42]):
            self.transfer(*data)
            self.assertEqual(self.chip.errors.pop()[1], f"unknown bytes {bytes(data).hex(' ')}")

    def test_lit_before_it_was_written(self):
        self.transfer(0x88)
        self.assertEqual(self.chip.errors[0][1], "lit before all of it was written")

    def test_a_pulse_too_short(self):
        self.transfer(0x40, half=398)
        self.assertIn("clock high: 398 ns, at least 400 ns", self.chip.timing.violations)
