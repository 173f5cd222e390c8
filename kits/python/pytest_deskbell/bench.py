"""The bench: a process of `deskbell bench`, or one that runs already."""

import json
import os
import selectors
import shutil
import subprocess
import tempfile
import time
from collections.abc import Mapping
from typing import Self

from pytest_deskbell.control import Control, ControlError

START_SECONDS = 30


class BenchError(Exception):
    """There is no bench to test with."""


class Bench:
    """A bench for a session of tests. `environment` has its variables for a provider that is a program."""

    def __init__(self, path: str, process: "subprocess.Popen[bytes] | None" = None) -> None:
        """`path`: its control socket."""
        self.control = Control(path)
        self._process = process
        report = self.control.get("/v1/bench")
        # The address for the provider, `https://…`, and the file of the authority to trust.
        self.url: str = report["url"]
        self.ca: str = report["certificateAuthority"]
        # The file of the provider's key, and its names.
        self.key: str = report["key"]
        self.key_id: str = report["keyID"]
        self.team_id: str = report["teamID"]
        # The file that has the time; empty if there is none.
        self.clock: str = report.get("clock") or ""
        self.environment = {
            "BELL_URL": self.url, "BELL_CA": self.ca, "BELL_KEY": self.key, "BELL_KEY_ID": self.key_id,
            "BELL_TEAM_ID": self.team_id, "BELL_CONTROL": path, "BELL_CLOCK": self.clock}

    @classmethod
    def start(cls, environment: Mapping[str, str] = os.environ) -> Self:
        """Starts a bench, or uses the one of DESKBELL_CONTROL. Throws BenchError."""
        if path := environment.get("DESKBELL_CONTROL"):
            if environment.get("PYTEST_XDIST_WORKER_COUNT", "1") != "1":
                raise BenchError(
                    "DESKBELL_CONTROL names one bench, and several workers would reset it for each other. Unset it: "
                    "each worker starts its own then. Or run without -n")
            try:
                return cls(path)
            except ControlError as error:
                raise BenchError(f"there is no bench at DESKBELL_CONTROL={path}: {error}") from None
        named = environment.get("DESKBELL", "deskbell")
        program = shutil.which(named)
        if program is None:
            raise BenchError(
                f"there is no program '{named}'. Install Deskbell, set DESKBELL to its path, or DESKBELL_CONTROL to "
                "the control socket of a bench that runs")
        with tempfile.TemporaryFile() as errors:
            process = subprocess.Popen(
                [program, "bench", "--json", "--until-eof"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                stderr=errors)
            try:
                return cls(control_path(process), process)
            except (BenchError, ControlError) as error:
                process.kill()
                process.wait()
                errors.seek(0)
                said = errors.read().decode(errors="replace")
                raise BenchError(f"'{program} bench' did not start: {error}\n{said}".rstrip()) from None

    def stop(self) -> None:
        self.control.close()
        if self._process and self._process.stdin and self._process.stdout:
            self._process.stdin.close()
            try:
                self._process.wait(10)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
            self._process.stdout.close()


def control_path(process: "subprocess.Popen[bytes]") -> str:
    """Returns the path of the control socket, which a bench prints among other things as JSON once it is ready."""
    assert process.stdout is not None
    text, end = b"", time.monotonic() + START_SECONDS
    with selectors.DefaultSelector() as selector:
        selector.register(process.stdout, selectors.EVENT_READ)
        while (left := end - time.monotonic()) > 0 and selector.select(left):
            piece = os.read(process.stdout.fileno(), 65_536)
            text += piece
            if not piece:
                raise BenchError(f"it ended with {process.wait()}")
            try:
                return str(json.loads(text)["BELL_CONTROL"])
            except ValueError:
                continue
            except (KeyError, TypeError):
                raise BenchError(f"it printed no BELL_CONTROL: {text.decode()}") from None
    raise BenchError(f"it was not ready after {START_SECONDS} s")
