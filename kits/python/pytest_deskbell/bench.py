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

from pytest_deskbell.control import Control

START_SECONDS = 30


class BenchError(Exception):
    """There is no bench to test with."""


class Bench:
    """A bench for a session of tests. `environment` has its variables, from BELL_URL on."""

    def __init__(self, environment: Mapping[str, str], process: "subprocess.Popen[str] | None" = None) -> None:
        self.environment = dict(environment)
        self.control = Control(self.environment["BELL_CONTROL"])
        self._process = process

    @classmethod
    def start(cls, environment: Mapping[str, str] = os.environ) -> Self:
        """Starts a bench, or uses the one of DESKBELL_CONTROL. Throws BenchError."""
        if path := environment.get("DESKBELL_CONTROL"):
            return cls(running(path))
        named = environment.get("DESKBELL", "deskbell")
        program = shutil.which(named)
        if program is None:
            raise BenchError(
                f"there is no program '{named}'. Install Deskbell, set DESKBELL to its path, or DESKBELL_CONTROL to the "
                "control socket of a bench that runs")
        errors = tempfile.TemporaryFile("w+")
        process = subprocess.Popen(
            [program, "bench", "--json", "--until-eof"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors,
            text=True)
        try:
            return cls(printed(process), process)
        except BenchError as error:
            process.kill()
            process.wait()
            errors.seek(0)
            raise BenchError(f"'{program} bench' did not start: {error}\n{errors.read()}".rstrip()) from None

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


def running(path: str) -> dict[str, str]:
    """Returns the variables of a bench that runs already."""
    control = Control(path)
    try:
        environment = control.get("/v1/bench")
    finally:
        control.close()
    return {**environment, "BELL_CONTROL": path}


def printed(process: "subprocess.Popen[str]") -> dict[str, str]:
    """Returns the variables that a bench prints as JSON once it is ready."""
    assert process.stdout is not None
    text, end = "", time.monotonic() + START_SECONDS
    with selectors.DefaultSelector() as selector:
        selector.register(process.stdout, selectors.EVENT_READ)
        while (left := end - time.monotonic()) > 0:
            if not selector.select(left):
                break
            piece = os.read(process.stdout.fileno(), 65_536).decode()
            text += piece
            if not piece:
                raise BenchError(f"it ended with {process.wait()}")
            try:
                values = json.loads(text)
            except ValueError:
                continue
            if "BELL_CONTROL" not in values:
                raise BenchError(f"it printed no BELL_CONTROL: {text}")
            return {name: str(value) for name, value in values.items()}
    raise BenchError(f"it was not ready after {START_SECONDS} s")
