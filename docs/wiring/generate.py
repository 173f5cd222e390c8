#!/usr/bin/env python3
"""Draws how displays are wired, and lists the pins of every board, from board-configs/: page and boards cannot differ.

    generate.py           writes README.md and the drawings beside it
    generate.py --check   writes nothing; exit code 1 where a file differs from what would be written

Board files are read by `deskbell check --json` (.build/release/deskbell, or $DESKBELL): by the reader that the daemon
has, and none of its own.
"""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

from circuit import NotDrawn, assign_pins, parts_of, shopping_list
from drawing import svg
from headers import RASPBERRY_PI, header_of

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
BOARDS = ROOT / "board-configs"

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
    wirings = []
    for name, board in boards():
        header = header_of(name)
        if header is None:
            sys.exit(f"board-configs/{name}.yaml: which pins has its header? Add it to docs/wiring/headers.py")
        try:
            wired = assign_pins(parts_of(board), header)
        except NotDrawn as reason:
            sys.exit(f"board-configs/{name}.yaml: {reason}")
        wirings.append((name, board, header, wired))
    drawings, tables, drawn = {}, [], {}
    # Those that most boards have come first.
    groups = sorted(grouped(wirings), key=lambda group: -len(group))
    for group in groups:
        name, board, header, wired = group[0]
        drawing = None
        if header is RASPBERRY_PI:
            display = board.get("display", {}).get("type", "lamp")
            if "buttons" in board:
                display += "-buttons"
            drawing = HERE / f"{display}.svg"
            if drawing in drawings:
                drawing = HERE / f"{display}-{name}.svg"
            drawn.setdefault(pins_of(wired), drawing)
            drawings[drawing] = svg(title(wired), wired, header, [member[0] for member in group])
        tables.append(section(group, drawing, drawn.get(pins_of(wired))))
    contents = "".join(
        f"| [{heading(group)}](#{anchor(heading(group))}) | {title(group[0][3])} |\n" for group in groups)
    page = f"{INTRODUCTION}\n| Board | With |\n|---|---|\n{contents}\n" + "\n".join(tables)
    return drawings | {HERE / "README.md": page}


def boards():
    """Every board that can be wired, as the daemon's own reader sees it; Raspberry Pis first."""
    paths = sorted(BOARDS.glob("*.yaml"), key=lambda path: (not path.stem.startswith("raspberry-pi"), path.stem))
    deskbell = os.environ.get("DESKBELL", ROOT / ".build" / "release" / "deskbell")
    checked = subprocess.run([deskbell, "check", "--json", *paths], capture_output=True, text=True)
    if checked.returncode != 0:
        sys.exit(checked.stdout + checked.stderr)
    found = [(Path(report["file"]).stem, report["board"]) for report in json.loads(checked.stdout)]
    return [(name, board) for name, board in found if board["chip"] != "simulated"]


def grouped(wirings):
    """Boards that are wired alike are one section."""
    groups = {}
    for wiring in wirings:
        _, _, header, wired = wiring
        groups.setdefault((header.name, repr(wired)), []).append(wiring)
    return list(groups.values())


def title(wired):
    # Each button has its own part of the drawing, and all one word in its title.
    titles = ["buttons" if part.kind == "contact" else part.title for part, _ in wired]
    titles[1:] = [name[0].lower() + name[1:] if name[1:2].islower() else name for name in titles[1:]]
    titles = [name for place, name in enumerate(titles) if name not in titles[:place]]
    return " and ".join([", ".join(titles[:-1]), titles[-1]] if titles[1:] else titles)


def heading(group):
    return ", ".join(board["board"] for _, board, _, _ in group)


def anchor(words):
    """As GitHub makes it of a heading."""
    return re.sub(r"[^\w\- ]", "", words.lower()).replace(" ", "-")


def pins_of(wired):
    return repr([(part.title, terminal.name, pin) for part, terminals in wired for terminal, pin in terminals])


def section(group, drawing, alike):
    """`alike` is the drawing of a Raspberry Pi on which all wires have the same pins."""
    _, _, header, wired = group[0]
    links = ", ".join(f"[{name}.yaml](../../board-configs/{name}.yaml)" for name, _, _, _ in group)
    lines = [f"## {heading(group)}", "", f"{title(wired)}: {links}.", ""]
    if drawing:
        lines += [f"![{title(wired)} on the header of a Raspberry Pi]({drawing.name})", ""]
    elif alike:
        lines += [f"All pins have the numbers of [this drawing]({alike.name}). Look for pin 1 on your board first.", ""]
    lines += ["Parts:", "", *(f"- {line}" for line in shopping_list(wired)), ""]
    lines += [f"| Part | Terminal | Through | Pin of the {header.name} | Line |", "|---|---|---|---|---|"]
    for part, terminals in wired:
        for terminal, pin in terminals:
            line = f"`{terminal.line}`" if terminal.line is not None else terminal.supply
            lines.append(f"| {terminal.of or part.title} | {terminal.name} | {terminal.through} | {pin} | {line} |")
    notes = [note for part, _ in wired for note in part.notes]
    return "\n".join(lines + [""] + [f"{note}\n" for note in notes])


if __name__ == "__main__":
    main()
