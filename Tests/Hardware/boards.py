"""The shipped boards, one of them with every display, and for each a chip with the lines that it names."""

import json
import re
import subprocess

# The label of the chip that `chip: any` finds, which is any name that the kernel gives it.
ANY_LABEL = "some-chip"
EVERY_DISPLAY = "raspberry-pi-4"
# The displays whose chip answers, and their lines in the order of kernel/display.c.
ANSWERING = {"tm1637": ("clock", "data"), "tm1650": ("clock", "data"), "ht16k33": ("clock", "data"),
             "tm1638": ("clock", "data", "strobe")}


def read(deskbell, folder):
    """Returns the boards by the names that `deskbell serve` takes: the output of `deskbell check --json`, and in
    `lines` each line as the trace names it."""
    files = sorted(path for path in folder.glob("*.yaml") if path.stem != "simulated")
    found = {path.stem: board for path, board in zip(files, checked(deskbell, *files))}
    for display in sorted((folder / "displays").glob("*.yaml")):
        pair = f"{EVERY_DISPLAY}-{display.stem}"
        found[pair], = checked(deskbell, folder / f"{EVERY_DISPLAY}.yaml", "--display", display)
    boards = {}
    for name, board in found.items():
        board["label"] = ANY_LABEL if board["chip"] == "any" else board["chip"]
        names = [str(name) for name in named_lines(board)]
        board["offsets"] = offsets(names)
        board["lines"] = {name: f"{board['label']}:{offset}" for name, offset in board["offsets"].items()}
        boards[name] = board
    return boards


def checked(deskbell, *words):
    done = subprocess.run([deskbell, "check", "--json", *words], stdout=subprocess.PIPE, text=True)
    reports = json.loads(done.stdout)
    errors = [error for report in reports for error in report["errors"]]
    if errors:
        raise SystemExit("\n".join(errors) + f"\n{deskbell} does not read it: is it older than the file?")
    return [report["board"] for report in reports]


def named_lines(value):
    """Yields every line of a device, at any depth."""
    line_keys = ("line", "clock", "data", "select", "latch", "strobe", "red", "green", "blue")
    for key, inner in value.items():
        if key == "header":
            continue
        if isinstance(inner, dict):
            yield from named_lines(inner)
        elif key in line_keys:
            yield inner
        elif key == "segments" or (key == "digits" and isinstance(inner, list)):
            yield from inner


def offsets(names):
    """Returns the offset of each named line: its number if it is one, the number at its end if that is free, as in
    GPIO17, else the next free one."""
    taken = {name: int(name) for name in names if name.isdigit()}
    for name in names:
        if name in taken:
            continue
        end = re.search(r"\d+$", name)
        offset = int(end.group()) if end else 0
        while offset in taken.values():
            offset += 1
        taken[name] = offset
    return taken


def chip_text(board):
    """Returns the guest's description of the chip: its label and number of lines, then offset and name of each line."""
    named = {offset: name for name, offset in board["offsets"].items() if not name.isdigit()}
    count = max(58, *board["offsets"].values()) + 1
    return f"{board['label']} {count}\n" + "".join(f"{offset} {name}\n" for offset, name in sorted(named.items()))


def display_text(board):
    """Returns the parameters of gpio-sim for the chip of the board's display, which answers (kernel/display.c)."""
    display = board.get("display") or {"type": None}
    if display["type"] not in ANSWERING:
        return "display none\n"
    lines = [board["offsets"][str(display[key])] for key in ANSWERING[display["type"]]]
    # Backpacks with four digits each, from the first address on: no shipped display has others.
    backpacks = (1 << display["digits"] // 4) - 1
    return f"display {display['type']} {' '.join(map(str, lines))}\naddresses {backpacks}\n"
