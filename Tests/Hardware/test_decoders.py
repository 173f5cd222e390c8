"""The decoders judge the daemon, so each is tested with signals that it must accept and must reject. The signals are
built from the data sheets by hand."""

import struct
import unittest

from Tests.Hardware import line_trace
from Tests.Hardware.decoders.max7219 import MAX7219
from Tests.Hardware.decoders.multiplexed import Multiplexed
from Tests.Hardware.decoders.shift_register import StaticShiftRegisters
from Tests.Hardware.decoders.tm1637 import TM1637


class Wire:
    """Levels over time, as a chip receives them."""

    def __init__(self, chip):
        self.chip, self.time = chip, 0

    def set(self, line, level, wait):
        self.chip.change(self.time, line, level)
        self.time += wait


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


def three_wire_transfer(wire, bits, half=500):
    wire.set(2, 0, half)
    for bit in bits:
        wire.set(0, bit, half)
        wire.set(1, 1, half)
        wire.set(1, 0, half)
    wire.set(2, 1, half)


def bits_of(*data):
    return [byte >> place & 1 for byte in data for place in range(7, -1, -1)]


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


class ShiftRegisterTests(unittest.TestCase):
    def test_what_is_shifted_in_first_ends_in_the_last(self):
        chip = StaticShiftRegisters(2, "leftmost", segments_high=False)
        three_wire_transfer(Wire(chip), bits_of(0x5B ^ 0xFF, 0x06 ^ 0xFF))
        self.assertEqual((chip.faces[-1][1], chip.errors, chip.timing.violations), ("12", [], []))

    def test_a_bit_too_few(self):
        chip = StaticShiftRegisters(2, "leftmost", segments_high=True)
        three_wire_transfer(Wire(chip), bits_of(0, 0)[1:])
        self.assertEqual(chip.errors[0][1], "15 bits for 2 registers")


class MultiplexedTests(unittest.TestCase):
    """A display of two digits; segments light high, digits low."""

    def setUp(self):
        self.display = Multiplexed(8, 2, True, False)
        self.wire = Wire(self.display)

    def turn(self, digit, segments, blank=20_000, lit=2_480_000):
        self.wire.time += blank
        for line in range(8):
            self.wire.set(line, segments >> line & 1, 1_000)
        self.wire.set(8 + digit, 0, lit)
        self.wire.set(8 + digit, 1, 0)

    def test_digits_that_take_turns_are_one_number(self):
        for _ in range(3):
            self.turn(0, 0x06)
            self.turn(1, 0x5B)
        self.display.end()
        self.assertEqual([face for _, face in self.display.faces], ["12", "12", "12", "  "])
        self.assertEqual([length for _, length in self.display.frames], [5_016_000, 5_016_000, None])
        self.assertEqual((self.display.errors, self.display.ghosts), ([], 0))
        self.assertEqual(self.display.shortest_blank, 28_000)

    def test_segments_that_change_under_a_lit_digit_are_a_ghost(self):
        self.turn(0, 0x06)
        self.wire.time += 20_000
        self.wire.set(9, 0, 1_000)
        self.wire.set(6, 1, 1_000)
        self.assertEqual(self.display.errors[0][1], "segments changed while a digit was lit")
        self.assertEqual(self.display.ghosts, 1)

    def test_two_digits_at_once_are_a_ghost(self):
        self.wire.set(8, 0, 1_000)
        self.wire.set(9, 0, 1_000)
        self.assertIn("several digits lit", [what for _, what in self.display.errors])

    def test_a_blank_too_short_is_a_ghost(self):
        self.turn(0, 0x06)
        self.wire.time += 4_999
        self.wire.set(9, 0, 1_000)
        self.assertEqual((self.display.errors[0][1], self.display.ghosts), ("4999 ns between two digits", 1))

    def test_a_frame_that_leaves_a_digit_out(self):
        for digit in (0, 1, 0, 0, 1):
            self.turn(digit, 0x06)
        self.assertEqual(self.display.errors[0][1], "a frame of 1 digits")


def record(kind, payload, delta=1):
    return struct.pack("<I", delta << 5 | len(payload) // 4) + struct.pack("<HBBi", kind, 0, 0, 1) + payload[8:]


class TraceTests(unittest.TestCase):
    """Pages as the kernel writes them."""

    numbers = {"gpio_value": 7, "gpio_direction": 8, "print": 5}

    def page(self, *records, start=1_000, flags=0):
        data = b"".join(records)
        return (struct.pack("<QQ", start, len(data) | flags) + data).ljust(line_trace.PAGE_BYTES, b"\0")

    def value(self, number, level, delta=1, is_read=0):
        return record(7, bytes(8) + struct.pack("<Iii", number, is_read, level), delta)

    def text(self, words):
        body = bytes(16) + words.encode() + b"\0"
        body = body.ljust(-(-len(body) // 4) * 4, b"\0")
        return struct.pack("<II", 0, len(body) + 4) + struct.pack("<HBBi", 5, 0, 0, 1) + body[8:]

    def test_edges_are_changes_of_lines_by_name(self):
        page = self.page(
            self.text("chip bank 500 4"), self.value(502, 1, 10), self.value(502, 1, 10), self.value(502, 0, 10),
            self.value(503, 1, 5, is_read=1), self.text("shown"))
        trace = line_trace.read(page, self.numbers)
        self.assertEqual([(edge.nanoseconds, edge.line, edge.level) for edge in trace.edges()],
                         [(1_010, "bank:2", 1), (1_030, "bank:2", 0)])
        self.assertEqual(trace.mark("shown"), 1_035)

    def test_a_line_that_is_let_go_is_high(self):
        released = record(8, bytes(8) + struct.pack("<Iii", 501, 1, 0))
        trace = line_trace.read(self.page(self.value(501, 0), released, self.text("chip bank 500 4")), self.numbers)
        self.assertEqual([edge.level for edge in trace.edges("bank:1")], [0, 1])

    def test_time_runs_on_over_a_long_silence(self):
        extend = struct.pack("<II", 5 << 5 | line_trace.TIME_EXTEND, 3)
        trace = line_trace.read(self.page(self.text("chip bank 500 4"), extend, self.value(500, 1)), self.numbers)
        self.assertEqual(trace.edges()[0].nanoseconds, 1_000 + 5 + (3 << 27) + 1)

    def test_lost_events_are_no_measurement(self):
        with self.assertRaisesRegex(line_trace.TraceError, "events were lost"):
            line_trace.read(self.page(self.value(1, 1), flags=1 << 31), self.numbers)

    def test_an_edge_of_no_chip(self):
        with self.assertRaisesRegex(line_trace.TraceError, "no chip"):
            line_trace.read(self.page(self.text("chip bank 500 4"), self.value(504, 1)), self.numbers)
