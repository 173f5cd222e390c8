"""A program's output line by line, with waiting for a text."""

import threading

from Tests.support.project import PATIENCE_SECONDS


class Output:
    """The lines that a program has written to a stream so far."""

    def __init__(self, name, stream, at_end=lambda: None):
        """`at_end` is called at the end of the output."""
        self.name, self.stream, self.at_end = name, stream, at_end
        self.lines, self.is_over, self.changed = [], False, threading.Condition()
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()

    def read(self):
        for line in self.stream:
            with self.changed:
                self.lines.append(line.rstrip("\n"))
                self.changed.notify_all()
        with self.changed:
            self.is_over = True
            self.changed.notify_all()
        self.at_end()

    def find(self, text, patience=PATIENCE_SECONDS, after=0):
        """Waits for a line with this text, after the first `after` lines, and returns it; None if the output ends or the
        time is over without it."""
        def found():
            return next((line for line in self.lines[after:] if text in line), None)

        with self.changed:
            self.changed.wait_for(lambda: self.is_over or found() is not None, patience)
            return found()

    def wait_for(self, text, patience=PATIENCE_SECONDS, after=0):
        """Returns the line that `find` does; raises AssertionError if there is none."""
        line = self.find(text, patience, after)
        if line is None:
            raise AssertionError(f"{self.name} never said '{text}':\n" + "\n".join(self.lines))
        return line

    def close(self):
        """Closes the stream after the program has ended."""
        self.reader.join()
        self.stream.close()
