"""Chips and displays as seen from the wires, written only from their data sheets and independent of Deskbell.

A module has `DISPLAYS`: by type of display, a function from the display of a board file, as `deskbell check --json`
prints it, to its decoder and the keys of its lines in the decoder's order.
"""

from importlib import import_module
from pkgutil import iter_modules


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
    """Returns the decoder for the display of a board file, and the keys of its lines in the decoder's order."""
    for module in modules():
        make = getattr(module, "DISPLAYS", {}).get(display["type"])
        if make:
            return make(display)
    raise ValueError(f"no decoder for displays of type {display['type']}: add one to decoders/")


def modules():
    return [import_module(f"{__name__}.{module.name}") for module in iter_modules(__path__)]
