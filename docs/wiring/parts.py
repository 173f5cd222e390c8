"""The drawing of each kind of part, beside the rows of its terminals. Wires end at `end`, where the part begins."""

from canvas import INK, digit_pitch
from headers import GROUND, V3, V5

COLOURS = {
    "lamp": "#00838f", "segment": "#1f6fc4", "digit": "#7b3fa0", "clock": "#2e7d32", "data": "#1f6fc4",
    "select": "#7b3fa0", "motor": "#ad1457", "contact": "#00695c", "sensor": "#00695c", "buzzer": "#8e5a00", "ground": "#222222", V3: "#ef6c00", V5: "#c62828",
}
BOX_X, RIGHT = 730, 1080
BETWEEN_X = 668  # the middle of a part in a wire
TRANSISTOR_X, RAIL_X = 684, 716
ROW = 26
MODULE, MODULE_EDGE = "#e4ecf7", "#5b7699"
BODY, BODY_EDGE = "#f6f7f8", "#6b727a"
# Of the common display with 12 pins; None of others.
TWELVE = {
    "segment e": 1, "segment d": 2, "segment dp": 3, "segment c": 4, "segment g": 5, "digit 4": 6, "segment b": 7,
    "digit 3": 8, "digit 2": 9, "segment f": 10, "segment a": 11, "digit 1": 12,
}
CHIP_PITCH = 20
# 74HC595, with its notch below: left side and right side, each from top to bottom.
LEFT_PINS = [(9, "Q7S"), (10, "MR"), (11, "SHCP"), (12, "STCP"), (13, "OE"), (14, "DS"), (15, "QA"), (16, "VCC")]
RIGHT_PINS = [(8, "GND"), (7, "QH"), (6, "QG"), (5, "QF"), (4, "QE"), (3, "QD"), (2, "QC"), (1, "QB")]


def colour(terminal):
    return COLOURS[terminal.supply if terminal.function == "supply" else terminal.function]


def step_of(part, terminal):
    """Returns the height of a terminal's row, a multiple of `ROW`."""
    if terminal.symbol in ("npn", "pnp"):
        return 2 * ROW
    return 4 * ROW if part.kind == "motor" and terminal.name == "base" else ROW


def room_below(part):
    """Returns the height that a part needs below its rows."""
    if part.kind == "registers":
        return part.digits * chip_step(part) + 14
    return {"shifted": 48, "lamp": 10}.get(part.kind, 8)


def end_of(part, terminal, place):
    """Returns the end of a terminal's wire, by the terminal's place in its part."""
    if terminal.symbol in ("npn", "pnp"):
        return TRANSISTOR_X - 16
    if terminal.symbol == "rail":
        return RAIL_X
    if terminal.of or terminal.symbol == "gate":
        return 622
    return rail_x(place) if part.kind == "registers" else BOX_X


def rail_x(place):
    """Returns the position of a register's rail: the top row has the rightmost, so that no row crosses a rail."""
    return 704 - 16 * place


def draw_part(canvas, part, terminals, top, bottom):
    DRAWINGS[part.kind](canvas, part, terminals, top, bottom)


def box(canvas, part, top, bottom, fill=BODY, stroke=BODY_EDGE, x=BOX_X):
    canvas.rectangle(x, top, RIGHT - x, bottom - top, fill=fill, stroke=stroke, radius=8)
    canvas.text(x + 14, top + 22, part.title, size=14, weight="bold")


def pads(canvas, terminals, x=BOX_X):
    """The pins of a module, in its own order."""
    for terminal, _, y in terminals:
        canvas.rectangle(x - 5, y - 5, 10, 10, fill="#d8b545", stroke="#8d7420")
        canvas.text(x + 14, y + 4, terminal.name, size=12, fill=colour(terminal), weight="bold")


def lamp(canvas, part, terminals, top, bottom):
    box(canvas, part, top, bottom)
    ys = {terminal.name: y for terminal, _, y in terminals}
    anode, cathode = ys["anode +"], ys["cathode −"]
    for terminal, _, y in terminals:
        ink = colour(terminal)
        if terminal.symbol == "box":
            canvas.resistor(BETWEEN_X, y, terminal.through, ink)
        canvas.line(BOX_X, y, BOX_X + 206, y, "#8b949e", 2.6)
        canvas.rectangle(BOX_X + 10, y - 8, 78, 16, BODY)
        canvas.text(BOX_X + 14, y + 4, terminal.name, size=12, fill=ink, weight="bold")
    for y, words in ((anode, "longer leg"), (cathode, "flat side")):
        canvas.text(BOX_X + 112, y + (13 if y == max(ys.values()) else -5), words, size=10, fill="#555")
    middle = (anode + cathode) / 2
    x = BOX_X + 206
    # The rim is flat at the cathode.
    flat = 1 if cathode > anode else -1
    canvas.polygon([(x, middle - 23 * flat), (x + 9, middle - 23 * flat), (x + 9, middle + 19 * flat), (x, middle + 19 * flat)], "#e53935")
    canvas.shape(f"M {x + 9} {middle - 19} H {x + 34} A 19 19 0 0 1 {x + 34} {middle + 19} H {x + 9} Z", "#ff6f60", "#c62828")
    for dy in (-12, 0, 12):
        canvas.line(x + 62, middle + dy, x + 74, middle + 1.4 * dy, "#ef9a00", 2)


def contact(canvas, part, terminals, top, bottom):
    box(canvas, part, top, bottom)
    for terminal, _, y in terminals:
        canvas.line(BOX_X, y, BOX_X + 200, y, "#8b949e", 2.6)
        width = 16 + 7.6 * len(terminal.name)
        canvas.rectangle(BOX_X + 10, y - 8, width, 16, BODY)
        canvas.text(BOX_X + 14, y + 4, terminal.name, size=12, fill=colour(terminal), weight="bold")
    first, last = terminals[0][2], terminals[-1][2]
    middle, x = (first + last) / 2, BOX_X + 200
    canvas.rectangle(x, middle - 24, 48, 48, fill="#3b424a", radius=4)
    if "switch" in part.title:
        canvas.rectangle(x + 10, middle - 9, 28, 18, fill="#15181c", radius=2)
        canvas.rectangle(x + 11, middle - 8, 13, 16, fill="#c5ccd3", radius=2)
        canvas.text(x + 56, middle - 4, "closed:", size=11)
        canvas.text(x + 56, middle + 11, "silent", size=11)
    else:
        canvas.circle(x + 24, middle, 15, "#c5ccd3", stroke="#15181c", width=1.5)


def motor(canvas, part, terminals, top, bottom):
    box(canvas, part, top, bottom)
    (plus, _, high), (base, _, middle), (emitter, _, low) = terminals
    x, node = BOX_X + 170, middle - 24
    canvas.resistor(BETWEEN_X, middle, base.through, colour(base))
    for terminal, _, y in terminals:
        canvas.text(BOX_X + 14, y + (16 if terminal is plus else -6), terminal.name, size=12, fill=colour(terminal), weight="bold")
    canvas.line(BOX_X, high, x + 78, high, colour(plus), 2.6)
    canvas.line(BOX_X, middle, x - 16, middle, colour(base), 2.6)
    canvas.wire([(BOX_X, low), (x + 8, low), (x + 8, middle + 13)], colour(emitter))
    canvas.wire([(x + 8, middle - 13), (x + 8, high)], INK)
    canvas.wire([(x + 8, node), (x + 78, node), (x + 78, high)], INK)
    canvas.diode(x + 78, (high + node) / 2)
    canvas.dot(x + 8, high, colour(plus))
    canvas.dot(x + 8, node, INK)
    canvas.circle(x + 8, (high + node) / 2, 12, "#ffffff", stroke=INK, width=1.8)
    canvas.text(x + 8, (high + node) / 2 + 5, "M", size=13, anchor="middle", weight="bold")
    canvas.transistor(x, middle, True)
    canvas.text(x + 92, (high + node) / 2 - 2, "1N4148", size=11)
    canvas.text(x + 92, (high + node) / 2 + 12, "band at 3.3 V", size=10, fill="#555")
    canvas.text(x + 26, middle + 4, "NPN: BC337, 2N2222", size=11)


def module(canvas, part, terminals, top, bottom):
    box(canvas, part, top, bottom, MODULE, MODULE_EDGE)
    for terminal, _, y in terminals:
        if terminal.symbol == "box":
            canvas.resistor(BETWEEN_X, y, terminal.through, colour(terminal))
    pads(canvas, terminals)
    if not part.digits:
        return
    scale = min(1, 250 / (part.digits * digit_pitch(1)))
    width = part.digits * digit_pitch(scale) + 6 * scale
    canvas.digits(RIGHT - width - 16, top + 38, part.digits, "12", scale, **part.details)


def shifted(canvas, part, terminals, top, bottom):
    """The level shifter is a row's middle, and the module its end."""
    module_rows = [row for row in terminals if not row[0].of]
    gates = [row for row in terminals if row[0].symbol == "gate"]
    below = gates[-1][2] + 22
    canvas.rectangle(BOX_X, top, RIGHT - BOX_X, below - top, fill=MODULE, stroke=MODULE_EDGE, radius=8)
    canvas.text(BOX_X + 14, top + 22, part.title, size=14, weight="bold")
    scale = min(1, 266 / (part.digits * digit_pitch(1)))
    width = part.digits * digit_pitch(scale) + 6 * scale
    canvas.digits(RIGHT - width - 12, (top + below + 20 - 88 * scale) / 2, part.digits, "12", scale, **part.details)
    shifter = part.shifter
    high, low = gates[0][2] - 13, terminals[-1][2] + 32
    canvas.rectangle(622, high, 76, low - high, fill="#3b424a", stroke="#15181c", radius=4)
    canvas.text(660, low - 8, shifter.name, size=10, anchor="middle", fill="#ffffff", weight="bold")
    for (terminal, _, y), (inside, outside) in zip(gates, shifter.gates):
        canvas.wire([(698, y), (BOX_X, y)], colour(terminal))
        arrows = [(653, 659), (667, 661)] if shifter.is_two_way else [(652, 666)]
        for back, front in arrows:
            canvas.polygon([(back, y - 7), (back, y + 7), (front, y)], "#c5ccd3")
        canvas.text(627, y + 4, str(inside), size=10, fill="#ffffff", weight="bold")
        canvas.text(693, y + 4, str(outside), size=10, anchor="end", fill="#ffffff", weight="bold")
    pads(canvas, module_rows)
    for terminal, _, y in terminals:
        if terminal.of:
            canvas.text(627, y + 4, shifter.legs[terminal.name], size=10, fill="#ffffff", weight="bold")
    for place, words in enumerate(shifter.foot):
        canvas.text(627, low + 14 + 13 * place, words, size=10, fill="#333")


def bare(canvas, part, terminals, top, bottom):
    box(canvas, part, top, bottom)
    rails = [(y, terminal) for terminal, _, y in terminals if terminal.symbol == "rail"]
    emitters = []
    for terminal, _, y in terminals:
        ink = colour(terminal)
        if terminal.symbol == "rail":
            canvas.text(BOX_X - 116, y - 5, terminal.name, size=10, fill=ink, weight="bold")
            continue
        at = y
        if terminal.symbol == "box":
            canvas.resistor(BETWEEN_X, y, terminal.through, ink)
        elif terminal.symbol:
            at = y - 18
            canvas.resistor(TRANSISTOR_X - 42, y, terminal.through.split(" to ")[0], ink)
            emitters.append(y + 18)
        canvas.circle(BOX_X, at, 4, ink)
        pin = TWELVE.get(terminal.name) if part.digits == 4 else None
        canvas.text(BOX_X + 14, at + 4, terminal.name, size=12, fill=ink, weight="bold")
        if pin:
            canvas.text(BOX_X + 106, at + 4, f"pin {pin}", size=11, fill="#555")
    for y, terminal in rails:
        # Emitters first: collectors cross their rail.
        ink = colour(terminal)
        canvas.wire([(RAIL_X, min(emitters + [y])), (RAIL_X, max(emitters + [y]))], ink)
        for emitter in emitters:
            canvas.wire([(TRANSISTOR_X + 8, emitter - 5), (TRANSISTOR_X + 8, emitter), (RAIL_X, emitter)], ink)
            canvas.dot(RAIL_X, emitter, ink)
        canvas.dot(RAIL_X, y, ink)
    for terminal, _, y in terminals:
        if terminal.symbol in ("npn", "pnp"):
            canvas.wire(
                [(TRANSISTOR_X + 8, y - 13), (TRANSISTOR_X + 8, y - 18), (BOX_X, y - 18)], colour(terminal))
            canvas.circle(BOX_X, y - 18, 4, colour(terminal))
            canvas.transistor(TRANSISTOR_X, y, terminal.symbol == "npn")
    scale = min(1, 172 / (part.digits * digit_pitch(1)))
    width = part.digits * digit_pitch(scale) + 6 * scale
    x, y = RIGHT - width - 18, top + 64
    canvas.digits(x, y, part.digits, "12", scale, has_points=True)
    if part.digits == 4:
        for place in range(6):
            at = x + 14 + place * (width - 28) / 5
            for number, beside, to in ((12 - place, y - 12, y), (1 + place, y + 108, y + 88)):
                canvas.line(at, to, at, to + (-7 if to == y else 7), "#8b949e", 3)
                canvas.text(at, beside, str(number), size=10, anchor="middle", fill="#555")
        canvas.text(x + width / 2, y + 128, "its 12 pins, seen from the front", size=10, anchor="middle", fill="#555")
    canvas.named_digit(RIGHT - 116, y + 164, COLOURS["segment"])


def chip_step(part):
    return 8 * CHIP_PITCH + 58


def registers(canvas, part, terminals, top, bottom):
    """A chip for each digit, its pins in their real order, with rails at its left."""
    canvas.text(BOX_X + 14, top + 22, part.title, size=14, weight="bold")
    canvas.text(BOX_X + 14, top + 46, "Chips are drawn with the notch below:", size=11)
    canvas.text(BOX_X + 14, top + 62, "pin 1 is at the lower right.", size=11)
    rails = {}
    for place, (terminal, _, y) in enumerate(terminals):
        rails[terminal.name.split(" ")[0].rstrip(",")] = (rail_x(place), y, colour(terminal))
        canvas.text(
            rail_x(place) - 4, y - 5, terminal.name, size=10, anchor="end", fill=colour(terminal), weight="bold")
    start = terminals[-1][2] + 44
    tops = [start + chip_step(part) * index for index in range(part.digits)]
    last = tops[-1]
    # How far down each rail goes: to the last of its pins.
    rows = {"DS": (tops[0], 5), "SHCP": (last, 2), "STCP": (last, 3), "VCC": (last, 7), "GND": (last, 4)}
    for name, (chip, row) in rows.items():
        x, y, ink = rails[name]
        canvas.wire([(x, y), (x, chip + (row + 0.5) * CHIP_PITCH)], ink)
    for index, chip in enumerate(tops):
        draw_register(canvas, part, index, chip, rails)
        if index + 1 < part.digits:
            x = CHIP_X - (16 if index % 2 else 26)
            canvas.wire([
                (CHIP_X, chip + 0.5 * CHIP_PITCH), (x, chip + 0.5 * CHIP_PITCH),
                (x, tops[index + 1] + 5.5 * CHIP_PITCH), (CHIP_X, tops[index + 1] + 5.5 * CHIP_PITCH)], COLOURS["data"])
    for index, chip in enumerate(tops):
        draw_taps(canvas, index, chip, rails)


CHIP_X, CHIP_WIDTH, DIGIT_X = 764, 84, 984


def draw_register(canvas, part, index, top, rails):
    height = 8 * CHIP_PITCH
    details = part.details
    common = rails["GND" if details["is_high"] else "VCC"]
    # Ground above the chip for its pin 8, and for the digit where that has common cathodes.
    above, right = top - 14, CHIP_X + CHIP_WIDTH
    ground = rails["GND"]
    canvas.wire([(ground[0], above), (right + 14, above), (right + 14, top + 10), (right, top + 10)], ground[2])
    if details["is_high"]:
        canvas.wire([(right + 14, above), (DIGIT_X + 60, above), (DIGIT_X + 60, top + 16)], common[2])
        canvas.dot(right + 14, above, common[2])
    else:
        canvas.wire([(common[0], above - 10), (DIGIT_X + 60, above - 10), (DIGIT_X + 60, top + 16)], common[2])
    # QA is on the left side: its wire goes below the chip.
    low = top + height + 10
    canvas.wire(
        [(CHIP_X, top + 6.5 * CHIP_PITCH), (CHIP_X - 10, top + 6.5 * CHIP_PITCH), (CHIP_X - 10, low), (DIGIT_X, low)],
        COLOURS["segment"])
    lines = [("a", low)] + [(name, top + (7.5 - place) * CHIP_PITCH) for place, name in enumerate(
        ["b", "c", "d", "e", "f", "g", "dp"][:details["segments"] - 1])]
    for name, y in lines[1:]:
        canvas.wire([(right, y), (DIGIT_X, y)], COLOURS["segment"])
    canvas.rectangle(CHIP_X, top, CHIP_WIDTH, height, fill="#3b424a", stroke="#15181c", radius=4)
    canvas.shape(f"M {CHIP_X + CHIP_WIDTH / 2 - 6} {top + height} a 6 6 0 0 1 12 0", "#f6f7f8", "#15181c")
    canvas.circle(right - 5, top + height - 4, 2, "#ffffff")
    for place in range(8):
        y = top + (place + 0.5) * CHIP_PITCH
        for (pin, name), x, inside, anchor in (
                (LEFT_PINS[place], CHIP_X - 3, CHIP_X + 7, "start"), (RIGHT_PINS[place], right - 3, right - 7, "end")):
            canvas.rectangle(x, y - 4, 6, 8, "#c5ccd3")
            words = f"{pin} {name}" if anchor == "start" else f"{name} {pin}"
            canvas.text(inside, y + 3.5, words, size=9, anchor=anchor, fill="#ffffff")
    which = {"leftmost": index + 1, "rightmost": part.digits - index}[details["first"]]
    canvas.rectangle(DIGIT_X, top + 10, RIGHT - DIGIT_X, height + 14, fill=BODY, stroke=BODY_EDGE, radius=6)
    for name, y in lines:
        canvas.resistor((right + DIGIT_X) / 2 + 12, y, details["ohms"], COLOURS["segment"])
        canvas.text(DIGIT_X + 7, y + 4, name, size=11, fill=COLOURS["segment"], weight="bold")
    canvas.text(DIGIT_X + 60, top + 32, f"digit {which}", size=11, anchor="middle", weight="bold")
    canvas.text(DIGIT_X + 62, top + 46, "cathode" if details["is_high"] else "anode", size=9, anchor="middle", fill="#555")
    shown = "12"[which - part.digits + 1] if which > part.digits - 2 and part.digits > 1 else " "
    canvas.digits(DIGIT_X + 38, top + 58, 1, shown, has_points=details["segments"] == 8)


def draw_taps(canvas, index, top, rails):
    """The pins of a chip that are on rails."""
    for row, name in ((1, "VCC"), (2, "SHCP"), (3, "STCP"), (4, "GND"), (7, "VCC")) + (((5, "DS"),) if index == 0 else ()):
        x, _, ink = rails[name]
        y = top + (row + 0.5) * CHIP_PITCH
        canvas.wire([(x, y), (CHIP_X - 3, y)], ink)
        canvas.dot(x, y, ink)
    canvas.dot(rails["GND"][0], top - 14, rails["GND"][2])


DRAWINGS = {
    "lamp": lamp, "contact": contact, "motor": motor, "module": module, "shifted": shifted, "bare": bare,
    "registers": registers,
}
