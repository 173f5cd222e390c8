"""A wiring as SVG: the 40-pin header on the left, parts on the right, a wire for each pin in between. Wires do not
cross where parts can be put in the order of their pins."""

from html import escape
from textwrap import wrap

from headers import GROUND, V3, V5

COLOURS = {
    "lamp": "#00838f", "segment": "#1f6fc4", "digit": "#7b3fa0", "clock": "#2e7d32", "data": "#1f6fc4",
    "select": "#7b3fa0", "motor": "#ad1457", "contact": "#00695c", "ground": "#222222", V3: "#ef6c00", V5: "#c62828",
}
MEANINGS = {
    "lamp": "LED", "segment": "segments", "digit": "digits", "clock": "clock", "data": "data", "select": "select",
    "motor": "motor", "contact": "buttons and switch", "ground": "ground", V3: "3.3 V", V5: "5 V",
}
PIN_FILL = {GROUND: "#222222", V3: "#ef6c00", V5: "#c62828", None: "#d9dde2"}

PITCH = 30  # of the header's rows
HEADER_X, TOP = 118, 92  # of pin 1
LANES = (236, 470)  # where wires run up and down
SYMBOL_X, RAIL_X = 540, 596  # of what is in between, and of what that ends at
BOX_X, WIDTH = 640, 1000
# Multiples of half a pitch, begun a quarter off: no wire to a part runs where one from a pin does.
ROW, TRANSISTOR_ROW = 30, 60
BOX_GAP, BOX_TITLE = 24, 34


def svg(title, wired, header, board_line):
    """`wired` as `circuit.assign_pins` gives it."""
    canvas = Canvas()
    rows = lay_out(wired)
    notes = ["Disconnect the supply before you wire. Count the pins: pin 1 is the corner with the square pad."]
    notes += [note for part, _, _, _ in rows["parts"] for note in part.notes]
    written = [(note, line) for note in notes for line in wrap(note, 125)]
    height = max(TOP + 20 * PITCH + 14, rows["bottom"] + 16) + 45 + 17 * len(written)
    canvas.text(24, 32, title, size=20, weight="bold")
    canvas.text(24, 52, board_line, size=12, fill="#555")
    used = {pin: (terminal, y) for _, terminals, _, _ in rows["parts"] for terminal, pin, y in terminals}
    canvas.rectangle(HEADER_X - 18, TOP - 20, 62, 20 * PITCH + 10, fill="#f4f5f7", stroke="#9aa1a9", radius=6)
    draw_wires(canvas, used)
    draw_header(canvas, header, {pin: colour(terminal) for pin, (terminal, _) in used.items()})
    for part, terminals, top, bottom in rows["parts"]:
        draw_part(canvas, part, terminals, top, bottom)
    bottom = height - 17 * len(written)
    draw_legend(canvas, used, bottom - 27)
    for index, (note, line) in enumerate(written):
        canvas.text(24, bottom + 17 * index, line, size=12, fill="#7a1f1f" if "At 5 V" in note else "#333")
    return canvas.document(WIDTH, height, title)


def colour(terminal):
    return COLOURS[terminal.supply if terminal.function == "supply" else terminal.function]


def wire_y(pin):
    """Where a pin's wire leaves: odd ones between the rows, below the even pin beside them."""
    number = int(pin)
    return TOP + (number - 1) // 2 * PITCH + (PITCH / 2 if number % 2 else 0)


def lay_out(wired):
    """Parts from top to bottom in the order of their pins, and so their terminals."""
    parts = []
    y = TOP - 22
    middle = lambda terminals: sum(wire_y(pin) for _, pin in terminals) / len(terminals)
    for part, terminals in sorted(wired, key=lambda item: middle(item[1])):
        ordered = sorted(terminals, key=lambda item: wire_y(item[1]))
        need = BOX_TITLE + sum(step_of(terminal) for terminal, _ in ordered)
        # Beside its pins if there is space.
        first = max(y + BOX_TITLE, middle(terminals) - (need - BOX_TITLE) / 2) + step_of(ordered[0][0]) / 2
        first += (PITCH / 4 - (first - TOP)) % (PITCH / 2)
        top = first - step_of(ordered[0][0]) / 2 - BOX_TITLE
        placed, at = [], top + BOX_TITLE
        for terminal, pin in ordered:
            placed.append((terminal, pin, at + step_of(terminal) / 2))
            at += step_of(terminal)
        parts.append((part, placed, top, at + 8))
        y = at + 8 + BOX_GAP
    return {"parts": parts, "bottom": y}


def step_of(terminal):
    return TRANSISTOR_ROW if terminal.symbol in ("npn", "pnp") else ROW


def draw_header(canvas, header, used):
    supplies = {pin: supply for supply, pins in header.supplies.items() for pin in pins}
    names = {pin: str(line) for line, pin in header.lines.items() if str(line).startswith("GPIO")}
    for number in range(1, 41):
        pin = str(number)
        is_odd = number % 2 == 1
        x, y = HEADER_X + (0 if is_odd else 26), TOP + (number - 1) // 2 * PITCH
        supply = supplies.get(pin)
        fill = used.get(pin) or PIN_FILL[supply]
        faded = 1 if pin in used else 0.45
        shape = canvas.rectangle if number == 1 else canvas.circle_in
        shape(x - 10, y - 10, 20, 20, fill=fill, opacity=faded)
        dark = pin in used or supply
        canvas.text(x, y + 4, pin, size=10, anchor="middle", fill="#fff" if dark else "#333", weight="bold")
        label = supply or names.get(pin, {"27": "ID_SD", "28": "ID_SC"}.get(pin, ""))
        ink = used.get(pin, "#8a9099")
        weight = "bold" if pin in used else "normal"
        if is_odd:
            canvas.text(x - 24, y + 4, label, size=11, anchor="end", fill=ink, weight=weight)
        else:
            canvas.text(x + 22, y - (4 if pin in used else -4), label, size=11, fill=ink, weight=weight)


def draw_wires(canvas, used):
    nets = sorted((wire_y(pin), y, pin, terminal) for pin, (terminal, y) in used.items())
    # In this order no wire crosses another whose pin and terminal are both further down.
    falling = [net for net in reversed(nets) if net[1] > net[0]]
    rising = [net for net in nets if net[1] <= net[0]]
    step = min(16, (LANES[1] - LANES[0]) / max(len(nets), 1))
    lanes = {net[2]: LANES[0] + step * index for index, net in enumerate(falling + rising)}
    for start, end, pin, terminal in nets:
        x = HEADER_X + (0 if int(pin) % 2 else 36)
        path = [(x, start), (lanes[pin], start), (lanes[pin], end), (BOX_X, end)]
        if int(pin) % 2:
            path.insert(0, (x, start - PITCH / 2 + 10))
        if terminal.symbol in ("npn", "pnp"):
            path[-1] = (SYMBOL_X + 46, end)
        elif terminal.symbol == "rail":
            path[-1] = (RAIL_X, end)
        canvas.wire(path, colour(terminal))


def draw_part(canvas, part, terminals, top, bottom):
    canvas.rectangle(BOX_X, top, WIDTH - BOX_X - 24, bottom - top, fill="#fbfbfc", stroke="#6b727a", radius=8)
    canvas.text(BOX_X + 14, top + 22, part.title, size=14, weight="bold")
    for terminal, pin, y in terminals:
        ink = colour(terminal)
        if terminal.symbol == "rail":
            canvas.rail(RAIL_X, y, terminal, ink)
            continue
        if terminal.symbol == "box":
            canvas.between(SYMBOL_X + 40, y, terminal.through, ink)
        elif terminal.symbol in ("npn", "pnp"):
            canvas.transistor(SYMBOL_X, y, terminal, ink)
        at = y - (16 if terminal.symbol in ("npn", "pnp") else 0)
        canvas.circle_in(BOX_X - 4, at - 4, 8, 8, fill=ink)
        canvas.text(BOX_X + 14, at + 4, terminal.name, size=12, fill=ink, weight="bold")
    centre = (top + bottom) / 2 + 10
    if part.kind == "lamp":
        canvas.led(BOX_X + 190, centre - 4)
    elif part.digits:
        # Wide ones are drawn as four: their names need the space.
        shown = min(part.digits, 4)
        left = WIDTH - 24 - 14 - shown * DIGIT_PITCH
        if part.kind == "bare":
            canvas.digits(left, centre - 90, shown, "12")
            canvas.named_digit(WIDTH - 110, centre + 40)
        else:
            canvas.digits(left, centre - 34, shown, "12")


def draw_legend(canvas, used, y):
    x = 24
    seen = []
    for key in COLOURS:
        if any(colour_key(terminal) == key for terminal, _ in used.values()):
            seen.append(key)
    for key in seen:
        canvas.rectangle(x, y - 10, 22, 6, fill=COLOURS[key], radius=3)
        canvas.text(x + 28, y - 3, MEANINGS[key], size=12)
        x += 44 + 7.2 * len(MEANINGS[key])


def colour_key(terminal):
    return terminal.supply if terminal.function == "supply" else terminal.function


class Canvas:
    def __init__(self):
        self.items = []

    def add(self, text):
        self.items.append(text)

    def text(self, x, y, words, size=12, anchor="start", fill="#1b1f24", weight="normal"):
        self.add(
            f'<text x="{n(x)}" y="{n(y)}" font-size="{size}" text-anchor="{anchor}" fill="{fill}" '
            f'font-weight="{weight}">{escape(words)}</text>')

    def rectangle(self, x, y, width, height, fill, stroke="none", radius=0, opacity=1):
        self.add(
            f'<rect x="{n(x)}" y="{n(y)}" width="{n(width)}" height="{n(height)}" rx="{radius}" fill="{fill}" '
            f'stroke="{stroke}"{faded(opacity)}/>')

    def circle_in(self, x, y, width, height, fill, stroke="none", opacity=1):
        self.add(
            f'<circle cx="{n(x + width / 2)}" cy="{n(y + height / 2)}" r="{n(width / 2)}" fill="{fill}" '
            f'stroke="{stroke}"{faded(opacity)}/>')

    def wire(self, points, ink):
        path = " ".join(f"{n(x)},{n(y)}" for x, y in points)
        for colour, width in (("#ffffff", 6), (ink, 2.6)):
            self.add(
                f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="{width}" '
                'stroke-linejoin="round" stroke-linecap="round"/>')

    def line(self, x1, y1, x2, y2, ink, width=2):
        self.add(
            f'<line x1="{n(x1)}" y1="{n(y1)}" x2="{n(x2)}" y2="{n(y2)}" stroke="{ink}" stroke-width="{width}" '
            'stroke-linecap="round"/>')

    def between(self, x, y, words, ink):
        """What is in a wire, with its middle at `x`."""
        width = 22 + 6 * len(words)
        self.rectangle(x - width / 2, y - 8, width, 16, fill="#ffffff", stroke=ink, radius=2)
        self.text(x, y + 4, words, size=11, anchor="middle")

    def transistor(self, x, y, terminal, ink):
        """Base from the left, collector to the part, emitter to the ground or supply that its symbol names."""
        self.between(x + 8, y, terminal.through.split(" to ")[0], ink)
        cx = x + 58
        self.add(f'<circle cx="{n(cx)}" cy="{n(y)}" r="15" fill="#ffffff" stroke="#444" stroke-width="1.4"/>')
        self.line(x + 32, y, cx - 5, y, ink)
        self.line(cx - 5, y - 9, cx - 5, y + 9, "#222", 2.4)
        self.line(cx - 5, y - 4, cx + 8, y - 12, "#222", 1.8)
        self.line(cx - 5, y + 4, cx + 8, y + 12, "#222", 1.8)
        self.line(cx + 8, y - 12, cx + 8, y - 16, ink)
        self.line(cx + 8, y - 16, BOX_X, y - 16, ink, 2.6)
        is_npn = terminal.symbol == "npn"
        arrow = [(8, 12), (0.4, 10.6), (4.4, 5.2)] if is_npn else [(-5, 4), (2.6, 5), (-1.2, 10.4)]
        points = " ".join(f"{n(cx + dx)},{n(y + dy)}" for dx, dy in arrow)
        self.add(f'<polygon points="{points}" fill="#222"/>')
        self.line(cx + 8, y + 12, cx + 8, y + 20, "#222", 1.8)
        if is_npn:
            for width, dy in ((16, 20), (10, 24), (4, 28)):
                self.line(cx + 8 - width / 2, y + dy, cx + 8 + width / 2, y + dy, "#222", 2)
        else:
            self.text(cx + 8, y + 31, "3.3 V", size=10, anchor="middle", fill=COLOURS[V3], weight="bold")

    def rail(self, x, y, terminal, ink):
        """What all transistors have in common."""
        self.text(x - 8, y - 6, terminal.name, size=11, anchor="end", fill=ink, weight="bold")
        if terminal.supply == GROUND:
            for width, dy in ((16, 0), (10, 4), (4, 8)):
                self.line(x - width / 2, y + dy, x + width / 2, y + dy, ink, 2)
        else:
            self.text(x + 6, y + 4, terminal.supply, size=11, fill=ink, weight="bold")

    def led(self, x, y):
        corners = " ".join(f"{n(x + dx)},{n(y + dy)}" for dx, dy in [(-14, -14), (-14, 14), (10, 0)])
        self.add(f'<polygon points="{corners}" fill="#ffb300"/>')
        self.line(x + 11, y - 14, x + 11, y + 14, "#222", 2.6)
        self.line(x - 34, y, x - 14, y, "#222")
        self.line(x + 11, y, x + 31, y, "#222")
        self.text(x - 38, y - 6, "+", size=14)
        self.text(x + 26, y - 6, "−", size=14)
        for dx in (0, 9):
            self.line(x - 2 + dx, y - 16, x + 6 + dx, y - 26, "#e08a00", 1.8)

    def digits(self, x, y, count, shown):
        self.rectangle(x - 8, y - 8, count * DIGIT_PITCH + 4, 86, fill="#20242a", radius=5)
        lit = {"1": 0x06, "2": 0x5B}
        for index, character in enumerate(shown.rjust(count)):
            self.seven(x + index * DIGIT_PITCH, y, lit.get(character, 0))

    def seven(self, x, y, segments, lit="#ff5a4d", dark="#3a4049"):
        for bit, (ax, ay, w, h) in enumerate(SEVEN):
            self.rectangle(x + ax, y + ay, w, h, fill=lit if segments >> bit & 1 else dark, radius=2)

    def named_digit(self, x, y):
        """Which segment has which name."""
        places = [(14, -4), (36, 23), (36, 55), (14, 83), (-9, 55), (-9, 23), (14, 29)]
        for ax, ay, w, h in SEVEN:
            self.rectangle(x + ax, y + ay, w, h, fill="#c9d3de", radius=2)
        self.add(f'<circle cx="{n(x + 37)}" cy="{n(y + 66)}" r="3" fill="#c9d3de"/>')
        for name, (ax, ay) in zip("abcdefg", places):
            self.text(x + ax, y + ay, name, size=11, anchor="middle", fill=COLOURS["segment"], weight="bold")
        self.text(x + 47, y + 80, "dp", size=11, anchor="middle", fill=COLOURS["segment"], weight="bold")

    def document(self, width, height, title):
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {n(height)}" width="{width}" '
            f'height="{n(height)}" role="img" font-family="DejaVu Sans, Verdana, Arial, sans-serif">\n'
            f"<title>{escape(title)}</title>\n"
            f'<rect width="{width}" height="{n(height)}" fill="#ffffff"/>\n' + "\n".join(self.items) + "\n</svg>\n")


DIGIT_PITCH = 38
# Segments a to g of a digit 28 wide and 70 high.
SEVEN = [
    (4, 0, 20, 6), (23, 5, 6, 28), (23, 37, 6, 28), (4, 64, 20, 6), (-1, 37, 6, 28), (-1, 5, 6, 28), (4, 32, 20, 6),
]


def n(value):
    """A number as short as it can be, the same on every machine."""
    return f"{value:.1f}".rstrip("0").rstrip(".")


def faded(opacity):
    return "" if opacity == 1 else f' opacity="{opacity}"'
