#!/usr/bin/env python3
"""Draws docs/how-it-works.svg: the way of a push, and which module does what, from the table in ARCHITECTURE.md.

    generate.py           writes the drawing
    generate.py --check   writes nothing; exit code 1 where it differs, or where a module has no place in it
"""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "docs/wiring"))
from canvas import Canvas, INK  # noqa: E402

DRAWING = ROOT / "docs/how-it-works.svg"
WIDTH, HEIGHT = 1000, 716
GREY, BLUE, GREEN, ORANGE, RED = "#6b727a", "#1f6fc4", "#2e7d32", "#b45309", "#c62828"
# Title, what it does, its modules; left, top, width, height; colour.
BOXES = [
    ("Receive", ["TLS, limits, keys:", "who may push to what?"], ["PushGateway", "HTTP2Session", "ServerIdentity", "CJSONReader"],
     (256, 96, 188, 190), BLUE),
    ("Decide", ["the handset: a phone's", "rules, one push at a time"], ["HandsetCore", "DeskbellDaemon", "Clocks"],
     (500, 96, 200, 164), RED),
    ("Store", ["one commit on the disk"], ["HandsetStore", "HandsetJournal", "CPageChecks"], (500, 344, 200, 136), GREEN),
    ("Board", ["lamp, digits, motor, buttons"], ["Board", "CScanLoop", "CGPIOBank", "BoardSimulator"], (756, 76, 220, 106), ORANGE),
    ("Sound", ["the alert sound, by ALSA"], ["Speaker"], (756, 192, 220, 84), ORANGE),
    ("Apps", ["programs that updates start"], ["AppLink", "CHookProcess", "CConfinement"], (756, 286, 220, 106), ORANGE),
    ("Other servers", ["Home Assistant, webhooks"], ["HomeAssistant", "MQTTClient", "WebCalls"],
     (756, 402, 220, 106), ORANGE),
    ("Control", ["commands, web panel,", "the stream of events"], ["Commands", "deskbell", "ControlAPI", "WebPanel"],
     (256, 344, 180, 136), GREY),
    ("Foundations", ["what several of them use, setup and diagnosis, and a provider of our own"],
     ["StrictYAML", "SystemThreads", "HTTPRoutes", "UnixSockets", "HeldFolders", "CMemory", "ServiceManager",
      "Installation", "ProviderClient"], (24, 530, 952, 92), GREY),
]
# Who pushes: title, example, top.
SOURCES = [
    ("Your push provider", "any APNs client library", 96), ("The service of 2008", "publishing nodes", 146),
    ("curl, ntfy, Gotify", "an access key and a line", 196), ("Hooks", "GitHub, Grafana, cron", 246),
]
PEOPLE = [("You", "terminal, browser, phone", 386)]


def main():
    if sys.argv[1:] not in ([], ["--check"]):
        sys.exit(__doc__)
    check_places(modules())
    text = drawing()
    if sys.argv[1:] and (not DRAWING.exists() or DRAWING.read_text() != text):
        sys.exit("docs/how-it-works.svg is not what docs/architecture/generate.py draws: run make drawings")
    if not sys.argv[1:]:
        DRAWING.write_text(text)


def modules():
    """The first column of the table of modules."""
    table = (ROOT / "ARCHITECTURE.md").read_text().partition("\n## Modules\n")[2].partition("\n## ")[0]
    rows = [line for line in table.splitlines() if line.startswith("| `")]
    return [name for row in rows for name in re.findall(r"`(\w+)`", row.split("|")[1])]


def check_places(names):
    places = [name for _, _, held, _, _ in BOXES for name in held]
    wrong = [f"{name} has no box" for name in names if name not in places]
    wrong += [f"{name} is not in ARCHITECTURE.md" for name in places if name not in names]
    wrong += [f"{name} has two boxes" for name in set(places) if places.count(name) > 1]
    if wrong:
        sys.exit("docs/architecture/generate.py: " + "; ".join(wrong) + ": change BOXES")


def drawing():
    canvas = Canvas()
    canvas.text(24, 36, "How a push becomes a ring", size=22, weight="bold")
    canvas.text(24, 58, "Small names are modules: folders of Sources.", size=12, fill="#555")
    for title, words, top in SOURCES + PEOPLE:
        canvas.rectangle(24, top, 178, 44, "#ffffff", stroke=GREY, radius=22)
        canvas.text(113, top + 19, title, size=13, anchor="middle", weight="bold")
        canvas.text(113, top + 35, words, size=11, anchor="middle", fill="#555")
    for _, _, top in SOURCES:
        canvas.line(202, top + 22, 226, top + 22, BLUE, 2.6)
    canvas.line(226, SOURCES[0][2] + 22, 226, SOURCES[-1][2] + 22, BLUE, 2.6)
    for title, words, names, place, ink in BOXES:
        draw_box(canvas, title, words, names, place, ink)
    arrow(canvas, [(228, 194), (254, 194)], BLUE)
    step(canvas, 1, 226, 194, BLUE)
    arrow(canvas, [(444, 160), (498, 160)], BLUE)
    step(canvas, 2, 468, 160, BLUE)
    arrow(canvas, [(600, 260), (600, 342)], GREEN)
    step(canvas, 3, 600, 298, GREEN)
    arrow(canvas, [(436, 430), (484, 430), (484, 224), (498, 224)], GREY)
    arrow(canvas, [(500, 366), (474, 366), (474, 250), (446, 250)], GREEN)
    step(canvas, 4, 474, 310, GREEN)
    canvas.wire([(700, 184), (728, 184)], ORANGE)
    for _, _, _, (x, y, _, height), ink in BOXES:
        if ink == ORANGE:
            arrow(canvas, [(728, 184), (728, y + height / 2), (x - 2, y + height / 2)], ORANGE)
    step(canvas, 5, 718, 184, ORANGE)
    arrow(canvas, [(202, 408), (254, 408)], GREY)
    lines = [
        (1, BLUE, "A request arrives."), (2, BLUE, "It becomes a push for one app."), (3, GREEN, "All that changed is stored, at once."),
        (4, GREEN, "Only then the provider gets 200."), (5, ORANGE, "The result is shown, played, sent on."),
    ]
    for place, (number, ink, words) in enumerate(lines):
        x, y = 36 + 320 * (place % 3), 652 + 32 * (place // 3)
        step(canvas, number, x, y, ink)
        canvas.text(x + 20, y + 5, words, size=13)
    return canvas.document(WIDTH, HEIGHT, "How a push becomes a ring")


def draw_box(canvas, title, words, names, place, ink):
    x, y, width, height = place
    canvas.rectangle(x, y, width, height, "#fbfbfc", stroke=ink, radius=8)
    canvas.rectangle(x, y, 6, height, ink, radius=3)
    canvas.text(x + 18, y + 23, title, size=15, weight="bold", fill=ink if ink != GREY else INK)
    for index, line in enumerate(words):
        canvas.text(x + 18, y + 42 + 16 * index, line, size=12)
    at, down = x + 18, y + 46 + 16 * len(words)
    for name in names:
        wide = 6.1 * len(name) + 14
        if at + wide > x + width - 6:
            at, down = x + 18, down + 22
        canvas.rectangle(at, down - 4, wide, 18, "#eceff2", radius=4)
        canvas.text(at + wide / 2, down + 9, name, size=10, anchor="middle", fill="#333")
        at += wide + 6


def arrow(canvas, points, ink):
    canvas.wire(points, ink)
    (x1, y1), (x, y) = points[-2:]
    dx, dy = (x > x1) - (x < x1), (y > y1) - (y < y1)
    canvas.polygon([(x, y), (x - 9 * dx - 5 * dy, y - 9 * dy - 5 * dx), (x - 9 * dx + 5 * dy, y - 9 * dy + 5 * dx)], ink)


def step(canvas, number, x, y, ink):
    canvas.circle(x, y, 11, ink, stroke="#ffffff", width=2)
    canvas.text(x, y + 5, str(number), size=13, anchor="middle", fill="#ffffff", weight="bold")


if __name__ == "__main__":
    main()
