"""The push path against the conformance tool's list: the answer to each case is the one that its section names."""

import unittest
from concurrent.futures import ThreadPoolExecutor

from Tests.Clients import http2_violations  # noqa: F401, for its cases
from Tests.Clients.http2_cases import (
    CASES, Verdict, acknowledged, answered, ended, fields, headers, ping, pong, stream_error, window_update)
from Tests.support.appliance import Appliance
from Tests.support.http2_wire import PREFACE, Wire, settings

# A case without an answer in this time has failed; passing cases never wait for it.
PATIENCE_SECONDS = 5
# These begin before, or instead of, the preface.
UNGREETED = {"generic/1/1", "http2/3.5/1", "http2/3.5/2"}
# The answers where a section leaves a choice, or the code of an end open: the cases by their sections.
CHOSEN = {
    "GOAWAY NO_ERROR, closed": "generic/3.8/1 http2/7/1",
    "GOAWAY PROTOCOL_ERROR, closed": "http2/3.5/2 http2/5.4.1/1",
    "GOAWAY FRAME_SIZE_ERROR": "http2/4.2/2 http2/6.3/2",
    "GOAWAY STREAM_CLOSED": "http2/5.1/5 http2/5.1/6 http2/5.1/8 http2/5.1/9 http2/6.1/2",
    "GOAWAY PROTOCOL_ERROR": "http2/5.1/7 http2/5.1/10 http2/5.1/13 http2/5.3.1/1 http2/5.3.1/2 http2/5.4.1/2 "
    "http2/6.2/4",
    "RST_STREAM REFUSED_STREAM": "http2/5.1.2/1",
    "RST_STREAM PROTOCOL_ERROR": "http2/6.9/2 http2/8.1/1 http2/8.1.2/1 http2/8.1.2.1/1 http2/8.1.2.1/2 "
    "http2/8.1.2.1/3 http2/8.1.2.1/4 http2/8.1.2.2/1 http2/8.1.2.2/2 http2/8.1.2.3/1 http2/8.1.2.3/2 http2/8.1.2.3/3 "
    "http2/8.1.2.3/4 http2/8.1.2.3/5 http2/8.1.2.3/6 http2/8.1.2.3/7 http2/8.1.2.6/1 http2/8.1.2.6/2",
}
CHOSEN = {number: answer for answer, numbers in CHOSEN.items() for number in numbers.split()}


def judge(appliance, number):
    _, run, _ = CASES[number]
    try:
        with Wire(appliance.port, str(appliance.ca), timeout=PATIENCE_SECONDS) as wire:
            if number not in UNGREETED:
                wire.greet()
            return run(wire)
    except (OSError, AssertionError) as error:
        return Verdict(False, "", f"{type(error).__name__} {error}")


class ConformanceTests(unittest.TestCase):
    def test_every_case(self):
        self.assertEqual((len(CASES), sum(not strict for _, _, strict in CASES.values())), (147, 146))
        with Appliance(board=None) as appliance, ThreadPoolExecutor(4) as pool:
            verdicts = dict(zip(CASES, pool.map(lambda number: judge(appliance, number), CASES)))
        for number, verdict in verdicts.items():
            due = CHOSEN.get(number, verdict.expected)
            with self.subTest(number, sent=CASES[number][0], due=due):
                self.assertTrue(verdict.passed and verdict.exact, verdict.seen)
                # `seen` names frames without their flags and sizes.
                self.assertTrue(f"{due} ".startswith(f"{verdict.seen} "), verdict.seen)

    def test_windows_that_are_wrong_before_and_after_the_answer(self):
        """http2/6.9/2 and 6.9.1/3: the client does not end its stream, so the answer may come between its frames, or
        before them. In each case the stream ends with the right code, and nothing else does."""
        zero = (window_update(0, 1), "PROTOCOL_ERROR")
        excess = (window_update(0x7FFF_FFFF, 1) * 2, "FLOW_CONTROL_ERROR")
        # A path of each service: one answers at once, the other later.
        orders = [(frames, code, path, waits) for frames, code in [zero, excess] for path in ["/3/", "/"]
                  for waits in [False, True]]

        def run(appliance, order):
            frames, code, path, waits = order
            with Wire(appliance.port, str(appliance.ca), timeout=PATIENCE_SECONDS) as wire:
                wire.greet()
                wire.send(headers(wire, 1, fields(path=path), end=False))
                if waits:
                    ended(wire)
                # Each frame in a TLS record of its own, as the tool sends them.
                for at in range(0, len(frames), 13):
                    wire.send(frames[at:at + 13])
                verdict = stream_error(wire, code)
                wire.send(ping())
                return verdict.exact and verdict.seen.startswith("RST_STREAM") and pong(wire).passed

        with Appliance(board=None) as appliance, ThreadPoolExecutor(4) as pool:
            for order in orders:
                with self.subTest(order=order):
                    passed = list(pool.map(lambda _: run(appliance, order), range(50)))
                    self.assertEqual(passed, [True] * 50)

    def test_a_first_request_may_be_cut_anywhere(self):
        """Sends the greeting and part of a frame in one piece, and the rest when the server has read that."""
        with Appliance(board=None) as appliance:
            for cut in range(1, 45):
                with self.subTest(cut=cut), Wire(appliance.port, str(appliance.ca)) as wire:
                    request = headers(wire) + ping()
                    wire.send(PREFACE, settings(), request[:cut])
                    self.assertTrue(acknowledged(wire).passed)
                    wire.send(request[cut:])
                    self.assertTrue(answered(wire).passed)
