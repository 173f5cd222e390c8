"""The TM1637. Source: Titan Micro Electronics, TM1637 data sheet V2.4 (English)."""

import unittest

from .glyphs import text
from .signals import Wire
from .timing import Timing

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


class TM1637:
    """A TM1637. Lines: clock, data."""

    rest = (1, 1)
    scan = None

    def __init__(self, digits):
        # The modules with six digits are wired 3 2 1 6 5 4.
        self.places = [2, 1, 0, 5, 4, 3] if digits == 6 else list(range(digits))
        self.timing = Timing(LIMITS)
        self.errors = []
        self.faces = []
        self.brightness = None
        self.levels = list(self.rest)
        self.registers = [None] * 6
        self.is_on = False
        self.bits = None
        self.clock_rose = self.clock_fell = self.data_changed = self.started = None

    def change(self, time, line, level):
        """Records a change of a line."""
        self.levels[line] = level
        if line == 1:
            self.data_change(time, level)
        elif level:
            self.clock_rise(time)
        else:
            self.clock_fall(time)

    def data_change(self, time, level):
        self.data_changed = time
        if not self.levels[0]:
            self.timing.measure("data after clock", self.clock_fell, time)
            return
        self.timing.measure("start" if not level else "stop", self.clock_rose, time)
        if not level:
            if self.bits is not None:
                self.errors.append((time, "data fell while the clock was high"))
            self.bits, self.started = [], time
            # The clock was at rest before: there is no edge to measure from.
            self.clock_rose = None
        elif self.bits is not None:
            # The clock's last rise belongs to the stop.
            self.take(time, self.bits[:-1])
            self.bits = None

    def clock_rise(self, time):
        self.timing.measure("clock low", self.clock_fell, time)
        self.timing.measure("clock period", self.clock_rose, time)
        self.timing.measure("data before clock", self.data_changed, time)
        self.clock_rose = time
        if self.bits is None:
            self.errors.append((time, "the clock rose outside of a transfer"))
        else:
            self.bits.append(self.levels[1])

    def clock_fall(self, time):
        self.timing.measure("clock high", self.clock_rose, time)
        if self.bits == []:
            self.timing.measure("start", self.started, time)
        self.clock_fell = time

    def take(self, time, bits):
        """Decodes a whole transfer: eight bits per byte, the least significant first, and a clock for the answer."""
        if not bits or len(bits) % 9:
            self.errors.append((time, f"a transfer of {len(bits)} clocks"))
            return
        data = [sum(bit << place for place, bit in enumerate(bits[at:at + 8])) for at in range(0, len(bits), 9)]
        # The master releases data for the answer, and nothing pulls it low here.
        if any(not bits[at + 8] for at in range(0, len(bits), 9)):
            self.errors.append((time, "data is held low while the chip would answer"))
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


DISPLAYS = {"tm1637": lambda display: (TM1637(display["digits"]), [display["clock"], display["data"]])}


def tm1637_transfer(wire, *data, half=5_000, stops=True):
    wire.set(1, 0, half)
    wire.set(0, 0, half // 2)
    for byte in data:
        for bit in [*(byte >> place & 1 for place in range(8)), 1]:
            if wire.chip.levels[1] != bit:
                wire.set(1, bit, half // 2)
            wire.set(0, 1, half)
            wire.set(0, 0, half // 2)
    if stops:
        if wire.chip.levels[1]:
            wire.set(1, 0, half // 2)
        wire.set(0, 1, half)
        wire.set(1, 1, half)


class TM1637Tests(unittest.TestCase):
    def setUp(self):
        self.chip = TM1637(4)
        self.wire = Wire(self.chip)
        self.wire.time = 50_000

    def test_shows_what_was_written(self):
        tm1637_transfer(self.wire, 0x40)
        tm1637_transfer(self.wire, 0xC0, 0x00, 0x06, 0x5B, 0x4F)
        self.assertEqual(self.chip.faces[-1][1], "    ")
        tm1637_transfer(self.wire, 0x8A)
        self.assertEqual((self.chip.faces[-1][1], self.chip.brightness), (" 123", 2))
        self.assertEqual((self.chip.errors, self.chip.timing.violations), ([], []))
        self.assertEqual(self.chip.timing.shortest["clock high"], 5_000)
        tm1637_transfer(self.wire, 0x80)
        self.assertEqual(self.chip.faces[-1][1], "    ")

    def test_six_digits_are_wired_3_2_1_6_5_4(self):
        self.chip = TM1637(6)
        self.wire = Wire(self.chip)
        tm1637_transfer(self.wire, 0x40)
        tm1637_transfer(self.wire, 0xC0, 0x4F, 0x5B, 0x06, 0x7D, 0x6D, 0x66)
        tm1637_transfer(self.wire, 0x88)
        self.assertEqual(self.chip.faces[-1][1], "123456")

    def test_a_pulse_too_short(self):
        tm1637_transfer(self.wire, 0x40, half=398)
        self.assertIn("clock high: 398 ns, at least 400 ns", self.chip.timing.violations)
        self.assertTrue(any(line.startswith("start: ") for line in self.chip.timing.violations))

    def test_lit_before_it_was_written(self):
        tm1637_transfer(self.wire, 0x88)
        self.assertEqual(self.chip.errors[0][1], "lit before every digit was written")

    def test_an_unknown_command(self):
        tm1637_transfer(self.wire, 0x20)
        self.assertEqual(self.chip.errors[0][1], "unknown bytes 20")

    def test_more_digits_than_there_are_registers(self):
        tm1637_transfer(self.wire, 0xC3, 1, 2, 3, 4)
        self.assertEqual(self.chip.errors[0][1], "unknown bytes c3 01 02 03 04")

    def test_a_transfer_that_is_cut(self):
        tm1637_transfer(self.wire, 0x40, stops=False)
        self.wire.set(1, 0, 5_000)
        self.wire.set(0, 1, 5_000)
        self.wire.set(0, 0, 2_500)
        self.wire.set(0, 1, 5_000)
        self.wire.set(1, 1, 5_000)
        self.assertEqual(self.chip.errors[0][1], "a transfer of 10 clocks")
