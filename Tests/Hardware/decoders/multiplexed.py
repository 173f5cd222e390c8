"""Digits that share their segment lines and take turns, and the picture that an eye sees."""

import unittest

from .glyphs import text
from .signals import Wire

# All digits must take their turn 100 times a second, else they flicker.
LONGEST_FRAME_NANOSECONDS = 10_000_000
# A saturated transistor still conducts for 2 µs after it was switched off.
SHORTEST_BLANK_NANOSECONDS = 5_000


class Multiplexed:
    """A multiplexed display. Lines: the segments, a first, then the digits, leftmost first."""

    def __init__(self, segments, digits, segments_high, digits_high, switches_together=False):
        self.segment_lines, self.digits = segments, digits
        self.segment_mask, self.digit_mask = (1 << segments) - 1, (1 << digits) - 1
        self.segments_idle = 0 if segments_high else self.segment_mask
        self.digits_idle = 0 if digits_high else self.digit_mask
        self.rest = [self.segments_idle & 1] * segments + [self.digits_idle & 1] * digits
        self.scan, self.timing = self, None
        # True for latched outputs; lines of a chip change one after the other.
        self.switches_together = switches_together
        self.segment_levels, self.digit_levels = self.segments_idle, self.digits_idle
        self.errors = []
        self.faces = []
        # Tuples (start, end, digit, segments)
        self.turns = []
        # Tuples (start, nanoseconds to the next frame's start; None if the display went dark)
        self.frames = []
        self.ghosts = 0
        self.shortest_blank = None
        self.lit = 0
        self.lit_since = self.dark_since = None
        self.shown = {}

    def change(self, time, line, level):
        """Records a change of a line."""
        if line < self.segment_lines:
            self.outputs(time, self.segment_levels & ~(1 << line) | level << line, self.digit_levels)
        else:
            place = line - self.segment_lines
            self.outputs(time, self.segment_levels, self.digit_levels & ~(1 << place) | level << place)

    def outputs(self, time, segment_levels, digit_levels):
        """Sets the levels of all outputs from now on."""
        before, after = self.digit_levels ^ self.digits_idle, digit_levels ^ self.digits_idle
        if segment_levels != self.segment_levels and (before or (after and not self.switches_together)):
            self.ghosts += 1
            self.errors.append((time, "segments changed while a digit was lit"))
        if after & (after - 1):
            self.ghosts += 1
            self.errors.append((time, "several digits lit"))
        if before and before != after:
            self.end_turn(time, before.bit_length() - 1, self.segment_levels ^ self.segments_idle)
        if after and after != before:
            if before:
                self.ghosts += 1
                self.errors.append((time, "no blank between two digits"))
            self.begin_turn(time, after.bit_length() - 1)
        self.segment_levels, self.digit_levels = segment_levels, digit_levels

    def begin_turn(self, time, digit):
        if self.dark_since is not None:
            blank = time - self.dark_since
            self.shortest_blank = min(blank, self.shortest_blank or blank)
            if blank < SHORTEST_BLANK_NANOSECONDS:
                self.ghosts += 1
                self.errors.append((time, f"{blank} ns between two digits"))
            if blank > LONGEST_FRAME_NANOSECONDS:
                self.see(self.dark_since, None)
        if digit in self.shown:
            self.see(time, time)
        if not self.shown:
            self.frame_start = time
        self.lit_since = time

    def end_turn(self, time, digit, segments):
        self.turns.append((self.lit_since, time, digit, segments))
        self.shown[digit] = segments
        self.dark_since = time

    def see(self, time, next_frame):
        """Records the end of a frame."""
        if len(self.shown) != self.digits and next_frame is not None:
            self.errors.append((time, f"a frame of {len(self.shown)} digits"))
        face = text(self.shown.get(digit, 0) for digit in range(self.digits))
        self.faces.append((self.dark_since, face))
        self.frames.append((self.frame_start, next_frame and next_frame - self.frame_start))
        if next_frame is None:
            self.faces.append((time, " " * self.digits))
        self.shown = {}

    def end(self):
        """Records the end of the trace: a dark display stays dark."""
        if self.shown and self.digit_levels == self.digits_idle:
            self.see(self.dark_since, None)


DISPLAYS = {
    "multiplexed": lambda display: (
        Multiplexed(
            len(display["segments"]), len(display["digits"]), display["segments-active"] == "high",
            display["digits-active"] == "high"),
        display["segments"] + display["digits"]),
}


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
