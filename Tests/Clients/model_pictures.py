"""Draws docs/displays.svg: what each display of board-configs and each kind of lamp shows after one push. The daemon drives
them on a simulated board, whose models of the chips read its signals; this takes what they show from its terminal.
Digits of 14 segments are drawn with seven.

    python3 -m Tests.Clients.model_pictures [--check]      --check writes nothing; exit code 1 if the file differs
"""

import os
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from Tests.support.appliance import APP
from Tests.support.project import DESKBELL, ROOT, load
from Tests.support.terminal import Terminal

canvas = load("docs/wiring/canvas.py")
PICTURE = ROOT / "docs/displays.svg"
DISPLAYS = sorted((ROOT / "board-configs/displays").glob("*.yaml"))
BOARD = (ROOT / "board-configs/simulated.yaml").read_text()
LAMPS = {
    "led": "{ line: LAMP, active: high }", "rgb": "{ type: rgb, red: A, green: B, blue: C }",
    "apa102": "{ type: apa102, data: A, clock: B, lamps: 8 }",
}
# The edges of each segment in the terminal's three rows, by the bits from a to the point.
MARKS = [(0, 1), (1, 2), (2, 2), (2, 1), (2, 0), (1, 0), (1, 1), (2, 3)]
BADGE, WIDTH, CARD, SCALE = 12, 900, (290, 104), 0.6


def drawings(text):
    """Yields what the terminal has shown, oldest first: the segments of each digit, and the lamp's colour if it is lit."""
    for drawn in re.findall(r"\x1b7(.*?)\x1b8", text, re.DOTALL):
        rows = re.findall(r"\x1b\[[123];1H(.*?)\x1b\[K", drawn)
        lamp = re.match(r" \x1b\[(?:31|38;2;(\d+);(\d+);(\d+))m●", rows[1])
        colour = lamp and "#%02x%02x%02x" % (tuple(map(int, lamp.groups())) if lamp[1] else (255, 0, 0))
        digits = [re.search(r"\x1b\[31m([ _|.]*)\x1b\[0m(?!.*\x1b\[31m)", row)[1] for row in rows]
        yield [sum(1 << bit for bit, (row, column) in enumerate(MARKS) if digits[row][at + column] != " ")
               for at in range(0, len(digits[0]), 4)], colour


def shown(display, lamp):
    """Runs a daemon with the display and the lamp, and pushes. Returns the first drawing with the badge and the lamp."""
    with tempfile.TemporaryDirectory(prefix="deskbell-") as folder:
        board, control = Path(folder, "board.yaml"), Path(folder, "c.sock")
        board.write_text(re.sub(r"(?m)^lamp: .*", f"lamp: {lamp}", BOARD))
        environment = os.environ | {"DESKBELL_CONTROL": str(control), "HOME": folder}
        serve = [DESKBELL, "serve", "--config", "none", "--state", f"{folder}/state", "--listen", "127.0.0.1:0", "--panel",
                 "off", "--wav", f"{folder}/played", "--board", board, "--display", display]
        with Terminal(serve, env=environment) as terminal:
            terminal.wait_for("ready:")
            for words in (["app", "install", "mailroom"], ["app", "register", APP],
                          ["push", APP, "--title", "A parcel", "--badge", str(BADGE), "--level", "time-sensitive"]):
                subprocess.run([DESKBELL, *words], env=environment, check=True, capture_output=True)
            while terminal.read():
                for digits, colour in drawings(terminal.shown):
                    if digits[-2:] == [0x06, 0x5B] and colour:
                        return digits, colour
    raise AssertionError(f"{display}: never {BADGE} and a lit lamp")


def card(drawing, x, y, name, words, digits, colour):
    drawing.rectangle(x, y, *CARD, fill="#f1f3f5", radius=6)
    drawing.text(x + 10, y + 20, name, size=12, weight="bold")
    drawing.text(x + 10, y + 36, words, size=9)
    if digits is None:
        drawing.circle(x + 24, y + 68, 14, colour, stroke=canvas.INK)
        return
    scale = SCALE if len(digits) < 8 else SCALE * 0.85
    pitch, height = canvas.digit_pitch(scale), canvas.DIGIT[1] * scale
    drawing.rectangle(x + 10, y + 44, len(digits) * pitch + 6 * scale, height + 12 * scale, fill="#20242a", radius=4)
    for index, segments in enumerate(digits):
        drawing.seven(x + 10 + 8 * scale + index * pitch, y + 44 + 6 * scale, segments, scale)


def picture():
    names = {path.stem: re.search(r"(?m)^name: (.*)", path.read_text())[1] for path in DISPLAYS}
    with ThreadPoolExecutor(4) as pool:
        displays = list(pool.map(lambda name: shown(name, LAMPS["led"]), names))
        lamps = list(pool.map(lambda lamp: shown("tm1637", lamp), LAMPS.values()))
    cards = [(name, words, digits, None) for (name, words), (digits, _) in zip(names.items(), displays)]
    words = ("LED", "LED on three lines", "APA102, the first of eight")
    cards += [(f"lamp: {name}", text, None, colour) for name, text, (_, colour) in zip(LAMPS, words, lamps)]
    drawing = canvas.Canvas()
    for place, (name, words, digits, colour) in enumerate(cards):
        card(drawing, 10 + place % 3 * (CARD[0] + 5), 10 + place // 3 * (CARD[1] + 5), name, words, digits, colour)
    return drawing.document(WIDTH, 15 + (len(cards) + 2) // 3 * (CARD[1] + 5),
                            f"What the models of the displays and lamps show after a time-sensitive push with badge {BADGE}")


def main():
    now = picture()
    if sys.argv[1:] == ["--check"]:
        if PICTURE.read_text() != now:
            sys.exit(f"{PICTURE.relative_to(ROOT)} is not what the models show: run make wiring")
    else:
        PICTURE.write_text(now)


if __name__ == "__main__":
    main()
