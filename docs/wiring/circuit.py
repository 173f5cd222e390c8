"""The parts of a circuit and their connections, from a board file as `deskbell check --json` prints it. No coordinates here."""

from dataclasses import dataclass

from headers import GROUND, V3, V5

SEGMENTS = ["a", "b", "c", "d", "e", "f", "g", "dp"]
# Red segments at 3.3 V: (3.3 V - 2 V) / 330 Ω = 4 mA. A line that carries all eight of a digit by itself must stay below
# the 12 mA of a Raspberry Pi 5: 1.3 mA each. A base at 2.6 mA saturates a transistor at 32 mA.
SEGMENT_OHMS, DIRECT_SEGMENT_OHMS, BASE_OHMS, LAMP_OHMS = "330 Ω", "1 kΩ", "1 kΩ", "330 Ω"
# The key of a button or switch in board files, and its title.
CONTACTS = {
    "view": "View button", "close": "Close button", "dim": "Dim button", "ring-silent": "Ring/silent switch"}


BREADBOARD = (0, "breadboard")  # one for all that need it


@dataclass
class Terminal:
    name: str
    function: str  # lamp, segment, digit, clock, data, supply, ground
    line: object = None  # of the board file; None for a supply
    supply: str = None
    through: str = ""  # the part between line and terminal
    symbol: str = ""  # the symbol of that part: box, npn, pnp, gate; rail: the common end of several
    of: str = ""  # the chip that it belongs to, where the part has one beside


@dataclass
class Part:
    title: str
    kind: str  # how it is drawn: parts.py
    terminals: list  # as they are on the part, from top to bottom; of a bare display in any order
    digits: int = 0
    notes: tuple = ()
    needs: tuple = ()  # the shopping list, as (number, name)
    details: dict = None  # for its drawing only
    shifter: object = None  # a Shifter between the lines and the part


@dataclass
class Shifter:
    """A level shifter: `gates` are input and output of each used channel, `legs` the labels of its supplies."""

    name: str
    gates: list
    legs: dict
    is_two_way: bool = False
    foot: tuple = ()

    def through(self, channel):
        return f"{self.name}, in at {self.gates[channel][0]}, out at {self.gates[channel][1]}"


class NotDrawn(Exception):
    """A part of a board file that cannot be drawn yet."""


def parts_of(board):
    parts = []
    # JSON has no order of its own.
    order = ["lamp", "motor", "buzzer", "buttons", "switch", "light-sensor", "display"]
    for key, value in sorted(board.items(), key=lambda item: (order.index(item[0]) if item[0] in order else 0, item[0])):
        if key == "lamp":
            parts.append(lamp(value))
        elif key == "motor":
            parts.append(motor(value))
        elif key == "buzzer":
            parts.append(buzzer(value))
        elif key == "light-sensor":
            parts.append(light_sensor(value))
        elif key in ("buttons", "switch"):
            parts += [contact(CONTACTS[name], value[name]) for name in CONTACTS if name in value]
        elif key == "display":
            draw = DISPLAYS.get(value["type"])
            if draw is None:
                raise NotDrawn(f"a display of type {value['type']!r}: add it to docs/wiring/circuit.py")
            parts.append(draw(value))
        elif key not in ("board", "models", "other-models", "chip", "header", "buses-off"):
            raise NotDrawn(f"{key!r}: add it to docs/wiring/circuit.py")
    return parts


def lamp(section):
    if section.get("type") == "rgb":
        return rgb_lamp(section)
    if section.get("type") == "apa102":
        return apa102(section)
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
    return Part("LED", "lamp", ends, needs=((1, "red LED, 3 mm or 5 mm"), (1, resistor(LAMP_OHMS))))


def rgb_lamp(section):
    is_high = section.get("active", "high") == "high"
    common = Terminal("common", "ground" if is_high else "supply", supply=GROUND if is_high else V3)
    return Part(
        "LED of three colours",
        "module",
        [Terminal(name, "lamp", section[name], through=LAMP_OHMS, symbol="box") for name in ("red", "green", "blue")] + [common],
        notes=(f"The LED has a common {'cathode' if is_high else 'anode'}, its longest leg.",),
        needs=((1, f"LED of three colours, common {'cathode' if is_high else 'anode'}"), (3, resistor(LAMP_OHMS)), BREADBOARD),
    )


def apa102(section):
    if (section["data"], section["clock"], section["lamps"]) == ("GPIO23", "GPIO24", 8):
        title = "Blinkt!, 8 × APA102"
        needs = ((1, "Pimoroni Blinkt!, which is plugged onto the header; or 8 APA102 with the wires below"),)
        notes = ("A Blinkt! needs no wire: it is plugged onto the header and has these pins.",)
    else:
        title = f"{section['lamps']} × APA102"
        needs, notes = ((1, f"strip with {section['lamps']} APA102"),), ()
    return Part(
        title,
        "module",
        [
            Terminal("VCC", "supply", supply=V5),
            Terminal("GND", "ground", supply=GROUND),
            Terminal("DI", "data", section["data"]),
            Terminal("CI", "clock", section["clock"]),
        ],
        notes=notes + (
            "Each APA102 takes 60 mA at full brightness. With 5 V some strips want more than 3.3 V for a high level: a 74AHCT125 "
            "in between makes it.",
        ),
        needs=needs,
    )


def buzzer(section):
    if section.get("active", "high") != "high":
        raise NotDrawn("a buzzer that sounds while its line is low: add it to docs/wiring/circuit.py")
    tone = section.get("frequency")
    return Part(
        "Piezo buzzer",
        "module",
        [
            Terminal("+", "buzzer", section["line"], through=LAMP_OHMS, symbol="box"),
            Terminal("−", "ground", supply=GROUND),
        ],
        notes=(
            (f"The buzzer has no tone of its own: the line gives it {tone} Hz. " if tone else "The buzzer has a tone of its own. ")
            + "One with a coil takes more than a line can supply, and needs a transistor and a diode as the motor does.",
        ),
        needs=((1, f"piezo buzzer {'without' if tone else 'with'} a tone of its own ({'passive' if tone else 'active'})"),
               (1, resistor(LAMP_OHMS)), BREADBOARD),
    )


def light_sensor(section):
    is_high = section.get("active", "low") == "high"
    return Part(
        "Light sensor",
        "module",
        [
            Terminal("VCC", "supply", supply=V3),
            Terminal("GND", "ground", supply=GROUND),
            Terminal("DO", "sensor", section["line"]),
        ],
        notes=(
            f"The light sensor's DO is {'high' if is_high else 'low'} while it is dark, from the brightness on that its "
            "potentiometer sets. At 5 V DO has 5 V, which damages the board.",
        ),
        needs=((1, "light sensor with an LM393 and the outputs AO and DO"), BREADBOARD),
    )


def resistor(ohms):
    return f"resistor of {ohms}, 1/4 W"


def motor(section):
    if section.get("active", "high") != "high":
        raise NotDrawn("a motor that runs while its line is low: add it to docs/wiring/circuit.py")
    return Part(
        "Vibration motor",
        "motor",
        [
            Terminal("motor +", "supply", supply=V3),
            Terminal("base", "motor", section["line"], through=BASE_OHMS, symbol="box"),
            Terminal("emitter", "ground", supply=GROUND),
        ],
        notes=(
            "A line cannot supply a motor, and a motor that stops returns a voltage which damages the line. Therefore the "
            f"line goes through {BASE_OHMS} to the base of an NPN transistor (BC337, 2N2222), and the diode (1N4148) is "
            "across the motor with its band at 3.3 V. The motor takes at most 100 mA: a coin vibration motor, as used in "
            "phones.",
        ),
        needs=(
            (1, "coin vibration motor for 3 V, at most 100 mA"), (1, "NPN transistor BC337 or 2N2222"),
            (1, "diode 1N4148"), (1, resistor(BASE_OHMS)), BREADBOARD,
        ),
    )


def contact(title, section):
    """A button or switch, which connects its line to the active level."""
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
        needs=((1, "slide switch" if "switch" in title else "push button (closes when pressed)"), BREADBOARD) + (
            ((1, resistor("10 kΩ")),) if notes else ()),
    )


BSS138 = Shifter(
    "BSS138", [("LV1", "HV1"), ("LV2", "HV2")], {"LV": "LV", "HV": "HV", "GND, both": "GND"}, is_two_way=True)


def two_wire(section, title, module, names, notes, details=None):
    """A module on clock and data, whose resistors pull both lines to its supply: the chip answers on data.
    `names`: its terminals for these; `notes`: what to know of it at 3.3 V."""
    count = section["digits"]
    details = {"has_points": section["decimal-points"]} | (details or {})
    if section.get("supply") == "5V":
        return two_wire_at_5_volts(section, f"{title}, 5 V", module, names, details)
    return Part(
        title,
        "module",
        [
            Terminal(names[0], "clock", section["clock"]),
            Terminal(names[1], "data", section["data"]),
            Terminal("VCC", "supply", supply=V3),
            Terminal("GND", "ground", supply=GROUND),
        ],
        digits=count,
        notes=notes,
        needs=(module,),
        details=details,
    )


def two_wire_at_5_volts(section, title, module, names, details):
    return Part(
        title,
        "shifted",
        [
            Terminal("GND", "ground", supply=GROUND),
            Terminal("VCC", "supply", supply=V5),
            Terminal(names[1], "data", section["data"], through=BSS138.through(0), symbol="gate"),
            Terminal(names[0], "clock", section["clock"], through=BSS138.through(1), symbol="gate"),
            Terminal("LV", "supply", supply=V3, of=BSS138.name),
            Terminal("HV", "supply", supply=V5, of=BSS138.name),
            Terminal("GND, both", "ground", supply=GROUND, of=BSS138.name),
        ],
        digits=section["digits"],
        notes=(
            "The module's resistors pull both lines to 5 V, which damages the board. Therefore a level shifter with two or "
            "more channels of BSS138 is in between: 3.3 V at LV, the board's side; 5 V at HV, the module's side. Chips that "
            f"shift one way only do not work: the chip answers on {names[1]}.",
        ),
        needs=(module, (1, "level shifter with two or more channels of BSS138, on a small board with pins"), BREADBOARD),
        details=details,
        shifter=BSS138,
    )


def tm1637(section):
    count = section["digits"]
    return two_wire(
        section, f"TM1637 module, {count} digits", (1, f"TM1637 module with {count} digits"), ("CLK", "DIO"),
        ("Supply it with 3.3 V. At 5 V its resistors pull both lines to 5 V, which damages the board. Blue, green and white "
         "digits are dim or dark at 3.3 V: they need the display tm1637-5v.",), {"has_colon": count == 4})


def tm1650(section):
    count = section["digits"]
    return two_wire(
        section, f"TM1650 module, {count} digits", (1, f"TM1650 module with {count} digits"), ("SCL", "SDA"),
        ("Supply it with 3.3 V: at 5 V its resistors pull both lines to 5 V, which damages the board. A module without "
         "resistors needs one of 4.7 kΩ from SCL and one from SDA to 3.3 V.",))


def tm1638(section):
    count = section["digits"]
    meanings = ", ".join(f"S{number} is {meaning}" for number, meaning in sorted(section.get("keys", {}).items()))
    return Part(
        f"TM1638 board, {count} digits",
        "module",
        [
            Terminal("VCC", "supply", supply=V3),
            Terminal("GND", "ground", supply=GROUND),
            Terminal("STB", "select", section["strobe"]),
            Terminal("CLK", "clock", section["clock"]),
            Terminal("DIO", "data", section["data"]),
        ],
        digits=count,
        notes=(
            "Supply it with 3.3 V: at 5 V its resistors pull the lines to 5 V, which damages the board. A board without "
            "resistors needs one of 4.7 kΩ from each of STB, CLK and DIO to 3.3 V. Boards with 16 keys and common anodes "
            "(QYF-TM1638) are wired in another way: they show garbage.",
            *([f"The keys from left to right are S1 to S8: {meanings}."] if meanings else []),
        ),
        needs=((1, f"TM1638 board with {count} digits and 8 keys (LED&KEY)"),),
        details={"has_points": section["decimal-points"]},
    )


def ht16k33(section):
    count = section["digits"] // 4
    kind = "with 14 segments" if section.get("segments-per-digit") == 14 else "with 7 segments"
    backpacks = "HT16K33 backpack" if count == 1 else f"{count} × HT16K33 backpack"
    addresses = ", ".join(section.get("addresses") or [f"0x{0x70 + place:x}" for place in range(count)])
    notes = [
        "Supply it with 3.3 V: at 5 V its resistors pull both lines to 5 V, which damages the board. D is SDA, C is SCL; a "
        "backpack with a pin Vi2c, or IO, has 3.3 V at that, too. A pin VHi, for the lamps alone, stays free or has 5 V: "
        "with 3.3 V there the display stays dark."]
    if count > 1:
        notes.append(
            f"The backpacks stand side by side, and each terminal goes to that of the next. The addresses, leftmost first: "
            f"{addresses}. A closed jumper A0 adds 1 to 0x70, A1 adds 2, A2 adds 4.")
    return two_wire(
        section, f"{backpacks}, {section['digits']} digits", (count, f"HT16K33 backpack with 4 digits {kind}"),
        ("SCL", "SDA"), tuple(notes), {"has_colon": count == 1 and kind == "with 7 segments"})


def multiplexed(section):
    segments_high = section["segments-active"] == "high"
    digits_high = section["digits-active"] == "high"
    common = "cathodes" if segments_high else "anodes"
    count = len(section["digits"])
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
    notes = [f"Common {common}; digit 1 is leftmost."]
    if count == 4:
        notes.append(
            "The drawing's pin numbers are those of the common display with 12 pins (5641, 3461), seen from the front: pin "
            "1 is at the lower left. Other displays differ: compare with the data sheet of yours.")
    else:
        notes.append("Pins of bare displays differ: look at the data sheet of yours.")
    needs = [(1, f"display with {count} digits, common {common}"), (len(section["segments"]), resistor(ohms)), BREADBOARD]
    if symbol:
        types, emitter = ("BC547, 2N3904", GROUND) if symbol == "npn" else ("BC557, 2N3906", V3)
        notes.append(
            f"Any small {symbol.upper()} transistor ({types}): base through {BASE_OHMS} to its line, emitter to "
            f"{emitter}, collector to its digit.")
        needs += [(count, f"{kind} {types.replace(', ', ' or ')}"), (count, resistor(BASE_OHMS))]
    else:
        notes.append("A digit's line carries all of its segments: at less than 1 kΩ a segment it is overloaded.")
    return Part(
        f"{count} bare digits, common {common}", "bare", terminals, digits=count, notes=tuple(notes), needs=tuple(needs))


# DIP-14.
AHCT125 = Shifter(
    "74AHCT125", [(2, 3), (5, 6), (9, 8)], {"VCC (14)": "14  VCC", "GND (7), and 1, 4, 10, 12, 13": "7  GND"},
    foot=("1, 4, 10, 12, 13:", "to ground too"))


def max7219(section):
    keys = [("DIN", "data", "data"), ("CS", "select", "select"), ("CLK", "clock", "clock")]
    return Part(
        f"MAX7219 module, {section['digits']} digits",
        "shifted",
        [
            Terminal("VCC", "supply", supply=V5),
            Terminal("GND", "ground", supply=GROUND),
            *(Terminal(name, function, section[key], through=AHCT125.through(channel), symbol="gate")
              for channel, (name, function, key) in enumerate(keys)),
            *(Terminal(leg, function, supply=supply, of=AHCT125.name)
              for leg, (function, supply) in zip(AHCT125.legs, [("supply", V5), ("ground", GROUND)])),
        ],
        digits=section["digits"],
        notes=(
            f"With 5 V the chip needs 3.5 V for a high level, and a line has 3.3 V at most. Therefore a {AHCT125.name}, supplied "
            "with 5 V, is between the lines and the module. Its enables (1, 4, 10, 13) and its free input (12) are at "
            "ground. Nothing at 5 V touches a line of the board.",
        ),
        needs=(
            (1, f"MAX7219 module with {section['digits']} digits"), (1, f"level shifter {AHCT125.name}, DIP-14"), BREADBOARD),
        details={"has_points": section["decimal-points"]},
        shifter=AHCT125,
    )


def chain_static(section):
    """One chip for each digit: terminals have the numbers of their pins."""
    digits, is_high = section["digits"], section["segments-active"] == "high"
    segments = 8 if section["decimal-points"] else 7
    common = "cathodes, to ground" if is_high else "anodes, to 3.3 V"
    points = " and dp" if segments == 8 else ""
    return Part(
        f"{digits} × 74HC595, {digits} digits",
        "registers",
        [
            Terminal("DS (14), first chip", "data", section["data"]),
            Terminal("SHCP (11), all", "clock", section["clock"]),
            Terminal("STCP (12), all", "select", section["latch"]),
            Terminal("VCC, MR (16, 10)", "supply", supply=V3),
            Terminal("GND, OE (8, 13)", "ground", supply=GROUND),
        ],
        digits=digits,
        notes=(
            "Q7S (9) of each chip goes to DS (14) of the next.",
            f"The first chip has the {section['first-digit']} digit. QA to QH: segments a to g{points}, each through "
            f"{SEGMENT_OHMS}; common {common}.",
        ),
        needs=(
            (digits, "shift register 74HC595, DIP-16"), (digits, f"single digit, common {common.split(',')[0]}"),
            (segments * digits, resistor(SEGMENT_OHMS)), BREADBOARD,
        ),
        details={
            "is_high": is_high, "segments": segments, "first": section["first-digit"], "ohms": SEGMENT_OHMS,
        },
    )


def chain_multiplexed(section):
    high = section["segments-active"] == "high"
    has_transistors = section["segments-active"] == section["digits-active"]
    ohms = SEGMENT_OHMS if has_transistors else DIRECT_SEGMENT_OHMS
    transistor = f"through {'an NPN' if high else 'a PNP'} transistor each, {BASE_OHMS} to its base"
    return Part(
        f"Module with two 74HC595, {section['digits']} digits",
        "module",
        [
            Terminal("SCLK", "clock", section["clock"]),
            Terminal("RCLK", "select", section["latch"]),
            Terminal("DIO", "data", section["data"]),
            Terminal("VCC", "supply", supply=V3),
            Terminal("GND", "ground", supply=GROUND),
        ],
        digits=section["digits"],
        notes=(
            "Supply the module with 3.3 V: its chips work from 2 V to 6 V.",
            "Without the module: DIO is DS (14) of the first chip, whose Q7S (9) goes to DS (14) of the second; SCLK is SHCP "
            "(11), RCLK is STCP (12), VCC is VCC and MR (16, 10), GND is GND and OE (8, 13) of both chips.",
            f"The first chip drives the {section['first-register']}. Segments a to g and dp are at QA to QH, each through "
            f"{ohms}. Common {'cathodes' if high else 'anodes'} are at QA and on, the {section['first-digit']} digit first, "
            f"{transistor if has_transistors else 'without transistors'}.",
        ),
        needs=((1, f"module with {section['digits']} digits and two 74HC595"),),
        details={"has_points": section["decimal-points"]},
    )


DISPLAYS = {
    "tm1637": tm1637, "tm1650": tm1650, "tm1638": tm1638, "ht16k33": ht16k33, "multiplexed": multiplexed, "max7219": max7219,
    "74hc595-static": chain_static, "74hc595-multiplexed": chain_multiplexed,
}


def shopping_list(wired):
    """Returns the shopping list of all parts, with the wires."""
    counts = {}
    for part, _ in wired:
        for count, name in part.needs:
            counts[name] = counts.get(name, 0) + count
    wires = sum(len(terminals) for _, terminals in wired)
    found = [f"{count} × {name}" if count else f"1 × {name}" for name, count in counts.items() if name != BREADBOARD[1]]
    kind = "jumper wires, female to female"
    if BREADBOARD[1] in counts:
        found.append(f"1 × {BREADBOARD[1]}, and wires for it")
        kind = "jumper wires, female to male"
    return [*found, f"{wires} × {kind}"]


def assign_pins(parts, header):
    """Each terminal's pin: that of its line, or the nearest free one of its supply; as [(part, [(terminal, pin)])]."""
    taken = set()
    result = []
    for part in parts:
        middle = middle_of(header, part.terminals)
        wired = []
        for terminal in part.terminals:
            if terminal.line is not None:
                pin = header.pin(terminal.line)
                if pin is None:
                    raise NotDrawn(
                        f"line {terminal.line!r} is on no pin of the {header.name}")
            else:
                pins = [pin for pin in header.supplies[terminal.supply] if pin not in taken]
                if not pins:
                    raise NotDrawn(f"no pin is left for {terminal.supply}")
                # Emitters are beside the digits that their transistors switch.
                near = [other for other in part.terminals if other.function == "digit"]
                wanted = middle_of(header, near) if terminal.symbol == "rail" else middle
                pin = min(pins, key=lambda pin: abs(place(header, pin) - wanted))
                taken.add(pin)
            wired.append((terminal, pin))
        result.append((part, wired))
    return result


def middle_of(header, terminals):
    known = [header.pin(terminal.line) for terminal in terminals if terminal.line is not None]
    places = [place(header, pin) for pin in known if pin]
    return sum(places) / len(places) if places else 0


def place(header, pin):
    """Returns the position of a pin along the header; pins of another row are far away."""
    row, _, number = pin.rpartition(".")
    return int(number) + (1000 if row == "P9" else 0)
