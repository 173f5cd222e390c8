"""Records `deskbell demo` in a terminal of 80 × 24: docs/tour/demo.cast in asciinema's format, and demo.txt. Keys are
pressed as by a user, when the last line asks for them."""

import fcntl
import json
import os
import pty
import select
import struct
import sys
import termios
import time
from pathlib import Path

import pyte

from demo_text import demo_text

ROOT = Path(__file__).resolve().parents[2]
DESKBELL = os.environ.get("DESKBELL", str(ROOT / ".build/release/deskbell"))
COLUMNS, ROWS = 80, 24
# The text of the last line, the key pressed then, and a user's delay before it in seconds.
KEYS = [("v Sort", b"v", 2.5), ("c I saw it", b"c", 2.0), ("space more", b" ", 4.0),
        ("space back", b" ", 4.0), ("space next", b" ", 2.0), ("space end", b"q", 3.0)]


def record():
    """Returns the terminal's output in pieces, each with its time in seconds."""
    process, terminal = pty.fork()
    if process == 0:
        os.environ |= {"TERM": "xterm-256color", "TZ": "UTC"}
        os.execv(DESKBELL, ["deskbell", "demo", "--mute"])
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
    screen = pyte.Screen(COLUMNS, ROWS)
    stream = pyte.ByteStream(screen)
    pieces, start, asked, since = [], time.monotonic(), None, 0.0
    while time.monotonic() - start < 300:
        if select.select([terminal], [], [], 0.05)[0]:
            try:
                piece = os.read(terminal, 65536)
            except OSError:
                break
            if not piece:
                break
            stream.feed(piece)
            pieces.append((time.monotonic() - start, piece))
        line = screen.display[-1].strip()
        now = time.monotonic()
        wanted = next((entry for entry in KEYS if line.startswith(entry[0])), None)
        if wanted != asked:
            asked, since = wanted, now
        elif wanted and now - since >= wanted[2]:
            os.write(terminal, wanted[1])
            asked = None
            since = now
    _, status = os.waitpid(process, 0)
    if status:
        raise AssertionError(f"deskbell demo ended with {os.waitstatus_to_exitcode(status)}")
    return pieces


def main(folder):
    pieces = record()
    # Only the demo's screen: without the terminal's contents before and after.
    opened = next(n for n, (_, piece) in enumerate(pieces) if b"\x1b[?1049h" in piece)
    closed = next(n for n, (_, piece) in enumerate(pieces) if b"\x1b[?1049l" in piece)
    first = pieces[opened][1].split(b"\x1b[?1049h", 1)[1]
    shown = [(pieces[opened][0], first)] + pieces[opened + 1:closed]
    # Begins with an arrived push and a lit lamp: pages without motion show only this picture.
    start = next(moment for moment, piece in shown if "▄███▄".encode() in piece)
    with open(folder / "demo.cast", "w", encoding="utf-8") as cast:
        header = {"version": 2, "width": COLUMNS, "height": ROWS, "title": "deskbell demo", "env": {"TERM": "xterm-256color"}}
        cast.write(json.dumps(header) + "\n")
        left = b""
        for moment, piece in shown:
            whole = left + piece
            # A character may arrive in two pieces.
            text = whole.decode("utf-8", "ignore")
            left = whole[len(text.encode()):]
            if text:
                cast.write(json.dumps([round(max(0, moment - start), 3), "o", text], ensure_ascii=False) + "\n")
    (folder / "demo.txt").write_text(demo_text(DESKBELL), encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
