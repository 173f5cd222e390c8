"""The TM1637. Source: Titan Micro Electronics, TM1637 data sheet V2.4 (English)."""

import unittest

from .glyphs import text
from .signals import Wire
from .two_wire import TwoWire, two_wire_transfer

LIMITS = {
    # Times of pulses are given at a supply of 5 V; the frequency is the chip's greatest when it is read.
    "clock low": (400, "timing characteristics, PWCLK"),
    "clock high": (400, "timing characteristics, PWCLK"),
    "clock period": (4_000, "interface interpretation, 250 kHz"),
    "data before clock": (100, "timing characteristics, tSETUP"),
    "data after clock": (100, "timing characteristics, tHOLD"),
    "start": (1_000, "timing characteristics, tWAIT"),
    "stop": (1_000, "timing characteristics, tWAIT"),
}


class TM1637(TwoWire):
    """A TM1637. Lines: clock, data."""

    limits, is_most_first = LIMITS, False

    def __init__(self, digits, order=None):
        super().__init__()
        # The modules with six digits are wired 3 2 1 6 5 4.
        order = order or ([3, 2, 1, 6, 5, 4] if digits == 6 else range(1, digits + 1))
        self.places = [place - 1 for place in order]
        self.registers = [None] * 6
        self.is_on = False

    def take(self, time, data):
        command = data[0]
        if command == 0x40 and len(data) == 1:
            pass
        elif command & 0xF8 in (0x80, 0x88) and len(data) == 1:
            self.is_on = command & 8 != 0
            self.brightness = command & 7 if self.is_on else None
        elif command & 0xF0 == 0xC0 and (command & 15) + len(data) - 1 <= 6:
            self.registers[command & 15:(command & 15) + len(data) - 1] = data[1:]
        else:
            self.errors.append((time, f"unknown bytes {bytes(data).hex(' ')}"))
        if self.is_on and None in self.registers[:len(self.places)]:
            self.errors.append((time, "lit before every digit was written"))
        shown = [(self.registers[self.places.index(digit)] or 0) if self.is_on else 0
                 for digit in range(len(self.places))]
        self.faces.append((time, text(shown)))


DISPLAYS = {
    "tm1637": lambda display: (TM1637(display["digits"], display.get("digit-order")), [display["clock"], display["data"]])}


class TM1637Tests(unittest.TestCase):
    def setUp(self):
        self.chip = TM1637(4)
        self.wire = Wire(self.chip)
        self.wire.time = 50_000

    def test_shows_what_was_written(self):
        two_wire_transfer(self.wire, 0x40)
        two_wire_transfer(self.wire, 0xC0, 0x00, 0x06, 0x5B, 0x4F)
        self.assertEqual(self.chip.faces[-1][1], "    ")
        two_wire_transfer(self.wire, 0x8A)
        self.assertEqual((self.chip.faces[-1][1], self.chip.brightness), (" 123", 2))
        self.assertEqual((self.chip.errors, self.chip.timing.violations), ([], []))
        self.assertEqual(self.chip.timing.shortest["clock high"], 5_000)
        two_wire_transfer(self.wire, 0x80)
        self.assertEqual(self.chip.faces[-1][1], "    ")

    def test_six_digits_are_wired_3_2_1_6_5_4(self):
        self.chip = TM1637(6)
        self.wire = Wire(self.chip)
        two_wire_transfer(self.wire, 0x40)
        two_wire_transfer(self.wire, 0xC0, 0x4F, 0x5B, 0x06, 0x7D, 0x6D, 0x66)
        two_wire_transfer(self.wire, 0x88)
        self.assertEqual(self.chip.faces[-1][1], "123456")

    def test_any_other_order(self):
        self.chip = TM1637(4, [4, 1, 3, 2])
        self.wire = Wire(self.chip)
        two_wire_transfer(self.wire, 0x40)
        two_wire_transfer(self.wire, 0xC0, 0x66, 0x06, 0x4F, 0x5B)
        two_wire_transfer(self.wire, 0x88)
        self.assertEqual(self.chip.faces[-1][1], "1234")

    def test_a_pulse_too_short(self):
        two_wire_transfer(self.wire, 0x40, half=398)
        self.assertIn("clock high: 398 ns, at least 400 ns", self.chip.timing.violations)
        self.assertTrue(any(line.startswith("start: ") for line in self.chip.timing.violations))

    def test_lit_before_it_was_written(self):
        two_wire_transfer(self.wire, 0x88)
        self.assertEqual(self.chip.errors[0][1], "lit before every digit was written")

    def test_an_unknown_command(self):
        two_wire_transfer(self.wire, 0x20)
        self.assertEqual(self.chip.errors[0][1], "unknown bytes 20")

    def test_more_digits_than_there_are_registers(self):
        two_wire_transfer(self.wire, 0xC3, 1, 2, 3, 4)
        self.assertEqual(self.chip.errors[0][1], "unknown bytes c3 01 02 03 04")

    def test_a_transfer_that_is_cut(self):
        two_wire_transfer(self.wire, 0x40, stops=False)
        self.wire.set(1, 0, 5_000)
        self.wire.set(0, 1, 5_000)
        self.wire.set(0, 0, 2_500)
        self.wire.set(0, 1, 5_000)
        self.wire.set(1, 1, 5_000)
        self.assertEqual(self.chip.errors[0][1], "a transfer of 10 clocks")
