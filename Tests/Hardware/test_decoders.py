"""The decoders judge the daemon, so each is tested with signals that it must accept and must reject, in its own module.
The reader of the kernel's trace is tested here."""

import struct
import unittest

from Tests.Hardware import decoders, line_trace


def load_tests(loader, tests, pattern):
    tests.addTests(loader.loadTestsFromModule(module) for module in decoders.modules())
    return tests


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
