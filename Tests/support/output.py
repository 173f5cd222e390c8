"""A program's output line by line, with waiting for a text."""

import threading


class Output:
    def __init__(self, name, stream, at_end=lambda: None):
        """`at_end` is called at the end of the output."""
        self.name, self.stream, self.lines, self.said = name, stream, [], threading.Condition()
        self.at_end = at_end
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()

    def read(self):
        for line in self.stream:
            with self.said:
                self.lines.append(line.rstrip("\n"))
                self.said.notify_all()
        with self.said:
            self.said.notify_all()
        self.at_end()

    def wait_for(self, text, patience, after=0):
        """Waits for a line with this text, after the first `after` lines, while the program runs."""
        def is_said():
            return any(text in line for line in self.lines[after:])

        with self.said:
            self.said.wait_for(lambda: is_said() or not self.reader.is_alive(), patience)
            assert is_said(), f"{self.name} never said '{text}':\n" + "\n".join(self.lines)

    def close(self):
        """Closes the stream after the program has ended."""
        self.reader.join()
        self.stream.close()
