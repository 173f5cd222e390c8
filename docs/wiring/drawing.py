"""A wiring as SVG: the board with its header on the left, parts on the right, a wire for each pin in between."""

from os.path import commonprefix
from textwrap import wrap

from canvas import Canvas
from headers import V3, V5
from outline import CUT_Y, PITCH, TOP, draw_header, draw_labels, draw_outlines, wire_start
from parts import COLOURS, RIGHT, colour, draw_part, end_of, room_below, step_of

MEANINGS = {
    "lamp": "LED", "segment": "segments", "digit": "digits", "clock": "clock", "data": "data", "select": "select",
    "motor": "motor", "contact": "buttons and switch", "sensor": "light sensor", "buzzer": "buzzer", "ground": "ground", V3: "3.3 V", V5: "5 V",
}
LANES = (416, 600)  # where wires run up and down
WIDTH = RIGHT + 20
BOX_GAP, BOX_TITLE = 26, 34


def joined(names):
    """Returns names in one line; a beginning or end that long names share is written once."""
    line = ", ".join(names)
    if len(line) <= 160:
        return line
    start, end = commonprefix(names), commonprefix([name[::-1] for name in names])[::-1]
    different = [name.removeprefix(start).removesuffix(end) for name in names]
    return f"{start}BOARD{end}, where BOARD is {', '.join(different[:-1])} or {different[-1]}"


def svg(title, wired, header, names, display):
    """`wired` as `circuit.assign_pins` gives it, for the boards of these names; `display` is None for their own one."""
    canvas = Canvas()
    parts, bottom = lay_out(wired)
    notes = ["Disconnect the supply before you wire. Count the pins from pin 1, which is nearest to the microSD card."]
    notes += [note for part, *_ in parts for note in part.notes]
    written = [(note, line) for note in dict.fromkeys(notes) for line in wrap(note, 138)]
    height = max(CUT_Y + 14, bottom) + 52 + 17 * len(written)
    canvas.text(24, 32, title, size=20, weight="bold")
    canvas.text(24, 52, (f"display: {display} · " if display else "") + "board: " + joined(names), size=12, fill="#555")
    used = {pin: (terminal, y, end) for _, terminals, _, _ in parts for terminal, pin, y, end in terminals}
    draw_outlines(canvas, names)
    colours = {pin: colour(terminal) for pin, (terminal, _, _) in used.items()}
    labels = draw_header(canvas, header, colours)
    draw_wires(canvas, used)
    draw_labels(canvas, labels, colours)
    for part, terminals, top, bottom in parts:
        draw_part(canvas, part, [row[:3] for row in terminals], top, bottom)
    bottom = height - 17 * len(written)
    draw_legend(canvas, used, bottom - 30)
    for index, (note, line) in enumerate(written):
        canvas.text(24, bottom + 17 * index, line, size=12, fill="#9a1f1f" if "At 5 V" in note else "#333")
    return canvas.document(WIDTH, height, title)


def lay_out(wired):
    """Parts from top to bottom in the order of their pins; and how far down they go. Modules keep their own order."""
    parts = []
    y = TOP - 84
    start = lambda pin: wire_start(pin)[1]
    middle = lambda terminals: sum(start(pin) for _, pin in terminals) / len(terminals)
    for part, terminals in sorted(wired, key=lambda item: middle(item[1])):
        if part.kind in ("bare", "lamp", "contact", "registers"):
            terminals = sorted(terminals, key=lambda item: start(item[1]))
        steps = [step_of(part, terminal) for terminal, _ in terminals]
        # Beside its pins if there is space. No wire to a part runs where one from a pin does: rows are multiples of
        # half a pitch, and begin a quarter off.
        first = max(y + BOX_TITLE, middle(terminals) - sum(steps) / 2) + steps[0] / 2
        first += (PITCH / 4 - (first - TOP)) % (PITCH / 2)
        top = at = first - steps[0] / 2
        placed = []
        for place, ((terminal, pin), step) in enumerate(zip(terminals, steps)):
            placed.append((terminal, pin, at + step / 2, end_of(part, terminal, place)))
            at += step
        bottom = at + room_below(part)
        parts.append((part, placed, top - BOX_TITLE, bottom))
        y = bottom + BOX_GAP
    return parts, y


def draw_wires(canvas, used):
    nets = sorted((*wire_start(pin)[::-1], y, end, pin, terminal) for pin, (terminal, y, end) in used.items())
    lanes = lanes_of([(start, y) for start, _, y, *_ in nets])
    step = min(16, (LANES[1] - LANES[0]) / max(len(nets) - 1, 1))
    first = (LANES[0] + LANES[1] - step * (len(nets) - 1)) / 2
    for (start, x, y, end, pin, terminal), lane in zip(nets, lanes):
        path = [(x, start), (first + step * lane, start), (first + step * lane, y), (end, y)]
        if int(pin) % 2:
            path.insert(0, (x, start + PITCH / 2 - 10))
        canvas.wire(path, colour(terminal))


def lanes_of(nets):
    """Which lane each wire has, from the left, so that few cross: neighbours change places while that helps."""
    order = sorted(range(len(nets)), key=lambda net: (nets[net][1] <= nets[net][0], -net))
    crossings = lambda left, right: sum(
        min(ends) < at < max(ends) for ends, at in ((nets[left], nets[right][0]), (nets[right], nets[left][1])))
    has_changed = True
    while has_changed:
        has_changed = False
        for place in range(len(order) - 1):
            left, right = order[place:place + 2]
            if crossings(right, left) < crossings(left, right):
                order[place:place + 2] = [right, left]
                has_changed = True
    return [order.index(net) for net in range(len(nets))]


def draw_legend(canvas, used, y):
    x = 24
    found = {terminal.supply if terminal.function == "supply" else terminal.function for terminal, *_ in used.values()}
    for key in COLOURS:
        if key in found:
            canvas.rectangle(x, y - 10, 22, 6, fill=COLOURS[key], radius=3)
            canvas.text(x + 28, y - 3, MEANINGS[key], size=12)
            x += 50 + 7.4 * len(MEANINGS[key])
