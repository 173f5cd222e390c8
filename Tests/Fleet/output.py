"""What a program writes, line by line, and a wait for what it is to say."""

import threading


class Output:
    def __init__(self, name, stream, at_end=lambda: None):
        """`at_end` is called when there will be no more."""
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
        """Until it says so, in a line after so many; no longer than it runs."""
        def is_said():
            return any(text in line for line in self.lines[after:])

        with self.said:
            self.said.wait_for(lambda: is_said() or not self.reader.is_alive(), patience)
            assert is_said(), f"{self.name} never said '{text}':\n" + "\n".join(self.lines)

    def close(self):
        """When the program has ended."""
        self.reader.join()
        self.stream.close()
