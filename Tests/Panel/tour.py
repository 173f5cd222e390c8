"""The panel's part of the recorded tour: `python -m Tests.Panel.tour FOLDER` takes its pictures as docs/tour/panel.webp, with the
phone and board beside a terminal with the commands that caused them, and writes their texts to panel.txt, with which a
test detects outdated pictures."""

import io
import re
import shlex
import sys
import textwrap
from contextlib import nullcontext
from pathlib import Path

from Tests.Panel.browser import browser
from Tests.support.appliance import APP, Mailroom

SIZE = (1100, 720)
# The size of the terminal beside the panel.
COLUMNS, ROWS = 76, 13
# The text that varies between runs.
CHANGES = [
    (r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", "UUID"), (r"\b\d\d:\d\d(:\d\d)?(\.\d+)?\b", "TIME"),
    (r":\d{4,5}\b", ":PORT"), (r"(?m)^#?\d+$", "NUMBER"),
]
TEXTS = [".banner", ".alert", "#board", ".note"]


class Terminal:
    """A picture of a terminal over the page, below the board: the commands of the story and their output."""

    def __init__(self, panel):
        self.panel = panel
        self.text = ""
        panel.script("""
            const board = document.querySelector('#board'), place = board.getBoundingClientRect();
            for (let each = board.nextElementSibling; each; each = each.nextElementSibling) each.style.visibility = 'hidden';
            const terminal = document.createElement('pre');
            terminal.id = 'terminal';
            terminal.style.cssText = 'position: fixed; z-index: 1000; margin: 0; padding: 0; box-sizing: border-box;'
                + 'overflow: hidden; font: 14px/20px "DejaVu Sans Mono", monospace; color: #d8d8d8; background: #17181c;'
                + 'border: 18px solid #17181c; border-radius: 14px;'
                + `left: ${place.left}px; width: ${place.width}px; top: ${place.bottom + 20}px; height: ${36 + 20 * arguments[0]}px`;
            document.body.append(terminal);""", ROWS)
        self.show("")

    def run(self, *words):
        self.show(f"$ {shlex.join(['deskbell', *words])}\n{self.panel.appliance.run(*words).rstrip()}\n\n")

    def show(self, text):
        self.text += text
        rows = []
        for line in (self.text + "$ ▏").split("\n"):
            wrapped = textwrap.wrap(line, COLUMNS, subsequent_indent="    ", break_on_hyphens=False) or [" "]
            rows += [[row, line.startswith("$")] for row in wrapped]
        self.panel.script("""
            const terminal = document.getElementById('terminal');
            terminal.replaceChildren(...arguments[0].map(([text, isCommand]) => {
                const row = document.createElement('div');
                row.textContent = text;
                if (isCommand) row.style.cssText = 'color: #ffffff; font-weight: bold';
                return row;
            }));
            terminal.scrollTop = terminal.scrollHeight;""", rows)


def frames(panel, terminal):
    """Yields after each step the milliseconds for which its picture is shown. Pages without motion show only the first
    picture."""
    def push(style, title, *options, sound):
        terminal.run("push", APP, "--title", title, *options, "--sound", sound)
        panel.wait_for(style, title)
        panel.wait_for(".note", title)

    push(".banner", "A parcel", "--body", "At the front door.", "--badge", "1", sound="parcel")
    panel.wait_for("#board", "last: parcel")
    yield 2500
    push(".banner", "Two letters", "--body", "They lie in the mailbox.", "--badge", "3", sound="letter")
    panel.wait_for("#board", "last: letter")
    yield 2500
    terminal.run("settings", APP, "style", "alert")
    push(".alert", "Sort the mail?", "--body", "Five letters, two parcels.", "--badge", "12", sound="stamp")
    panel.wait_for("#board", "last: stamp")
    yield 3000
    terminal.run("press", "close")
    panel.wait_gone(".alert")
    terminal.run("settings", "quiet-hours", "00:00-23:59")
    push(".alert", "A late letter", "--badge", "13", sound="letter")
    yield 3000
    terminal.run("press", "view")
    panel.wait_gone(".alert")
    terminal.run("app", "badge", APP, "0")
    panel.wait_gone(".note")
    panel.wait_gone(".app-icon .badge")
    yield 2500


def said(panel, terminal):
    """Returns the words of the picture, without the parts that vary."""
    texts = [terminal.text]
    for selector in TEXTS:
        texts += panel.texts(selector)
    text = "\n".join(texts)
    for pattern, word in CHANGES:
        text = re.sub(pattern, word, text)
    return "\n".join(line.rstrip() for line in text.splitlines() if line.strip())


def tour(look):
    """Calls `look` with the panel and the milliseconds of each frame; returns all words."""
    pages = []
    # Nothing moves on its own: a banner stays for as long as needed.
    with Mailroom("--panel", "127.0.0.1:0", "--clock", "virtual", environment={"TZ": "UTC"}) as appliance:
        with browser(appliance, SIZE) as panel:
            panel.open()
            panel.wait_for(".event")
            terminal = Terminal(panel)
            for milliseconds in frames(panel, terminal):
                look(panel, milliseconds)
                pages.append(said(panel, terminal))
    return "\n\n".join(f"== {number}\n{page}" for number, page in enumerate(pages, 1)) + "\n"


def main(folder):
    from PIL import Image
    pictures, durations = [], []

    def look(panel, milliseconds):
        # The picture of a flashing lamp shows it lit.
        is_dark = panel.appliance.report("state")["presentation"].get("lamp") is None
        with nullcontext() if is_dark else panel.held_lamp():
            pictures.append(Image.open(io.BytesIO(panel.driver.get_screenshot_as_png())).convert("RGB"))
        durations.append(milliseconds)

    words = tour(look)
    pictures[0].save(
        folder / "panel.webp", save_all=True, append_images=pictures[1:], duration=durations, loop=0, quality=80, method=6)
    (folder / "panel.txt").write_text(words, encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
