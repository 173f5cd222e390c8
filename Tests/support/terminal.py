"""A program on a terminal, on which a test reads and types."""

import codecs
import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import termios
import time

from Tests.support.project import PATIENCE_SECONDS


class Terminal:
    """A program whose input, output and errors are a terminal. Use it in a `with` statement."""

    def __init__(self, words, columns=0, rows=0, **options):
        self.terminal, self.child = pty.openpty()
        self.process = None
        self.resize(columns, rows)
        self.before = termios.tcgetattr(self.child)
        self.process = subprocess.Popen(words, stdin=self.child, stdout=self.child, stderr=self.child, **options)
        # Readable once the program has ended.
        self.ended = os.pidfd_open(self.process.pid)
        self.decoder = codecs.getincrementaldecoder("utf-8")(errors="replace")
        # The output after the text that was waited for last.
        self.shown = ""

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        for descriptor in (self.terminal, self.child, self.ended):
            os.close(descriptor)

    def resize(self, columns, rows):
        """Changes the terminal's size, and says so to the program if it runs."""
        fcntl.ioctl(self.child, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        if self.process:
            self.process.send_signal(signal.SIGWINCH)

    def is_restored(self):
        """Returns true if the terminal's modes are those from before the program."""
        return termios.tcgetattr(self.child) == self.before

    def press(self, keys):
        os.write(self.terminal, keys.encode())

    def read(self, seconds=PATIENCE_SECONDS):
        """Returns new output, also added to `shown`; empty once the program has ended, None if none comes in time."""
        ready, _, _ = select.select([self.terminal, self.ended], [], [], seconds)
        if self.terminal not in ready:
            return "" if ready else None
        # A part of a character is the next output's.
        part = self.decoder.decode(os.read(self.terminal, 65_536))
        self.shown += part
        return part or self.read(seconds)

    def wait_for_match(self, pattern):
        # A program that draws something else for ever is waited for no longer than one that is silent.
        end = time.monotonic() + PATIENCE_SECONDS
        while not (match := re.search(pattern, self.shown)):
            if not self.read(max(0, end - time.monotonic())):
                raise AssertionError(f"never shown: {pattern}\n{self.shown}")
        return match

    def wait_for(self, text):
        """Waits until the text is shown, after that of the previous wait; returns the output before it."""
        match = self.wait_for_match(re.escape(text))
        before, self.shown = self.shown[:match.start()], self.shown[match.end():]
        return before

    def finish(self):
        """Waits for the program's end; returns its exit status and the output since the previous wait."""
        while self.read():
            pass
        return self.process.wait(PATIENCE_SECONDS), self.shown
