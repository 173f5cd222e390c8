"""The MAX7219. Source: Maxim Integrated, MAX7219/MAX7221 data sheet 19-4452, Rev. 4."""

import unittest

from .glyphs import text
from .signals import Wire, bits_of, three_wire_transfer
from .three_wire import ThreeWire, number
from .timing import Timing

LIMITS = {
    "clock period": (100, "timing characteristics, tCP"),
    "clock high": (50, "timing characteristics, tCH"),
    "clock low": (50, "timing characteristics, tCL"),
    "latch low before clock": (25, "timing characteristics, tCSS of the MAX7221"),
    "latch after clock": (0, "timing characteristics, tCSH"),
    "data before clock": (25, "timing characteristics, tDS"),
    "data after clock": (0, "timing characteristics, tDH"),
    "clock after latch": (50, "timing characteristics, tLDCK"),
    "latch high": (50, "timing characteristics, tCSW"),
}
DECODE, INTENSITY, SCAN_LIMIT, SHUTDOWN, TEST = 0x9, 0xA, 0xB, 0xC, 0xF


class MAX7219:
    """A MAX7219. Lines: data (DIN), clock (CLK), select (LOAD)."""

    scan = None

    def __init__(self, digits, first_digit):
        self.digits, self.first_digit = digits, first_digit
        self.timing = Timing(LIMITS)
        self.errors = []
        self.faces = []
        self.registers = {SHUTDOWN: 0}
        self.wire = ThreeWire(self.timing, self.take)
        self.change = self.wire.change
        self.rest = self.wire.rest

    @property
    def brightness(self):
        return self.registers.get(INTENSITY) if self.registers[SHUTDOWN] else None

    def take(self, time, bits):
        if len(bits) != 16:
            self.errors.append((time, f"a packet of {len(bits)} bits"))
            return
        address, value = number(bits[4:8]), number(bits[8:])
        if number(bits[:4]) or address in (0xD, 0xE):
            self.errors.append((time, f"unknown packet {number(bits):04x}"))
        self.registers[address] = value
        is_on = self.registers[SHUTDOWN] == 1
        if is_on:
            wanted = {DECODE: 0, SCAN_LIMIT: self.digits - 1, TEST: 0}
            wrong = [f"{name:x}" for name, right in wanted.items() if self.registers.get(name) != right]
            missing = [f"{name:x}" for name in [*range(1, self.digits + 1), INTENSITY] if name not in self.registers]
            if wrong or missing:
                self.errors.append((time, f"lit with wrong registers {wrong + missing}"))
        # Bits 6 to 0 are the segments a to g.
        shown = [0] * self.digits
        if is_on:
            for digit in range(self.digits):
                value = self.registers.get(digit + 1, 0xFF)
                shown[digit] = value & 0x80 | sum(1 << bit for bit in range(7) if value >> (6 - bit) & 1)
        self.faces.append((time, text(shown if self.first_digit == "leftmost" else shown[::-1])))


DISPLAYS = {
    "max7219": lambda display: (
        MAX7219(display["digits"], display["first-digit"]), [display["data"], display["clock"], display["select"]]),
}


class MAX7219Tests(unittest.TestCase):
    def setUp(self):
        self.chip = MAX7219(2, "rightmost")
        self.wire = Wire(self.chip)

    def write(self, *packets, half=500):
        for address, value in packets:
            three_wire_transfer(self.wire, bits_of(address, value), half)

    def test_shows_what_was_written(self):
        self.write((0xF, 0), (9, 0), (0xB, 1), (0xA, 7), (1, 0x30), (2, 0x6D), (0xC, 1))
        self.assertEqual((self.chip.faces[-1][1], self.chip.brightness), ("21", 7))
        self.assertEqual((self.chip.errors, self.chip.timing.violations), ([], []))
        self.write((0xC, 0))
        self.assertEqual((self.chip.faces[-1][1], self.chip.brightness), ("  ", None))

    def test_a_register_that_was_not_written(self):
        self.write((0xF, 0), (9, 0), (0xB, 1), (1, 0x30), (2, 0x6D), (0xC, 1))
        self.assertEqual(self.chip.errors[0][1], "lit with wrong registers ['a']")

    def test_a_packet_of_fifteen_bits(self):
        three_wire_transfer(self.wire, bits_of(0x0C, 1)[1:])
        self.assertEqual(self.chip.errors[0][1], "a packet of 15 bits")

    def test_a_clock_too_fast(self):
        self.write((0xF, 0), half=49)
        self.assertIn("clock high: 49 ns, at least 50 ns", self.chip.timing.violations)
