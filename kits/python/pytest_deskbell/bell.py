"""The bench as a test uses it."""

import base64
import os
import shlex
from collections.abc import Callable, Iterator, Mapping, MutableMapping, Sequence
from contextlib import contextmanager
from typing import Any

from pytest_deskbell.bench import Bench
from pytest_deskbell.clock import Clock
from pytest_deskbell.control import ControlError
from pytest_deskbell.program import Program
from pytest_deskbell.pushes import Push, Pushes
from pytest_deskbell.requests import Request, Requests
from pytest_deskbell.times import Time, seconds, text
from pytest_deskbell.waiting import FIRST_SECONDS, advance, wait

KINDS = ["badge", "sound", "alert"]


class Bell:
    """A push service with a phone behind it. One test has it at a time, as new."""

    def __init__(self, bench: Bench) -> None:
        self.bench, self.control = bench, bench.control
        self.control.post("/v1/bench/reset")
        self.url, self.ca = bench.url, bench.ca
        self.key, self.key_id, self.team_id = bench.key, bench.key_id, bench.team_id
        self.clock = Clock(self.control, bench.clock)
        self.conditions = Switches(self, "/v1/conditions")
        self.settings = Settings(self, "/v1/settings")
        self.programs: list[Program] = []
        self._first_event: int = self.control.get("/v1/state")["lastEvent"]
        self._optional: set[str] = set()

    def __repr__(self) -> str:
        return f"<Bell {self.url}>"

    # The provider

    @property
    def environment(self) -> dict[str, str]:
        """The variables for a provider that is a program: BELL_URL, BELL_CA, BELL_KEY …"""
        return dict(self.bench.environment)

    def run(
        self, command: str | Sequence[str | os.PathLike[str]], *, ready: str | None = None,
        env: Mapping[str, str] | None = None, name: str | None = None,
    ) -> Program:
        """Starts the provider, and stops it after the test.

        `ready`: a regular expression; a line of its output that matches says that it is ready. `env`: variables beside
        those of this process and of `environment`."""
        words: list[str | os.PathLike[str]] = [*(shlex.split(command) if isinstance(command, str) else command)]
        program = Program(
            words, ready=ready, environment={**os.environ, **self.environment, **(env or {})},
            name=name or os.path.basename(os.fspath(words[0])))
        self.programs.append(program)
        return program

    def token(self, app: str, *, environment: str | None = None) -> str:
        """The device token of an app, which is installed if it is not yet.

        `environment`: `development` or `production`; pushes to a token of the one that the bench is not are answered 400
        BadDeviceToken."""
        body = {"app": app} if environment is None else {"app": app, "environment": environment}
        return str(self.control.post("/v1/bench/tokens", body)["token"])

    def app(
        self, app: str, *, kinds: Sequence[str] | None = None, files: Mapping[str, bytes] | None = None,
        **settings: object,
    ) -> "App":
        """Returns an app. If it is not installed yet, it is: registered for everything, and for background updates.

        `kinds`: registers it for these, of badge, sound and alert. `files`: installs this bundle instead, with its
        `app.yaml`. `settings`: its settings, such as `banner_style="alert"`."""
        result = App(self, app)
        if files:
            result.install(files)
        else:
            self.token(app)
        if files or kinds is not None:
            result.register(KINDS if kinds is None else kinds)
        for key, value in settings.items():
            result.settings[key] = value
        return result

    # Faults

    def fault(self, *, may_miss: bool = False, **words: object) -> "Fault":
        """Arms a fault. `deskbell fault keys` lists its words, here with `_` for `-`: `retry_after=2`; `for_` is
        `for`.

        A fault that never struck fails the test, unless it `may_miss`."""
        body = {name.rstrip("_").replace("_", "-"): value for name, value in words.items() if value is not None}
        fault = Fault(self, self.control.post("/v1/faults", body))
        if may_miss:
            self._optional.update([fault.name, *fault.raw.get("more", [])])
        return fault

    def faults(self) -> "list[Fault]":
        """All faults of this test, with their hits."""
        return [Fault(self, raw) for raw in self.control.get("/v1/faults")["faults"]]

    def unfired(self) -> "list[Fault]":
        """The faults that never struck, and should have."""
        return [fault for fault in self.faults() if not fault.hits and fault.name not in self._optional]

    # Time

    def advance(self, by: Time) -> None:
        """Advances the clock. All that falls due happens first, at its own moment."""
        self.clock.advance(by)

    def settled(self, *, app: str | None = None, push: str | None = None, timeout: Time = 10) -> Pushes:
        """Waits, in real time, until nothing is under way of the push, the app or all, and returns the pushes of this
        test."""
        __tracebackhide__ = True
        try:
            report = self.control.get(
                "/v1/settled", app=app, push=push, after=self._first_event, last=1_000,
                timeout=f"{round(seconds(timeout) * 1_000)}ms")
        except ControlError as error:
            if error.status != 408:
                raise
            raise AssertionError(f"not settled: {error.error}") from None
        return Pushes([Push(raw) for raw in report["pushes"]])

    def until(self, condition: Callable[[], object], *, advancing: Time | None = None, timeout: Time = 10) -> None:
        """Returns when the condition is true. Throws AssertionError.

        With `advancing`, the clock advances meanwhile, in steps, by at most this time. Without it, `timeout` is the
        real time to wait."""
        __tracebackhide__ = True
        if not self.wait(lambda: bool(condition()), lambda: len(self.requests()), advancing, timeout):
            raise AssertionError(
                f"it did not come true in {text(seconds(timeout))}" if advancing is None
                else f"it did not come true while the clock advanced by {text(seconds(advancing))}")

    def wait(
        self, is_enough: Callable[[], bool], progress: Callable[[], object], advancing: Time | None, timeout: Time, *,
        growth: float = 0.25, last: float = FIRST_SECONDS,
    ) -> bool:
        """Waits as `until` does. `progress` changes whenever the provider does something. Returns false if the time was
        over first."""
        if advancing is None:
            return wait(is_enough, seconds(timeout))
        return advance(self.clock, seconds(advancing), is_enough, progress, growth=growth, last=last)

    # Results

    def requests(self, **filters: object) -> Requests:
        """The requests so far; of one `app`, `provider`, `handset` or `status`, or the `last` so many."""
        found = self.control.get("/v1/requests", **filters)["requests"]
        return Requests(self, filters, [Request(raw) for raw in found])

    def events(self, *kinds: str, app: str | None = None, push: str | None = None) -> list[dict[str, Any]]:
        """The events of this test, or those of some kinds, of an app, of a push."""
        return [
            event for event in self.control.lines("/v1/events", after=self._first_event)
            if (not kinds or event["event"] in kinds) and app in (None, event.get("app"))
            and push in (None, event.get("push"))]

    def explain(self, push: str | Push) -> "Explanation":
        """Explains why a push rang, or did not, rule by rule."""
        identifier = push.id if isinstance(push, Push) else push
        return Explanation(self.control.get(f"/v1/pushes/{identifier}/explanation"))

    def lint(self) -> "Findings":
        """The requests so far that the service accepts and a careful provider does not send."""
        return Findings(Finding(raw) for raw in self.control.get("/v1/lint")["findings"])

    @property
    def board(self) -> "Board":
        """The board at this moment."""
        return Board(self.control.get("/v1/state")["presentation"])

    def press(self, button: str = "view", *, long: bool = False) -> None:
        """Presses a button of the board: `view` or `close`."""
        self.control.post("/v1/press", {"button": button, "length": "long" if long else "short"})


class App:
    """An app on the handset."""

    def __init__(self, bell: Bell, name: str) -> None:
        self._control, self.name = bell.control, name
        self.settings = Settings(bell, f"/v1/apps/{name}/settings")

    @property
    def is_installed(self) -> bool:
        try:
            return bool(self._control.get(f"/v1/apps/{self.name}"))
        except ControlError as error:
            if error.status != 404:
                raise
            return False

    @property
    def report(self) -> dict[str, Any]:
        """All that is known of it, under the names of the control API."""
        return dict(self._control.get(f"/v1/apps/{self.name}"))

    @property
    def token(self) -> str:
        return str(self.report["token"])

    @property
    def badge(self) -> int:
        return int(self.report["badge"])

    def install(self, files: Mapping[str, bytes]) -> None:
        body = {name: base64.b64encode(content).decode() for name, content in files.items()}
        self._control.put(f"/v1/apps/{self.name}", {"files": body})

    def uninstall(self) -> None:
        self._control.delete(f"/v1/apps/{self.name}")

    def register(self, kinds: Sequence[str] = KINDS) -> str:
        """Registers, again if it is registered, and returns the device token."""
        self._control.post(f"/v1/apps/{self.name}/register", {"kinds": list(kinds)})
        return self.token

    def unregister(self) -> None:
        """Makes its token invalid: pushes to it are answered 410."""
        self._control.post(f"/v1/apps/{self.name}/unregister")

    def launch(self) -> None:
        self._do("launch")

    def background(self) -> None:
        self._do("background")

    def kill(self) -> None:
        self._do("kill")

    def force_quit(self) -> None:
        self._do("force-quit")

    def _do(self, command: str) -> None:
        self._control.post(f"/v1/apps/{self.name}/lifecycle", {"command": command})


class Settings(MutableMapping[str, object]):
    """Settings by their keys, with `_` or `-`. True and False are `on` and `off`. None can be deleted."""

    def __init__(self, bell: Bell, path: str) -> None:
        self._control, self._path = bell.control, path

    def _all(self) -> dict[str, str]:
        return {entry["key"]: entry["value"] for entry in self._control.get(self._path)}

    def __getitem__(self, key: str) -> object:
        return self._all()[key.replace("_", "-")]

    def __setitem__(self, key: str, value: object) -> None:
        word = {True: "on", False: "off"}[value] if isinstance(value, bool) else str(value)
        self._control.put(f"{self._path}/{key.replace('_', '-')}", {"value": word})

    def __delitem__(self, key: str) -> None:
        raise TypeError("a setting cannot be deleted; the next test begins with the usual ones")

    def __iter__(self) -> Iterator[str]:
        return iter(self._all())

    def __len__(self) -> int:
        return len(self._all())


class Switches(Settings):
    """Conditions: `bell.conditions["offline"] = True`, or for a block `with bell.conditions.on("offline"):`."""

    def __getitem__(self, key: str) -> bool:
        return super().__getitem__(key) == "on"

    @contextmanager
    def on(self, *names: str) -> Iterator[None]:
        for name in names:
            self[name] = True
        try:
            yield
        finally:
            for name in names:
                self[name] = False


class Fault:
    """A fault that was armed. `raw` has everything, under the names of the control API."""

    def __init__(self, bell: Bell, raw: Mapping[str, Any]) -> None:
        self._bell, self.raw = bell, raw
        self.name: str = raw["name"]

    def _now(self) -> Mapping[str, Any]:
        for raw in self._bell.control.get("/v1/faults")["faults"]:
            if raw["name"] == self.name:
                self.raw = raw
        return self.raw

    @property
    def hits(self) -> int:
        """The number of times that it has struck."""
        return int(self._now()["hits"])

    @property
    def is_armed(self) -> bool:
        """False once it has ended."""
        return bool(self._now()["armed"])

    def remove(self) -> None:
        self._bell.control.delete(f"/v1/faults/{self.name}")

    def __repr__(self) -> str:
        words = sorted((key, value) for key, value in self.raw["words"].items() if key != "name")
        return f"{self.name}: " + ", ".join(f"{key} {value}" for key, value in words)


class Board:
    """The board at a moment."""

    def __init__(self, raw: Mapping[str, Any]) -> None:
        self.raw = raw
        # The text on the digits; None if the board has none.
        self.digits: str | None = raw.get("digits")
        # The lamp's pattern: off, steady, blink, double, breathe, heartbeat, sos; behind it a colour that was chosen.
        self.lamp: str = (raw.get("lamp") or {}).get("pattern", "off")
        # The colour on a lamp of several colours, chosen or by level; None while the lamp is dark.
        self.lamp_colour: str | None = (raw.get("lamp") or {}).get("colour")
        self.badge: int = raw["badge"]

    def __repr__(self) -> str:
        return f"<Board digits {self.digits!r}, lamp {self.lamp}>"


class Explanation:
    """The reasons why a push rang, or did not."""

    def __init__(self, raw: Mapping[str, Any]) -> None:
        self.raw = raw
        self.rang: bool = raw["rang"]
        self.summary: str = raw["summary"]
        # The outcomes in order, as codes: `S5.quiet-hours`.
        self.codes: list[str] = [ruling["code"] for ruling in raw["rulings"]]

    def __str__(self) -> str:
        return self.summary

    def __repr__(self) -> str:
        return f"{self.summary} [{' '.join(self.codes)}]"


class Finding:
    """A finding of the linter. It equals its code, so that `bell.lint() == ["L105"]` reads well."""

    def __init__(self, raw: Mapping[str, Any]) -> None:
        self.raw = raw
        self.code: str = raw["code"]
        self.name: str = raw["name"]
        self.request: int | None = raw.get("request")
        self.sentence: str = raw["sentence"]
        self.remedy: str = raw["remedy"]
        self.source: str = raw["source"]

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Finding):
            return self.raw == other.raw
        return other in (self.code, self.name)

    def __hash__(self) -> int:
        return hash(self.code)

    def __repr__(self) -> str:
        of = f" #{self.request}" if self.request else ""
        return f"{self.code} {self.name}{of}: {self.sentence} {self.remedy} ({self.source})"


class Findings(list[Finding]):
    """Findings, whose comparison explains itself."""

    def explain(self, expected: Sequence[object]) -> list[str]:
        """The lines of a failed comparison."""
        wanted = ", ".join(map(str, expected)) or "none"
        return [f"the linter has {len(self) or 'no'} finding{'s' * (len(self) != 1)}, expected {wanted}",
                *(f"  {finding!r}" for finding in self)]
