"""The TM1650. Source: Titan Micro Electronics, TM1650 data sheet V1.10 (English)."""

import unittest

from .glyphs import text
from .signals import Wire
from .two_wire import I2C, TwoWire, two_wire_transfer


class TM1650(TwoWire):
    """A TM1650. Lines: clock, data."""

    limits, is_most_first = I2C, True

    def __init__(self, digits, order=None):
        super().__init__()
        self.places = [place - 1 for place in order or range(1, digits + 1)]
        self.registers = {}
        self.is_on = False

    def take(self, time, data):
        address, *values = data
        if address == 0x48 and len(values) == 1 and not values[0] & 0x8E:
            self.is_on = values[0] & 1 == 1
            # 0 is the brightest of the eight, 1 the darkest.
            self.brightness = (values[0] >> 4) - 1 & 7 if self.is_on else None
        elif address in (0x68, 0x6A, 0x6C, 0x6E) and len(values) == 1:
            self.registers[address] = values[0]
        else:
            self.errors.append((time, f"unknown bytes {bytes(data).hex(' ')}"))
        shown = [self.registers.get(0x68 + 2 * self.places.index(digit)) for digit in range(len(self.places))]
        if self.is_on and None in shown:
            self.errors.append((time, "lit before every digit was written"))
        self.faces.append((time, text([(segments or 0) if self.is_on else 0 for segments in shown])))


DISPLAYS = {
    "tm1650": lambda display: (TM1650(display["digits"], display.get("digit-order")), [display["clock"], display["data"]])}


class TM1650Tests(unittest.TestCase):
    def setUp(self):
        self.chip = TM1650(4)
        self.wire = Wire(self.chip)
        self.wire.time = 50_000

    def test_shows_what_was_written(self):
        for place, glyph in enumerate([0x00, 0x06, 0x5B, 0x4F]):
            two_wire_transfer(self.wire, 0x68 + 2 * place, glyph)
        self.assertEqual(self.chip.faces[-1][1], "    ")
        two_wire_transfer(self.wire, 0x48, 0x31)
        self.assertEqual((self.chip.faces[-1][1], self.chip.brightness), (" 123", 2))
        self.assertEqual((self.chip.errors, self.chip.timing.violations), ([], []))
        two_wire_transfer(self.wire, 0x48, 0x01)
        self.assertEqual(self.chip.brightness, 7)
        two_wire_transfer(self.wire, 0x48, 0x00)
        self.assertEqual(self.chip.faces[-1][1], "    ")

    def test_unknown_bytes(self):
        for data in ([0x48], [0x48, 0x02], [0x68, 1, 2], [0x69, 1]):
            two_wire_transfer(self.wire, *data)
            self.assertEqual(self.chip.errors.pop()[1], f"unknown bytes {bytes(data).hex(' ')}")

    def test_lit_before_it_was_written(self):
        two_wire_transfer(self.wire, 0x48, 0x11)
        self.assertEqual(self.chip.errors[0][1], "lit before every digit was written")
