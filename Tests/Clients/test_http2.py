"""The push path against the conformance tool's list; `Tests/Clients/http2-cases.md` has the answer to each case."""

import os
import unittest
from concurrent.futures import ThreadPoolExecutor

from Tests.Clients import http2_violations  # noqa: F401, for its cases
from Tests.Clients.http2_cases import (
    CASES, Verdict, acknowledged, answered, ended, fields, headers, ping, pong, stream_error, window_update)
from Tests.support.appliance import Appliance
from Tests.support.http2_wire import PREFACE, Wire, settings
from Tests.support.project import ROOT

DOCUMENT = ROOT / "Tests/Clients/http2-cases.md"
BEGIN, END = "<!-- cases -->\n", "<!-- end of cases -->\n"
# A case without an answer in this time has failed; passing cases never wait for it.
PATIENCE_SECONDS = 5
# These begin before, or instead of, the preface.
UNGREETED = {"generic/1/1", "http2/3.5/1", "http2/3.5/2"}


def judge(appliance, number):
    _, run, _ = CASES[number]
    try:
        with Wire(appliance.port, str(appliance.ca), timeout=PATIENCE_SECONDS) as wire:
            if number not in UNGREETED:
                wire.greet()
            return run(wire)
    except (OSError, AssertionError) as error:
        return Verdict(False, "", f"{type(error).__name__} {error}")


def order(number):
    section, paragraph, last = number.split("/")
    return section, [int(part) for part in paragraph.split(".")], int(last)


class ConformanceTests(unittest.TestCase):
    maxDiff = None

    def test_every_case(self):
        numbers = sorted(CASES, key=order)
        with Appliance(board=None) as appliance, ThreadPoolExecutor(4) as pool:
            verdicts = dict(zip(numbers, pool.map(lambda number: judge(appliance, number), numbers)))
        counted = [number for number in numbers if not CASES[number][2]]
        self.assertEqual((len(numbers), len(counted)), (147, 146))
        passed = [number for number in counted if verdicts[number].passed]
        exact = [number for number in counted if verdicts[number].exact]
        lines = [f"{len(passed)} of {len(counted)} pass as the tool judges; in {len(exact)} of them the very answer "
                 "that the section names came, not only the end of the\nconnection.\n\n",
                 "| Case | Sent | Due | Came | |\n", "|---|---|---|---|---|\n"]
        for number in numbers:
            verdict = verdicts[number]
            mark = "passes" if verdict.passed else "fails"
            if verdict.passed and not verdict.exact:
                mark = "passes, by closing"
            lines.append(f"| {number} | {CASES[number][0]} | {verdict.expected} | {verdict.seen} | {mark} |\n")
        table = "".join(lines)
        before, _, rest = DOCUMENT.read_text().partition(BEGIN)
        found, _, after = rest.partition(END)
        if os.environ.get("UPDATE_DOCS"):
            DOCUMENT.write_text(before + BEGIN + table + END + after)
        else:
            self.assertEqual(table, found, "Tests/Clients/http2-cases.md is not what came: read the difference, then UPDATE_DOCS=1")
        self.assertGreaterEqual(len(passed), 142)

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
