"""The Raspberry Pi: its outline with the header at its place, and the corner of the board that has the header, enlarged.

Upright, with the microSD card at the top. All in millimetres, from the mechanical drawings of the boards: the holes are
3.5 mm from the edges and 58 mm apart, and the header has its middle between them, 3.5 mm from the edge.
"""

from canvas import INK, n
from headers import GROUND, V3, V5

PITCH = 26  # of the header's rows, which are 2.54 mm apart
SCALE = PITCH / 2.54
HEADER_X, TOP = 292, 166  # of pin 1
EVEN_X = HEADER_X + PITCH
EDGE_X, EDGE_Y = EVEN_X + 2.23 * SCALE, TOP - 8.37 * SCALE
CUT_X, CUT_Y = 206, TOP + 19 * PITCH + 26
BOARD, BOARD_EDGE, COPPER = "#e2f1e8", "#3f8a63", "#c9a227"
PIN_FILL = {GROUND: "#222222", V3: "#ef6c00", V5: "#c62828", None: "#d3d8de"}
SMALL = 2.0  # the outline's scale
OUTLINE_X, OUTLINE_Y = 34, 104


def wire_start(pin):
    """Returns the place at which a pin's wire leaves the header: wires of odd pins pass between the even pins, above their row."""
    number = int(pin)
    y = TOP + (number - 1) // 2 * PITCH
    return (HEADER_X, y - PITCH / 2) if number % 2 else (EVEN_X + 10, y)


def draw_outlines(canvas, names):
    """The boards that these files are for, small."""
    y = OUTLINE_Y
    if any(not name.startswith(("raspberry-pi-zero", "raspberry-pi-cm", "raspberry-pi-400")) for name in names):
        for to, at in ((EDGE_Y, 6), (CUT_Y, 60)):
            canvas.line(OUTLINE_X + SMALL * 56, y + SMALL * at, CUT_X, to, "#b3bac2", 1, "4 4")
        outline(canvas, y, 56, 85, ["Raspberry Pi 1 to 5"], bottom="USB, Ethernet")
        canvas.rectangle(OUTLINE_X - 3, y + 2 * 7, 10, 18, "#aab4bd", radius=2)
        canvas.rectangle(OUTLINE_X - 3, y + 2 * 22, 12, 16, "#aab4bd", radius=2)
        for left, right in ((3, 16), (20, 34), (38, 52)):
            canvas.rectangle(OUTLINE_X + SMALL * left, y + SMALL * 72, SMALL * (right - left), SMALL * 15, "#aab4bd", radius=2)
        y += 262
    if any(name.startswith("raspberry-pi-zero") for name in names):
        outline(canvas, y, 30, 65, ["Raspberry Pi", "Zero W, Zero 2 W"])
        y += 204
    for beginning, words in (("raspberry-pi-cm", ["Compute Module 4, 5:", "the IO Board's 40 pins"]),
                             ("raspberry-pi-400", ["Raspberry Pi 400:", "the 40 pins at its back"])):
        if any(name.startswith(beginning) for name in names):
            for line in words:
                canvas.text(24, y + 4, line, size=11, weight="bold")
                y += 14
            y += 10


def outline(canvas, y, width, height, names, bottom=""):
    x, right = OUTLINE_X, OUTLINE_X + SMALL * width
    canvas.rectangle(x, y, SMALL * width, SMALL * height, BOARD, stroke=BOARD_EDGE, radius=3 * SMALL)
    for across in (3.5, width - 3.5):
        for down in (3.5, 61.5):
            canvas.circle(x + SMALL * across, y + SMALL * down, 1.35 * SMALL, "#ffffff", stroke=COPPER, width=1.5)
    canvas.rectangle(x + SMALL * (width / 2 - 6), y - 3, SMALL * 12, SMALL * 7, "#aab4bd", radius=2)
    canvas.text(x + SMALL * width / 2, y - 8, "microSD card", size=10, anchor="middle", fill="#555")
    canvas.rectangle(right - SMALL * 6.1, y + SMALL * 7.1, SMALL * 5.2, SMALL * 50.8, "#30363d", radius=1)
    canvas.rectangle(right - SMALL * 5.9, y + SMALL * 7.3, 4, 4, "#d32f2f")
    canvas.text(right - SMALL * 7.6, y + SMALL * 10, "pin 1", size=10, anchor="end", fill="#b71c1c", weight="bold")
    y += SMALL * height + 16
    if bottom:
        canvas.text(x + SMALL * width / 2, y, bottom, size=10, anchor="middle", fill="#555")
        y += 18
    for name in names:
        canvas.text(x + SMALL * width / 2, y, name, size=11, anchor="middle", weight="bold")
        y += 14


def draw_header(canvas, header, used):
    """The corner of the board and its header, with the colour of each pin that is `used`; labels for later."""
    # Torn off at the left and below: the board goes on there.
    tears = [(CUT_X + (7 if step % 2 else 0), CUT_Y - step * (CUT_Y - EDGE_Y) / 24) for step in range(25)]
    below = [(EDGE_X - step * (EDGE_X - CUT_X) / 8, CUT_Y + (7 if step % 2 else 0)) for step in range(9)]
    radius = 3 * SCALE
    d = f"M {n(tears[-1][0])} {n(EDGE_Y)} H {n(EDGE_X - radius)} Q {n(EDGE_X)} {n(EDGE_Y)} {n(EDGE_X)} {n(EDGE_Y + radius)} "
    d += " ".join(f"L {n(x)} {n(y)}" for x, y in below + tears) + " Z"
    canvas.shape(d, BOARD, BOARD_EDGE)
    canvas.circle(EDGE_X - 3.5 * SCALE, EDGE_Y + 3.5 * SCALE, 1.35 * SCALE, "#ffffff", stroke=COPPER, width=5)
    canvas.text(CUT_X + 12, EDGE_Y + 18, "↑ microSD card", size=10, fill="#46665a")
    canvas.rectangle(HEADER_X - 13, TOP - 13, PITCH + 26, 19 * PITCH + 26, "#30363d", radius=3)
    supplies = {pin: supply for supply, pins in header.supplies.items() for pin in pins}
    names = {pin: str(line) for line, pin in header.lines.items() if str(line).startswith("GPIO")}
    for pin, x, y in pins():
        draw_pin(canvas, pin, x, y, supplies.get(pin), used)
    canvas.text(HEADER_X - 18, TOP - 18, "pin 1", size=11, anchor="end", fill="#b71c1c", weight="bold")
    canvas.line(HEADER_X - 15, TOP - 19, HEADER_X - 9, TOP - 11, "#b71c1c", 1.6)
    names |= {"27": "ID_SD", "28": "ID_SC"} | supplies
    # Above the wires, which run close to them.
    return [(pin, x, y, names.get(pin, "")) for pin, x, y in pins()]


def pins():
    for number in range(1, 41):
        yield str(number), EVEN_X - PITCH * (number % 2), TOP + (number - 1) // 2 * PITCH


def draw_labels(canvas, labels, used):
    for pin, x, y, label in labels:
        ink, weight = (used[pin], "bold") if pin in used else ("#7b848d", "normal")
        if x == HEADER_X:
            canvas.text(x - 17, y + 4, label, size=11, anchor="end", fill=ink, weight=weight)
        else:
            canvas.text(EDGE_X + 6, y - (3 if pin in used else -4), label, size=10, fill=ink, weight=weight)


def draw_pin(canvas, pin, x, y, supply, used):
    fill = used.get(pin) or PIN_FILL[supply]
    if pin == "1":
        canvas.rectangle(x - 10, y - 10, 20, 20, fill, stroke="#ff5252" if pin not in used else "#ffffff")
    else:
        canvas.circle(x, y, 10, fill, stroke="#ffffff" if pin in used else "none", width=1.4, opacity=1 if pin in used else 0.7)
    canvas.text(
        x, y + 4, pin, size=10, anchor="middle", fill="#ffffff" if pin in used or supply else INK, weight="bold")
