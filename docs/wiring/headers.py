"""Which pin of a board's header a line is on. Sources: the pins of the Raspberry Pi's header are those that its kernel
once named the lines of a Raspberry Pi 5 after (PIN3, …); boards whose device tree names lines after pins say it
themselves; the tables of the others are their makers'."""

import re
from dataclasses import dataclass, field

GROUND, V3, V5 = "GND", "3.3 V", "5 V"


@dataclass
class Header:
    """A header, or the headers of a board as one."""

    name: str
    supplies: dict  # supply: pins, as they are called on the board
    lines: dict = field(default_factory=dict)  # line: pin
    pattern: str = ""  # of labels that name their pin

    def pin(self, line):
        if line in self.lines:
            return self.lines[line]
        match = re.fullmatch(self.pattern, str(line)) if self.pattern else None
        return match.group(1).lstrip("0") if match else None


FORTY = {V3: ["1", "17"], V5: ["2", "4"], GROUND: ["6", "9", "14", "20", "25", "30", "34", "39"]}

RASPBERRY_PI_PINS = {
    2: 3, 3: 5, 4: 7, 5: 29, 6: 31, 7: 26, 8: 24, 9: 21, 10: 19, 11: 23, 12: 32, 13: 33, 14: 8, 15: 10, 16: 36, 17: 11,
    18: 12, 19: 35, 20: 38, 21: 40, 22: 15, 23: 16, 24: 18, 25: 22, 26: 37, 27: 13,
}
RASPBERRY_PI = Header(
    "40-pin header",
    FORTY,
    {key: str(pin) for number, pin in RASPBERRY_PI_PINS.items() for key in (number, f"GPIO{number}")},
)

# By the beginning of a board file's name; the longest that fits counts.
HEADERS = {
    "raspberry-pi": RASPBERRY_PI,
    "orange-pi-zero-3": Header(
        "26-pin header",
        {V3: ["1", "17"], V5: ["2", "4"], GROUND: ["6", "9", "14", "20", "25"]},
        {
            229: "3", 228: "5", 226: "8", 227: "10", 70: "11", 75: "12", 69: "13", 72: "15", 79: "16", 78: "18",
            231: "19", 232: "21", 71: "22", 230: "23", 233: "24", 74: "26",
        },
    ),
    # Lines of chip gpio3 only.
    "radxa-zero-3": Header(
        "40-pin header",
        FORTY,
        {
            20: "7", 1: "11", 3: "12", 2: "13", 8: "15", 9: "16", 10: "18", 17: "22", 11: "29", 12: "31", 18: "32",
            19: "33", 4: "35", 7: "36", 6: "38", 5: "40",
        },
    ),
    "beaglebone-black": Header(
        "P8 and P9",
        {V3: ["P9.3", "P9.4"], V5: ["P9.7", "P9.8"], GROUND: ["P8.1", "P8.2", "P9.1", "P9.2", "P9.43"]},
        {f"{row}_{number}": f"{row}.{number}" for row in ("P8", "P9") for number in range(1, 47)},
    ),
    "le-potato": Header("40-pin header 7J1", FORTY, pattern=r"7J1 Header Pin(\d+)"),
    "banana-pi-m5": Header("40-pin header CON1", FORTY, pattern=r"CON1-P(\d+)"),
    "odroid-c4": Header("40-pin header", FORTY, pattern=r"PIN_(\d+)"),
}


def header_of(name):
    """The header of the board whose file has that name; None for a board that nobody wires."""
    fitting = [beginning for beginning in HEADERS if name.startswith(beginning)]
    return HEADERS[max(fitting, key=len)] if fitting else None
