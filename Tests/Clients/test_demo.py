"""`deskbell demo` on a terminal, and in a script."""

import os
import select
import signal
import subprocess
import tempfile
import threading
import unittest
from pathlib import Path

from Tests.support.project import DESKBELL, PATIENCE_SECONDS, ROOT, load
from Tests.support.terminal import Terminal

demo_text = load("scripts/tour/demo_text.py").demo_text


class Watched(Terminal):
    """The demo in a terminal. Use it in a `with` statement."""

    def __init__(self, *options, columns=80, rows=24):
        self.folder = tempfile.TemporaryDirectory(prefix="deskbell-")
        super().__init__([DESKBELL, "demo", "--mute", *options], columns, rows,
                         env={**os.environ, "TMPDIR": self.folder.name, "TERM": "xterm"})

    def __exit__(self, *words):
        super().__exit__(*words)
        self.folder.cleanup()

    def skip(self):
        """Skips ahead, if the scene still plays: at its end the same key begins the next one."""
        while self.read(0):
            pass
        if "space next scene" not in self.shown:
            self.press(" ")

    def end(self):
        """Returns the exit code, and the text printed on the terminal's normal screen."""
        self.wait_for("\x1b[?1049l")
        return self.finish()


class DemoTests(unittest.TestCase):
    def test_without_a_terminal_it_runs_through_and_is_what_the_pictures_show(self):
        recorded = Path(ROOT, "docs/tour/demo.txt").read_text(encoding="utf-8")
        self.maxDiff = None
        self.assertEqual(demo_text(DESKBELL), recorded, "the demo has changed: record it again with 'make tour'")

    def test_six_scenes_by_keys(self):
        with Watched() as demo:
            for title in ["A parcel", "A second one, and a third: other ways in", "Why did it not ring?"]:
                demo.wait_for(title)
                demo.skip()
                if title.startswith("Why"):
                    demo.wait_for("OUTCOME")
                    demo.wait_for("space more")
                    demo.press(" ")
                    demo.wait_for("What happened:")
                    demo.wait_for("space back to the board")
                    demo.press(" ")
                demo.wait_for("space next scene")
                demo.press(" ")
            demo.wait_for("An alert, and its buttons")
            demo.skip()
            demo.wait_for("v Sort   c Close")
            demo.press("v")
            demo.wait_for("Notification Center: empty")
            demo.wait_for("space next scene")
            demo.press(" ")
            demo.wait_for("Background updates: held, discarded, delivered")
            demo.skip()
            demo.wait_for("space next scene")
            demo.press(" ")
            demo.wait_for("Until somebody came")
            demo.skip()
            demo.wait_for("c I saw it")
            demo.press("c")
            demo.wait_for("space end")
            demo.press(" ")
            code, said = demo.end()
            self.assertEqual(code, 0)
            self.assertIn("Test your provider", said)
            self.assertEqual(os.listdir(demo.folder.name), [])
            self.assertTrue(demo.is_restored())

    def test_q_ends_it_at_once(self):
        with Watched() as demo:
            demo.wait_for("A parcel")
            demo.press("q")
            self.assertEqual(demo.end()[0], 0)
            self.assertEqual(os.listdir(demo.folder.name), [])

    def test_the_panel_has_an_address(self):
        with Watched() as demo:
            demo.wait_for("A parcel")
            demo.wait_for("the web panel")
            demo.press("p")
            demo.wait_for("The web panel, for one browser:")
            # The address of the link, and its full text.
            demo.wait_for_match(r"\x1b]8;;(http://127\.0\.0\.1:\d+/#token=[\w-]{20,})\x1b\\\1\x1b]8;;\x1b")
            demo.press("q")
            self.assertEqual(demo.end()[0], 0)

    def test_a_signal_leaves_nothing_and_gives_the_terminal_back(self):
        with Watched() as demo:
            demo.wait_for("A parcel")
            demo.process.send_signal(signal.SIGTERM)
            code, said = demo.end()
            self.assertEqual((code, "deskbell: interrupted" in said), (1, True))
            self.assertEqual(os.listdir(demo.folder.name), [])
            self.assertTrue(demo.is_restored())

    def test_a_signal_during_the_start_leaves_nothing(self):
        with tempfile.TemporaryDirectory(prefix="deskbell-") as folder:
            made, page = Path(folder, "made"), Path(folder, "Panel/index.html")
            made.mkdir()
            page.parent.mkdir()
            # The daemon reads the panel's page before it answers, and this one never ends.
            os.mkfifo(page)
            demo = subprocess.Popen(
                [DESKBELL, "demo", "--mute"], env={**os.environ, "TMPDIR": str(made), "DESKBELL_SHARE": folder},
                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            guard = threading.Timer(PATIENCE_SECONDS, lambda: page.open("rb").close())
            guard.start()
            with page.open("wb", buffering=0) as writer:
                guard.cancel()
                demo.send_signal(signal.SIGTERM)
                said, _ = demo.communicate(timeout=PATIENCE_SECONDS)
                # Its daemon ends with it: nobody reads the page any more.
                poll = select.poll()
                poll.register(writer, 0)
                self.assertEqual(poll.poll(PATIENCE_SECONDS * 1000), [(writer.fileno(), select.POLLERR)])
            self.assertEqual((demo.returncode, "deskbell: interrupted" in said), (1, True))
            self.assertEqual(os.listdir(made), [])

    def test_a_terminal_that_is_too_small_is_waited_for(self):
        with Watched(columns=79) as demo:
            demo.wait_for("The demo needs 80 × 24 characters. This terminal has 79 × 24")
            # Now q is the only key.
            demo.press(" ")
            demo.resize(80, 23)
            demo.wait_for("This terminal has 80 × 23")
            demo.resize(80, 24)
            demo.wait_for("A parcel")
            demo.wait_for("\x1b[24;")
            demo.press("q")
            self.assertEqual(demo.end()[0], 0)

    def test_each_size_is_used_in_full_and_drawn_anew(self):
        with Watched(columns=100, rows=30) as demo:
            demo.wait_for("A parcel")
            for columns, rows in [(200, 50), (80, 24), (120, 40)]:
                demo.resize(columns, rows)
                demo.wait_for("\x1b[2J")
                demo.wait_for(f"\x1b[{rows};")
            # The picture is also redrawn if the size is the same again.
            demo.process.send_signal(signal.SIGWINCH)
            demo.wait_for("\x1b[2J")
            demo.press("q")
            self.assertEqual(demo.end()[0], 0)

    def test_the_last_page_fits_in_80_columns(self):
        with Watched() as demo:
            demo.wait_for("A parcel")
            demo.press("q")
            _, said = demo.end()
            self.assertLessEqual(max(len(line) for line in said.splitlines()), 79)

    def test_its_faults_are_said(self):
        done = subprocess.run(
            [DESKBELL, "demo"], env={**os.environ, "TMPDIR": "/nowhere"}, stdin=subprocess.DEVNULL, capture_output=True,
            text=True, timeout=PATIENCE_SECONDS)
        self.assertEqual(done.returncode, 1)
        self.assertIn("no folder for the demo can be made in /nowhere: No such file or directory (ENOENT)", done.stderr)
