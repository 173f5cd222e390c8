"""What is wired to what, from what `deskbell check --json` says of a board file. No coordinates here."""

from dataclasses import dataclass

from headers import GROUND, V3, V5

SEGMENTS = ["a", "b", "c", "d", "e", "f", "g", "dp"]
# Red segments at 3.3 V: (3.3 V - 2 V) / 330 Ω = 4 mA. A line that carries all eight of a digit by itself must stay below
# the 12 mA of a Raspberry Pi 5: 1.3 mA each. A base at 2.6 mA saturates a transistor at 32 mA.
SEGMENT_OHMS, DIRECT_SEGMENT_OHMS, BASE_OHMS, LAMP_OHMS = "330 Ω", "1 kΩ", "1 kΩ", "330 Ω"
# What the board's files call a button or switch, and a person.
CONTACTS = {"view": "View button", "close": "Close button", "ring-silent": "Ring/silent switch"}


@dataclass
class Terminal:
    name: str
    function: str  # lamp, segment, digit, clock, data, supply, ground
    line: object = None  # of the board file; None for a supply
    supply: str = None
    through: str = ""  # what is in between
    symbol: str = ""  # how that is drawn: box, npn, pnp; rail: the end is what those have in common


@dataclass
class Part:
    title: str
    kind: str
    terminals: list
    digits: int = 0
    notes: tuple = ()


class NotDrawn(Exception):
    """The board file has something that this page cannot show yet."""


def parts_of(board):
    parts = []
    # JSON has no order of its own.
    order = ["lamp", "motor", "buttons", "switch", "display"]
    for key, value in sorted(board.items(), key=lambda item: (order.index(item[0]) if item[0] in order else 0, item[0])):
        if key == "lamp":
            parts.append(lamp(value))
        elif key == "motor":
            parts.append(motor(value))
        elif key in ("buttons", "switch"):
            parts += [contact(CONTACTS[name], value[name]) for name in CONTACTS if name in value]
        elif key == "display":
            draw = DISPLAYS.get(value["type"])
            if draw is None:
                raise NotDrawn(f"a display of type {value['type']!r}: add it to docs/wiring/circuit.py")
            parts.append(draw(value))
        elif key not in ("board", "chip"):
            raise NotDrawn(f"{key!r}: add it to docs/wiring/circuit.py")
    return parts


def lamp(section):
    line = section["line"]
    if section.get("active", "high") == "high":
        ends = [
            Terminal("anode +", "lamp", line, through=LAMP_OHMS, symbol="box"),
            Terminal("cathode −", "ground", supply=GROUND),
        ]
    else:
        ends = [
            Terminal("anode +", "supply", supply=V3, through=LAMP_OHMS, symbol="box"),
            Terminal("cathode −", "lamp", line),
        ]
    return Part("LED", "lamp", ends)


def motor(section):
    if section.get("active", "high") != "high":
        raise NotDrawn("a motor that runs while its line is low: add it to docs/wiring/circuit.py")
    return Part(
        "Vibration motor",
        "motor",
        [
            Terminal("base", "motor", section["line"], through=BASE_OHMS, symbol="box"),
            Terminal("motor +", "supply", supply=V3),
            Terminal("emitter", "ground", supply=GROUND),
        ],
        notes=(
            f"No line can carry a motor, nor what it throws back when it stops. The line goes through {BASE_OHMS} to the "
            "base of an NPN transistor (BC337, 2N2222), its emitter to ground; the motor lies between 3.3 V and the "
            "collector, and across it a diode (1N4148), its band at 3.3 V. At most 100 mA: a coin vibration motor, as used in phones.",
        ),
    )


def contact(title, section):
    """A button or switch closes its line to the level that counts."""
    is_low = section.get("active", "low") == "low"
    bias = section.get("bias", "pull-up" if is_low else "pull-down")
    level = GROUND if is_low else V3
    notes = ()
    if bias == "none":
        notes = (f"{title}: a resistor of 10 kΩ from its line to {V3 if is_low else GROUND} holds it open.",)
    return Part(
        title,
        "contact",
        [
            Terminal("contact", "contact", section["line"]),
            Terminal("other contact", "ground" if is_low else "supply", supply=level),
        ],
        notes=notes,
    )


def tm1637(section):
    return Part(
        f"TM1637 module, {section['digits']} digits",
        "module",
        [
            Terminal("CLK", "clock", section["clock"]),
            Terminal("DIO", "data", section["data"]),
            Terminal("VCC", "supply", supply=V3),
            Terminal("GND", "ground", supply=GROUND),
        ],
        digits=section["digits"],
        notes=(
            "Supply it with 3.3 V. At 5 V its resistors pull both lines to 5 V, which damages the board.",
        ),
    )


def multiplexed(section):
    segments_high = section["segments-active"] == "high"
    digits_high = section["digits-active"] == "high"
    common = "cathodes" if segments_high else "anodes"
    # A digit line of the segments' own level can only mean a transistor, which turns it round.
    has_transistors = segments_high == digits_high
    ohms = SEGMENT_OHMS if has_transistors else DIRECT_SEGMENT_OHMS
    terminals = [
        Terminal(f"segment {name}", "segment", line, through=ohms, symbol="box")
        for name, line in zip(SEGMENTS, section["segments"])
    ]
    symbol = ("npn" if segments_high else "pnp") if has_transistors else ""
    kind = {"npn": "NPN transistor", "pnp": "PNP transistor", "": ""}[symbol]
    terminals += [
        Terminal(
            f"digit {place}", "digit", line, symbol=symbol,
            through=f"{BASE_OHMS} to the base of its {kind}" if symbol else "")
        for place, line in enumerate(section["digits"], 1)
    ]
    if symbol == "npn":
        terminals.append(Terminal("all emitters", "ground", supply=GROUND, symbol="rail"))
    elif symbol == "pnp":
        terminals.append(Terminal("all emitters", "supply", supply=V3, symbol="rail"))
    notes = [f"Common {common}; digit 1 is leftmost. Pins of bare displays differ: look at the data sheet of yours."]
    if symbol:
        types, emitter = ("BC547, 2N3904", GROUND) if symbol == "npn" else ("BC557, 2N3906", V3)
        notes.append(
            f"Any small {symbol.upper()} transistor ({types}): base through {BASE_OHMS} to its line, emitter to "
            f"{emitter}, collector to its digit.")
    else:
        notes.append("A digit's line carries all of its segments: at less than 1 kΩ a segment it is overloaded.")
    return Part(
        f"{len(section['digits'])} bare digits, common {common}", "bare", terminals, digits=len(section["digits"]),
        notes=tuple(notes))


def max7219(section):
    shifter = {"through": "74AHCT125", "symbol": "box"}
    return Part(
        f"MAX7219 module, {section['digits']} digits",
        "module",
        [
            Terminal("DIN", "data", section["data"], **shifter),
            Terminal("CLK", "clock", section["clock"], **shifter),
            Terminal("CS", "select", section["select"], **shifter),
            Terminal("VCC", "supply", supply=V5),
            Terminal("GND", "ground", supply=GROUND),
        ],
        digits=section["digits"],
        notes=(
            "The chip wants 5 V, and 3.5 V for a high level, which a line at 3.3 V does not promise: a 74AHCT125, with "
            "its supply at 5 V and its enables at ground, lifts the three lines. Nothing at 5 V touches a line of the "
            "board.",
        ),
    )


def chain(section, title, outputs):
    """74HC595 in a chain, with the numbers of their pins."""
    return Part(
        title,
        "module",
        [
            Terminal("DS (14), first chip", "data", section["data"]),
            Terminal("SHCP (11), all", "clock", section["clock"]),
            Terminal("STCP (12), all", "select", section["latch"]),
            Terminal("VCC, MR (16, 10)", "supply", supply=V3),
            Terminal("GND, OE (8, 13)", "ground", supply=GROUND),
        ],
        digits=section["digits"],
        notes=("Q7S (9) of each chip goes to DS (14) of the next.", *outputs),
    )


def chain_static(section):
    digits = section["digits"]
    common = "cathodes, to ground" if section["segments-active"] == "high" else "anodes, to 3.3 V"
    return chain(
        section, f"{digits} × 74HC595, {digits} digits",
        (
            f"The first chip has the {section['first-digit']} digit. QA to QH: segments a to g and dp, each through "
            f"{SEGMENT_OHMS}; common {common}.",
        ))


def chain_multiplexed(section):
    high = section["segments-active"] == "high"
    has_transistors = section["segments-active"] == section["digits-active"]
    ohms = SEGMENT_OHMS if has_transistors else DIRECT_SEGMENT_OHMS
    transistor = f"through {'an NPN' if high else 'a PNP'} transistor each, {BASE_OHMS} to its base"
    return chain(
        section, f"2 × 74HC595, {section['digits']} digits",
        (
            f"The first chip drives the {section['first-register']}. Segments a to g and dp at QA to QH, each through "
            f"{ohms}.",
            f"Common {'cathodes' if high else 'anodes'} at QA and on, the {section['first-digit']} digit first, "
            f"{transistor if has_transistors else 'without transistors'}.",
        ))


DISPLAYS = {
    "tm1637": tm1637, "multiplexed": multiplexed, "max7219": max7219, "74hc595-static": chain_static,
    "74hc595-multiplexed": chain_multiplexed,
}


def assign_pins(parts, header):
    """Each terminal's pin: that of its line, or the nearest free one of its supply; as [(part, [(terminal, pin)])]."""
    taken = set()
    result = []
    for part in parts:
        known = [header.pin(terminal.line) for terminal in part.terminals if terminal.line is not None]
        places = [place(header, pin) for pin in known if pin]
        middle = sum(places) / len(places) if places else 0
        wired = []
        for terminal in part.terminals:
            if terminal.line is not None:
                pin = header.pin(terminal.line)
                if pin is None:
                    raise NotDrawn(
                        f"line {terminal.line!r} is on no pin of the {header.name}: see docs/wiring/headers.py")
            else:
                pins = [pin for pin in header.supplies[terminal.supply] if pin not in taken]
                if not pins:
                    raise NotDrawn(f"no pin is left for {terminal.supply}")
                pin = min(pins, key=lambda pin: abs(place(header, pin) - middle))
                taken.add(pin)
            wired.append((terminal, pin))
        result.append((part, wired))
    return result


def place(header, pin):
    """Where along the header a pin is; pins of another row are far away."""
    row, _, number = pin.rpartition(".")
    return int(number) + (1000 if row == "P9" else 0)
