"""The header in a board file: the pin of each line, and the pins of the supplies."""

from dataclasses import dataclass

GROUND, V3, V5 = "GND", "3.3 V", "5 V"


@dataclass
class Header:
    """The header, or all headers, of a board."""

    name: str
    supplies: dict  # supply: pins, as they are called on the board
    lines: dict  # line: pin

    def pin(self, line):
        return self.lines.get(line)


def header_of(board):
    """The header of a board as `deskbell check --json` says it."""
    header = board["header"]
    names = {"3.3V": V3, "5V": V5}
    return Header(
        header["name"],
        {names.get(supply, supply): [str(pin) for pin in pins] for supply, pins in header["supplies"].items()},
        {line: pin for pin, line in sorted(header["lines"].items(), key=lambda item: item[0].zfill(2))})
