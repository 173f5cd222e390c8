#!/usr/bin/env python3
"""Draws docs/how-it-works.svg: the way of a push through the rooms of Sources, with the modules of each, from the table in
ARCHITECTURE.md. And docs/fleet.svg: the way of a push through a fleet.

    generate.py           writes the drawings
    generate.py --check   writes nothing; exit code 1 if one differs, or if a module has no place or another room
"""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "docs/wiring"))
from canvas import Canvas, INK  # noqa: E402

WIDTH, HEIGHT = 1000, 742
FLEET_WIDTH, FLEET_HEIGHT = 1000, 500
GREY, BLUE, GREEN, ORANGE, RED, PURPLE = "#6b727a", "#1f6fc4", "#2e7d32", "#b45309", "#c62828", "#6d3fb0"
ROOMS = {"Core": RED, "Push": BLUE, "Devices": ORANGE, "Fleet": GREEN, "Daemon": PURPLE, "Foundations": GREY}
# Room, part of it, what it does, its modules; left, top, width, height.
BOXES = [
    ("Push", "", ["TLS, limits, keys:", "who may push to what?"], ["PushPort", "HTTP2Session", "ProviderClient", "CJSONReader"],
     (256, 96, 188, 190)),
    ("Daemon", "host", ["one thread, one queue,", "one commit for a batch"], ["Host", "DeskbellDaemon", "ServiceManager"],
     (500, 76, 200, 124)),
    ("Core", "", ["the handset: a phone's", "rules, one push at a time;", "one commit on the disk"],
     ["HandsetCore", "HandsetStore", "InputRecording", "CPageChecks"], (500, 240, 200, 166)),
    ("Devices", "board", ["lamp, digits, motor, buttons"], ["Board", "CScanLoop", "CGPIOBank", "BoardSimulator"],
     (756, 76, 220, 106)),
    ("Devices", "sound", ["the alert sound, by ALSA"], ["Speaker"], (756, 192, 220, 84)),
    ("Daemon", "apps", ["programs that updates start"], ["AppLink"], (756, 286, 220, 84)),
    ("Daemon", "other servers", ["Home Assistant, webhooks"], ["HomeAssistant", "MQTTClient", "WebCalls"],
     (756, 380, 220, 108)),
    ("Daemon", "control", ["commands, web panel,", "the stream of events"],
     ["Commands", "CommandSupport", "deskbell", "WebPanel", "Installation", "CArguments"], (256, 344, 200, 150)),
    ("Fleet", "", ["many desks behind gateways,", "by servers that store pushes"],
     ["FleetLink", "FleetMember", "FleetDesk", "FleetGateway", "FleetFolder", "FleetCommands", "NATSClient", "CNATS"],
     (652, 512, 324, 148)),
    ("Foundations", "", ["what several rooms use"],
     ["Clocks", "StrictYAML", "SystemThreads", "HTTP", "ServerIdentity", "Services", "UnixSockets", "HeldFolders",
      "CChildProcess", "CConfinement", "CMemory"], (24, 512, 612, 148)),
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
    for name, text in (("how-it-works", drawing()), ("fleet", fleet_drawing())):
        path = ROOT / f"docs/{name}.svg"
        if sys.argv[1:] and (not path.exists() or path.read_text() != text):
            sys.exit(f"docs/{name}.svg is not what docs/architecture/generate.py draws: run make drawings")
        if not sys.argv[1:]:
            path.write_text(text)


def modules():
    """Returns the room of each module in the table of modules."""
    table = (ROOT / "ARCHITECTURE.md").read_text().partition("\n## Modules\n")[2].partition("\n## ")[0]
    rows = [line.split("|") for line in table.splitlines() if line.startswith("| `")]
    return {name: re.search(r"`(\w+)", row[2])[1] for row in rows for name in re.findall(r"`(\w+)`", row[1])}


def check_places(rooms):
    places = [(name, room) for room, _, _, held, _ in BOXES for name in held]
    names = [name for name, _ in places]
    wrong = [f"{name} has no box" for name in rooms if name not in names]
    wrong += [f"{name} is not in ARCHITECTURE.md" for name in names if name not in rooms]
    wrong += [f"{name} is in {rooms[name]}, not in {room}" for name, room in places if rooms.get(name, room) != room]
    wrong += [f"{name} has two boxes" for name in set(names) if names.count(name) > 1]
    if wrong:
        sys.exit("docs/architecture/generate.py: " + "; ".join(wrong) + ": change BOXES")


def drawing():
    canvas = Canvas()
    canvas.text(24, 36, "How a push becomes a ring", size=22, weight="bold")
    canvas.text(24, 58, "Each box is a room of Sources, or a part of one; small names are its modules.", size=12, fill="#555")
    for title, words, top in SOURCES + PEOPLE:
        canvas.rectangle(24, top, 178, 44, "#ffffff", stroke=GREY, radius=22)
        canvas.text(113, top + 19, title, size=13, anchor="middle", weight="bold")
        canvas.text(113, top + 35, words, size=11, anchor="middle", fill="#555")
    for _, _, top in SOURCES:
        canvas.line(202, top + 22, 226, top + 22, BLUE, 2.6)
    canvas.line(226, SOURCES[0][2] + 22, 226, SOURCES[-1][2] + 22, BLUE, 2.6)
    for room, part, words, names, place in BOXES:
        draw_box(canvas, f"{room}: {part}" if part else room, words, names, place, ROOMS[room])
    arrow(canvas, [(228, 194), (254, 194)], BLUE)
    step(canvas, 1, 226, 194, BLUE)
    arrow(canvas, [(444, 130), (498, 130)], BLUE)
    step(canvas, 2, 468, 130, BLUE)
    arrow(canvas, [(600, 200), (600, 238)], RED)
    step(canvas, 3, 600, 216, RED)
    arrow(canvas, [(456, 430), (484, 430), (484, 180), (498, 180)], PURPLE)
    arrow(canvas, [(500, 366), (474, 366), (474, 250), (446, 250)], RED)
    step(canvas, 4, 474, 310, RED)
    canvas.wire([(700, 138), (728, 138)], PURPLE)
    for _, _, _, _, (x, y, _, height) in BOXES:
        if x == 756 and y < 500:
            arrow(canvas, [(728, 138), (728, y + height / 2), (x - 2, y + height / 2)], PURPLE)
    step(canvas, 5, 718, 138, PURPLE)
    arrow(canvas, [(202, 408), (254, 408)], GREY)
    lines = [
        (1, BLUE, "A request arrives."), (2, BLUE, "It becomes a push for one app."), (3, RED, "All that changed is stored, at once."),
        (4, RED, "Only then the provider gets 200."), (5, PURPLE, "The result is shown, played, sent on."),
    ]
    for place, (number, ink, words) in enumerate(lines):
        x, y = 36 + 320 * (place % 3), 678 + 32 * (place // 3)
        step(canvas, number, x, y, ink)
        canvas.text(x + 20, y + 5, words, size=13)
    return canvas.document(WIDTH, HEIGHT, "How a push becomes a ring")


def fleet_drawing():
    canvas = Canvas()
    canvas.text(24, 36, "How a push goes through a fleet", size=22, weight="bold")
    for top, title, words in ((96, "Your push provider", "any APNs client library"), (190, "curl, ntfy, hooks", "an access key")):
        canvas.rectangle(24, top, 170, 44, "#ffffff", stroke=GREY, radius=22)
        canvas.text(109, top + 19, title, size=13, anchor="middle", weight="bold")
        canvas.text(109, top + 35, words, size=11, anchor="middle", fill="#555")
        canvas.line(194, top + 22, 218, top + 22, BLUE, 2.6)
    canvas.line(218, 118, 218, 212, BLUE, 2.6)
    canvas.text(190, 262, "one name", size=11, anchor="middle", fill="#555")
    canvas.text(190, 276, "port 2197, TLS", size=11, anchor="middle", fill="#555")
    for top, name in ((84, "door-1"), (178, "door-2")):
        part(canvas, (250, top, 182, 72), "deskbell gateway", [name, "keys, limits, registry"], BLUE)
        arrow(canvas, [(218, top + 36), (248, top + 36)], BLUE)
    part(canvas, (520, 76, 222, 252), "NATS JetStream", ["three servers, three disks"], GREEN)
    for place, name in enumerate("abc"):
        x = 568 + 63 * place
        canvas.circle(x, 158, 22, "#ffffff", stroke=GREEN, width=2)
        canvas.text(x, 163, name, size=15, anchor="middle", weight="bold")
    for place, words in enumerate(("pushes, 30 days", "registry: tokens, providers", "events, 7 days", "clearings of groups")):
        canvas.rectangle(538, 194 + 30 * place, 186, 22, "#eceff2", radius=4)
        canvas.text(631, 209 + 30 * place, words, size=11, anchor="middle", fill="#333")
    arrow(canvas, [(432, 104), (518, 104)], BLUE)
    step(canvas, 1, 476, 104, BLUE)
    arrow(canvas, [(520, 142), (434, 142)], GREEN)
    step(canvas, 2, 476, 142, GREEN)
    arrow(canvas, [(520, 232), (434, 232)], GREY)
    step(canvas, 5, 476, 232, GREY)
    desks = ((84, "reception", "a board, one handset"), (174, "office", "a board, one handset"),
             (264, "bench, shop", "two desks, one daemon"))
    canvas.wire([(742, 120), (772, 120)], ORANGE)
    for top, name, words in desks:
        part(canvas, (812, top, 170, 72), "deskbell serve", [name, words], RED)
        arrow(canvas, [(772, 120), (772, top + 24), (810, top + 24)], ORANGE)
        canvas.wire([(812, top + 52), (788, top + 52)], GREY)
    canvas.wire([(788, 136), (788, 316), (782, 316)], GREY)
    arrow(canvas, [(786, 316), (744, 316)], GREY)
    step(canvas, 3, 757, 120, ORANGE)
    step(canvas, 4, 764, 316, GREY)
    part(canvas, (250, 282, 182, 62), "deskbell fleet", ["the folder with all keys"], GREY)
    canvas.line(432, 312, 518, 312, GREY, 2, dashes="5 5")
    lines = [
        (1, BLUE, "The gateway judges the push and sends it to be stored."),
        (2, GREEN, "Two of three disks have it: the gateway answers 200."),
        (3, ORANGE, "The desk takes it, now or when it returns, and stores it with its place in one commit."),
        (4, GREY, "The desk announces its tokens and providers, and reports events and what was cleared."),
        (5, GREY, "Every gateway has all tokens in memory, so it can answer 410 and BadDeviceToken."),
    ]
    for place, (number, ink, words) in enumerate(lines):
        step(canvas, number, 36, 368 + 27 * place, ink)
        canvas.text(56, 373 + 27 * place, words, size=13)
    return canvas.document(FLEET_WIDTH, FLEET_HEIGHT, "How a push goes through a fleet")


def part(canvas, place, title, words, ink):
    """A box with lines below its title."""
    draw_box(canvas, title, words, [], place, ink)


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
    if names and down + 14 > y + height:
        sys.exit(f"docs/architecture/generate.py: the modules of {title} need a larger box: change BOXES")


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
