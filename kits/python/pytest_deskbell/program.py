"""The provider under test as a program of its own."""

import http.client
import json
import os
import re
import subprocess
import threading
import time
from collections.abc import Mapping, Sequence
from typing import Any

PATIENCE_SECONDS = 30


class Program:
    """A running program. Its output is a section of the report of a test that fails."""

    def __init__(
        self, command: Sequence[str | os.PathLike[str]], *, ready: str | None, environment: Mapping[str, str], name: str
    ) -> None:
        """Starts it, and returns when a line of its output matches `ready`."""
        self.name = name
        self.match: re.Match[str] | None = None
        self._lines: list[str] = []
        self._changed = threading.Condition()
        self._has_ended = False
        self.process = subprocess.Popen(
            list(command), env=dict(environment), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, text=True, errors="replace")
        self._thread = threading.Thread(target=self._read, name=name, daemon=True)
        self._thread.start()
        if ready is not None:
            try:
                self.match = self.wait_for(ready)
            except AssertionError:
                self.stop()
                raise

    @property
    def output(self) -> str:
        """Its output so far, standard output and standard error."""
        with self._changed:
            return "".join(self._lines)

    @property
    def port(self) -> int:
        """The number in the line that said that it is ready: the first group of `ready`."""
        if self.match is None or not self.match.groups():
            raise ValueError(r"give run() a 'ready' with a group for the port: ready=r'listening on (\d+)'")
        return int(self.match[1])

    def wait_for(self, pattern: str, timeout: float = PATIENCE_SECONDS) -> re.Match[str]:
        """Returns the first match of a regular expression with a line of the output."""
        __tracebackhide__ = True
        end = time.monotonic() + timeout
        seen = 0
        with self._changed:
            while True:
                for line in self._lines[seen:]:
                    if match := re.search(pattern, line):
                        return match
                seen = len(self._lines)
                left = end - time.monotonic()
                if self._has_ended or left <= 0:
                    how = "ended" if self._has_ended else f"printed for {timeout:g} s"
                    raise AssertionError(f"{self.name} {how} without a line '{pattern}':\n{''.join(self._lines)}")
                self._changed.wait(left)

    def post(self, path: str, **body: object) -> Any:
        """Sends JSON to the program's own HTTP port, and returns the JSON of the answer."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE_SECONDS)
        try:
            connection.request("POST", path, json.dumps(body), {"content-type": "application/json"})
            response = connection.getresponse()
            text = response.read().decode()
        finally:
            connection.close()
        if response.status >= 400:
            raise RuntimeError(f"{self.name} answered POST {path} with {response.status} {text}")
        return json.loads(text) if text else None

    def stop(self) -> None:
        """Ends it with SIGTERM, and after 5 seconds with SIGKILL."""
        if self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(5)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        self._thread.join(5)

    def _read(self) -> None:
        assert self.process.stdout is not None
        with self.process.stdout as output:
            for line in output:
                with self._changed:
                    self._lines.append(line)
                    self._changed.notify_all()
        with self._changed:
            self._has_ended = True
            self._changed.notify_all()
