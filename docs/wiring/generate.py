#!/usr/bin/env python3
"""Draws how displays are wired, and lists the pins on every board, from board-configs/: page and boards cannot differ.

    generate.py           writes README.md and the drawings beside it, and in board-configs/README.md the table of displays
                          and the keys of their types
    generate.py --check   writes nothing; exit code 1 if a file differs from the one that would be written

`deskbell check --json` (.build/release/deskbell, or $DESKBELL) reads the pairs of a board and a display, as the daemon does.
"""

import itertools
import json
import os
import re
import subprocess
import sys
from pathlib import Path

from circuit import NotDrawn, assign_pins, parts_of, shopping_list
from drawing import svg
from headers import header_of

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
BOARDS = ROOT / "board-configs"

# The endings of board files with further devices: what the page says of other displays with them. They are in sections of
# their own, and not in those of displays.
VARIANTS = {
    "-controls": "Another display is wired as its own section says. Bare digits do not fit: they need the buttons' pins. A supply "
    "pin that both sections name is shared on the breadboard.",
    "-lights": "Another display is wired as its own section says. Bare digits do not fit: they need these pins. A supply pin "
    "that both sections name is shared on the breadboard.",
    "-blinkt": "A Blinkt! covers the header. On longer pins, displays on pins 29, 31 and 33 fit beside it (MAX7219, TM1638, "
    "74HC595); one on clock and data needs other lines, in a display file of your own.",
    "-buttons": "",
}

INTRODUCTION = """\
# Wiring

`make wiring` generates this page and its drawings from the files in [board-configs](../../board-configs); `make check` fails
if they differ. Nothing here has been tested on hardware yet: [board-configs/README.md](../../board-configs/README.md) and the
top of each board's file say what was checked, and against which sources.

- Disconnect the supply before you wire, and check each wire to a supply pin twice.
- Lines are made for 3.3 V. **5 V on a line destroys the board**: do not connect a module that is supplied with 5 V and has
  pull-up resistors, such as a TM1637 module, without a level shifter.
- The current of a line is limited: on a Raspberry Pi 3 or 4 to 16 mA, and of all together to 50 mA; on a 5 to 12 mA; on others
  to less. With the resistors below, a red LED and each segment take 4 mA, and the eight segments of a digit 32 mA. Without
  them the line or the LED is destroyed.
- The drawings show the board upright, with the microSD card at the top: pin 1 is then the upper left one of the header, and
  has a square pad on the underside. Odd pins are the left row, even pins the right one.
- Modules are drawn with their terminals in their usual order. Follow the names that are printed on yours.

After a time-sensitive push with badge 12, models of the chips read this from the daemon's signals (digits of 14 segments are
drawn with seven, and a colour at its full brightness):

![Each display shows 12 in its last two digits; the LED is red, an RGB lamp yellow, an APA102 orange](../displays.svg)
"""


def main():
    files = pages()
    wrong = [path for path, text in files.items() if not path.exists() or path.read_text() != text]
    stale = [path for path in HERE.glob("*.svg") if path not in files]
    if sys.argv[1:] == ["--check"]:
        for path in wrong + stale:
            print(f"{path.relative_to(ROOT)} is not what board-configs/ gives: run make wiring", file=sys.stderr)
        sys.exit(1 if wrong or stale else 0)
    if sys.argv[1:]:
        sys.exit(__doc__)
    for path in stale:
        path.unlink()
    for path in wrong:
        path.write_text(files[path])


def pages():
    drawings, sections, contents, rows, types = {}, [], [], [], []
    for display in displays():
        wirings = [wiring(name, board) for name, board in boards(display)]
        heading = add(display, wirings, drawings, sections, contents)
        rows.append(f"| [`{display}`](../docs/wiring/README.md#{anchor(heading)}) | {heading} |")
        types.append(wirings[0][1]["display"]["type"])
    # Boards with further devices, with their own display.
    variants = [wiring(name, board) for name, board in boards(None) if variant(name) not in (None, "-buttons")]
    for name, ending in (
            ("raspberry-pi-…-controls", "-controls"), ("raspberry-pi-4-lights", "-lights"), ("raspberry-pi-4-blinkt", "-blinkt")):
        add(name, [found for found in variants if variant(found[0]) == ending], drawings, sections, contents)
    page = f"{INTRODUCTION}\n| `display:` or `board:` | With |\n|---|---|\n{''.join(contents)}\n" + "\n".join(sections)
    keys = [keys_of(kind) for kind in dict.fromkeys(types)]
    return drawings | {
        HERE / "README.md": page, BOARDS / "README.md": with_displays((BOARDS / "README.md").read_text(), rows, keys)}


def with_displays(readme, rows, keys):
    """The page of board-configs with these rows in its table of displays, and these sections at its end."""
    before, head, after = readme.partition("| `display:` | Display |\n|---|---|\n")
    return before + head + "\n".join(rows) + after[after.index("\n\n"):].partition("\n### `type:")[0] + "".join(keys)


def keys_of(kind):
    """The section about the keys of a type of display: the comment at the top of the display file of the same name, without
    its first paragraph, which is about that display."""
    path = BOARDS / "displays" / f"{kind}.yaml"
    lines = itertools.takewhile(lambda line: line.startswith("#"), path.read_text().splitlines() if path.exists() else [])
    text = "\n".join(line[2:] for line in lines).partition("\n\n")[2]
    if not text:
        sys.exit(f"{path.relative_to(ROOT)}: its comment must have a second paragraph about the keys of its type")
    # A row of a table continues on lines that are indented.
    return f"\n### `type: {kind}`\n\n" + re.sub("\n +", " ", text) + "\n"


def add(name, wirings, drawings, sections, contents):
    """Adds the section of a display, or of boards with buttons, with a drawing for each way to wire it to a Raspberry Pi.
    Returns its heading."""
    groups = sorted(grouped(wirings), key=lambda group: (not is_raspberry_pi(group[0]), -len(group)))
    _, board, _, wired = groups[0][0]
    display = name if name in displays() else None
    files = []
    for group in filter(lambda group: is_raspberry_pi(group[0]), groups):
        files.append(HERE / (f"{name}-{group[0][0]}.svg" if files else f"{name.replace('…-', '')}.svg"))
        boards = [member[0] for member in group if is_raspberry_pi(member)]
        drawings[files[-1]] = svg(title(group[0][3]), group[0][3], group[0][2], boards, display)
    heading = board["display"]["name"] if display else f"Raspberry Pi,{board['board'].partition(',')[2]}"
    contents.append(f"| [{name}](#{anchor(heading)}) | {title(wired)} |\n")
    sections.append(section(display, heading, groups, files))
    return heading


def wiring(name, board):
    header = header_of(board)
    try:
        return name, board, header, assign_pins(parts_of(board), header)
    except NotDrawn as reason:
        sys.exit(f"board-configs/{name}.yaml: {reason}")


def variant(name):
    """The ending of a board file with further devices; None for others."""
    return next((ending for ending in VARIANTS if name.endswith(ending)), None)


def is_raspberry_pi(wiring):
    return wiring[0].startswith("raspberry-pi")


def displays():
    """Names of the displays, those that most people have first."""
    names = [path.stem for path in (BOARDS / "displays").glob("*.yaml")]
    return sorted(names, key=lambda name: (not name.startswith("tm1637"), name))


def boards(display):
    """Every board that can be wired to a display, or with its own one for None, as the daemon's own reader sees it;
    Raspberry Pis first."""
    paths = sorted(BOARDS.glob("*.yaml"), key=lambda path: (not path.stem.startswith("raspberry-pi"), path.stem))
    deskbell = os.environ.get("DESKBELL", ROOT / ".build" / "release" / "deskbell")
    command = [deskbell, "check", "--json", *paths]
    if display:
        command += ["--display", BOARDS / "displays" / f"{display}.yaml"]
    checked = subprocess.run(command, capture_output=True, text=True, env=os.environ | {"DESKBELL_SHARE": str(ROOT)})
    found = []
    for report in json.loads(checked.stdout or "[]"):
        name = Path(report["file"]).stem
        if report["errors"] and not (display and all("has no wiring for" in error for error in report["errors"])):
            if display and variant(name):
                continue
            sys.exit("\n".join(report["errors"]))
        if not report["errors"] and report["board"]["chip"] != "simulated":
            if not (display and variant(name)):
                found.append((name, report["board"]))
    return found or sys.exit(checked.stderr or f"no board takes the display {display}")


def grouped(wirings):
    """Boards whose wires have the same pins."""
    groups = {}
    for wiring in wirings:
        groups.setdefault(pins_of(wiring[3]), []).append(wiring)
    return list(groups.values())


def title(wired):
    # Each button has its own part of the drawing, and all one word in its title.
    titles = ["buttons" if part.kind == "contact" else part.title for part, _ in wired]
    titles[1:] = [name[0].lower() + name[1:] if name[1:2].islower() else name for name in titles[1:]]
    titles = [name for place, name in enumerate(titles) if name not in titles[:place]]
    return " and ".join([", ".join(titles[:-1]), titles[-1]] if titles[1:] else titles)


def anchor(words):
    """As GitHub makes it of a heading."""
    return re.sub(r"[^\w\- ]", "", words.lower()).replace(" ", "-")


def pins_of(wired):
    return repr([(part.title, terminal.name, pin) for part, terminals in wired for terminal, pin in terminals])


def section(display, heading, groups, drawings):
    """A column of pins for each group of boards; lines are named in the boards' files. `display` is None for boards with
    buttons and with their own display."""
    _, _, header, wired = groups[0][0]
    key, folder = ("display", "displays/") if display else ("board", "")
    files = [display] if display else [name for name, *_ in groups[0]]
    links = [f"`{key}: {name}` ([{name}.yaml](../../board-configs/{folder}{name}.yaml))" for name in files]
    lines = [f"## {heading}", "", ", ".join(links) + ".", ""]
    if not display:
        lines += [VARIANTS[variant(files[0])], ""]
    for drawing in drawings:
        lines += [f"![{title(wired)} on the header of a Raspberry Pi]({drawing.name})", ""]
    lines += ["Parts:", "", *(f"- {line}" for line in shopping_list(wired)), ""]
    columns = [", ".join(names(group)) for group in groups]
    lines += [
        "| Part | Terminal | Through | Line of a Raspberry Pi | Pin on " + " | Pin on ".join(columns) + " |",
        "|---" * (4 + len(columns)) + "|"]
    for place, (part, terminals) in enumerate(wired):
        for row, (terminal, _) in enumerate(terminals):
            line = f"`{terminal.line}`" if terminal.line is not None else terminal.supply
            pins = " | ".join(group[0][3][place][1][row][1] for group in groups)
            lines.append(f"| {terminal.of or part.title} | {terminal.name} | {terminal.through} | {line} | {pins} |")
    notes = [note for part, _ in wired for note in part.notes]
    return "\n".join(lines + [""] + [f"{note}\n" for note in notes])


def names(group):
    """Boards for people; several Raspberry Pis are one."""
    pis = [board["board"] for _, board, *_ in filter(is_raspberry_pi, group)]
    return (["a Raspberry Pi"] if pis[1:] else pis) + [member[1]["board"] for member in group if not is_raspberry_pi(member)]


if __name__ == "__main__":
    main()
