"""`deskbell setup` on a terminal: its questions, the states of the wires meanwhile, and its advice on wrong ones."""

import re

from Tests.Hardware.checks.boards import before
from Tests.Hardware.decoders import decode

BOARD = "raspberry-pi-4"


def check(run):
    section = run.section("setup", "setup: a Raspberry Pi 4 with a lamp and a TM1637")
    shown = run.text("setup", "right.terminal").replace("\r", "")
    asked = [line for line in shown.splitlines() if "? " in line and not line.startswith("  ")]
    section.equal("questions", len(asked), 7)
    section.equal("the last line", shown.splitlines()[-1], "Wrote /tmp/right.yaml")
    settings = run.text("setup", "right.yaml")
    section.equal("board and display in the settings", re.findall(r'(?m)^(?:board|display): "([^"]*)"', settings),
                  ["raspberry-pi-4", "tm1637"])
    trace, board = run.trace("setup"), run.boards[BOARD]
    part = trace.part(f"board {BOARD}", f"left {BOARD}")
    lamp = [(edge.nanoseconds, edge.level) for edge in part.edges(run.line(BOARD))]
    faces = decode(board, part).faces
    section.equal("the lamp when it should be lit, and dark", [before(lamp, part.mark(mark)) for mark in ("lit", "dark")],
                  [1, 0])
    section.equal("the display when it should show each segment, and the digits in order",
                  [before(faces, part.mark(mark)) for mark in ("eights", "order")], ["8888", "1234"])
    wrong = run.text("setup", "wrong.terminal")
    for words in ("write 'active: low' under lamp", "it shows 2134 for 1234: its digits are wired in another order"):
        section.equal(f"advice: {words.split(':')[0]}", words in wrong, True)
    return section
