"""Chains of 74HC595. Source: Nexperia, 74HC595 data sheet Rev. 12, dynamic characteristics at 125 °C and 2.0 V, the
slowest case."""

import unittest

from .glyphs import text
from .multiplexed import Multiplexed
from .signals import Wire, bits_of, three_wire_transfer
from .three_wire import ThreeWire, number
from .timing import Timing

LIMITS = {
    "clock high": (110, "tW, SHCP"),
    "clock low": (110, "tW, SHCP"),
    "clock period": (250, "fmax 4 MHz"),
    "latch high": (110, "tW, STCP"),
    "data before clock": (75, "tsu, DS to SHCP"),
    "data after clock": (3, "th, DS to SHCP"),
    "latch after clock": (110, "tsu, SHCP to STCP"),
}


class Chain:
    """Registers in a chain: the first bits shifted in end in the last register."""

    scan = None

    def __init__(self, registers):
        self.registers = registers
        self.timing = Timing(LIMITS)
        self.errors = []
        self.wire = ThreeWire(self.timing, self.take)
        self.change = self.wire.change
        self.rest = self.wire.rest

    def take(self, time, bits):
        if len(bits) != 8 * self.registers:
            self.errors.append((time, f"{len(bits)} bits for {self.registers} registers"))
            return
        # QA has the last bit of a register's eight: the least significant.
        values = [number(bits[at:at + 8]) for at in range(0, len(bits), 8)]
        self.latched(time, values[::-1])


class StaticShiftRegisters(Chain):
    """A register for each digit. Lines: data, clock, latch."""

    def __init__(self, digits, first_digit, segments_high):
        super().__init__(digits)
        self.first_digit, self.invert = first_digit, 0 if segments_high else 0xFF
        self.faces = []

    def latched(self, time, values):
        shown = [value ^ self.invert for value in values]
        self.faces.append((time, text(shown if self.first_digit == "leftmost" else shown[::-1])))


class MultiplexedShiftRegisters(Chain):
    """A register that chooses the digit, and one for its segments. Lines: data, clock, latch."""

    def __init__(self, digits, first_digit, first_register, segments_high, digits_high):
        super().__init__(2)
        self.first_digit, self.first_register = first_digit, first_register
        # The picture that an eye sees.
        self.scan = Multiplexed(8, digits, segments_high, digits_high, switches_together=True)
        self.scan.errors = self.errors
        self.faces = self.scan.faces

    def latched(self, time, values):
        digits, segments = values if self.first_register == "digits" else values[::-1]
        count = self.scan.digits
        if self.first_digit == "rightmost":
            digits = sum(1 << (count - 1 - place) for place in range(count) if digits >> place & 1)
        self.scan.outputs(time, segments, digits & (1 << count) - 1)


def static(display):
    registers = StaticShiftRegisters(display["digits"], display["first-digit"], display["segments-active"] == "high")
    return registers, chain_lines(display)


def multiplexed(display):
    registers = MultiplexedShiftRegisters(
        display["digits"], display["first-digit"], display["first-register"], display["segments-active"] == "high",
        display["digits-active"] == "high")
    return registers, chain_lines(display)


def chain_lines(display):
    return [display["data"], display["clock"], display["latch"]]


DISPLAYS = {"74hc595-static": static, "74hc595-multiplexed": multiplexed}


class ShiftRegisterTests(unittest.TestCase):
    def test_what_is_shifted_in_first_ends_in_the_last(self):
        chip = StaticShiftRegisters(2, "leftmost", segments_high=False)
        three_wire_transfer(Wire(chip), bits_of(0x5B ^ 0xFF, 0x06 ^ 0xFF))
        self.assertEqual((chip.faces[-1][1], chip.errors, chip.timing.violations), ("12", [], []))

    def test_a_bit_too_few(self):
        chip = StaticShiftRegisters(2, "leftmost", segments_high=True)
        three_wire_transfer(Wire(chip), bits_of(0, 0)[1:])
        self.assertEqual(chip.errors[0][1], "15 bits for 2 registers")
