"""Chips and displays as seen from the wires, written only from their data sheets and independent of Deskbell."""

from .max7219 import MAX7219
from .multiplexed import Multiplexed
from .shift_register import MultiplexedShiftRegisters, StaticShiftRegisters
from .tm1637 import TM1637


def decode(board, trace):
    """Returns the decoder of the board's display, fed with the edges of its lines.

    `board` is a board file as `boards.py` has read it.
    """
    chip, keys = decoder(board["display"])
    places = {board["lines"][str(key)]: place for place, key in enumerate(keys)}
    levels = list(chip.rest)
    for edge in trace.edges():
        place = places.get(edge.line)
        if place is not None and levels[place] != edge.level:
            levels[place] = edge.level
            chip.change(edge.nanoseconds, place, edge.level)
    if chip.scan:
        chip.scan.end()
    return chip


def decoder(display):
    """Returns the decoder for the display of a board file, as `deskbell check --json` prints it, and the keys of its
    lines in the decoder's order."""
    kind = display["type"]
    if kind == "tm1637":
        return TM1637(display["digits"]), [display["clock"], display["data"]]
    if kind == "max7219":
        return (MAX7219(display["digits"], display["first-digit"]),
                [display["data"], display["clock"], display["select"]])
    if kind == "multiplexed":
        bare = Multiplexed(
            len(display["segments"]), len(display["digits"]), display["segments-active"] == "high",
            display["digits-active"] == "high")
        return bare, display["segments"] + display["digits"]
    chain = [display["data"], display["clock"], display["latch"]]
    if kind == "74hc595-static":
        static = StaticShiftRegisters(display["digits"], display["first-digit"], display["segments-active"] == "high")
        return static, chain
    if kind == "74hc595-multiplexed":
        return MultiplexedShiftRegisters(
            display["digits"], display["first-digit"], display["first-register"], display["segments-active"] == "high",
            display["digits-active"] == "high"), chain
    raise ValueError(f"no decoder for displays of type {kind}: add one to decoders/")
