"""The mailer: who has which device, what they are sent, and what follows from each answer."""

import asyncio
import concurrent.futures
import json
import ssl
import sys
import threading
import uuid
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field
from typing import Any, Self, TypeVar

from mailer.clock import Clock
from mailer.connection import Answer, Connection, Lost
from mailer.mistakes import MISTAKES
from mailer.tokens import LIFETIME_SECONDS, Tokens, text_or_file

# A push that is older is dropped: the mail is in the mailbox anyway.
KEEP_SECONDS = 24 * 60 * 60
# The first pause before a push is sent again: after a lost connection or 429, and after 5xx as Apple asks for it. Each
# further one is twice as long.
FIRST_PAUSE_SECONDS = 2.0
SERVICE_PAUSE_SECONDS = 15 * 60.0
LONGEST_PAUSE_SECONDS = 2 * 60 * 60.0
# After this time without an answer the connection is taken for dead.
ANSWER_SECONDS = 10.0
# A handset takes three background updates an hour.
UPDATE_PACE_SECONDS = 20 * 60.0
# So many answers 500 in a row, and another connection is tried.
BAD_ANSWERS = 2
Result = TypeVar("Result")
BAD_TOKEN = ("BadDeviceToken", "BadEnvironmentKeyInToken", "DeviceTokenNotForTopic")


@dataclass
class Device:
    token: str
    registered: float
    # Unread mails: the number on the icon.
    unread: int = 0
    # No push is sent to it before this time.
    not_before: float = 0
    last_update: float = float("-inf")
    update_waits: bool = False


@dataclass
class Letter:
    """A push on its way, and then its outcome: delivered, gone, dropped or failed."""

    device: Device
    payload: dict[str, Any]
    topic: str
    expires: float
    push_type: str = "alert"
    priority: int = 10
    collapse: str | None = None
    # The service is to try it once, and keep it for nobody.
    once: bool = False
    id: str = field(default_factory=lambda: str(uuid.uuid4()))
    attempts: int = 0
    outcome: str = ""
    why: str = ""
    # The next pause before it is sent again; 0 before the first.
    pause: float = 0


class Mailer:
    """Use it in a `with` statement, or call `close()`. All methods may be called from any thread."""

    def __init__(
        self, url: str, *, ca: str, key: str, key_id: str, team_id: str, token: str | None = None, topic: str = "mail",
        clock: Any = None, clock_ahead: float = 0, mistake: str | None = None,
        log: Callable[[str], None] = lambda line: print(line, file=sys.stderr, flush=True),
    ) -> None:
        """`ca` and `key`: PEM, or the path of its file. `token`: the first device. `clock`: a file with the time, or a
        function that returns Unix seconds."""
        if mistake is not None and mistake not in MISTAKES:
            raise ValueError(f"no mistake '{mistake}'; there are {', '.join(MISTAKES)}")
        self.url, self.topic, self.mistake, self.log = url, topic, mistake, log
        self.clock = clock if isinstance(clock, Clock) else Clock(clock, clock_ahead)
        self.devices: dict[str, Device] = {}
        self._tokens = Tokens(key, key_id, team_id)
        self._context = ssl.create_default_context(cadata=text_or_file(ca))
        self._context.set_alpn_protocols(["h2"])
        if self._does("trusts-all"):
            self._context.check_hostname, self._context.verify_mode = False, ssl.CERT_NONE
        self._connection: Connection | None = None
        self._bad_answers = 0
        # True once a push was delivered: from then on BadDeviceToken is about the token, not about all of them.
        self._has_delivered = False
        self._suspects: set[str] = set()
        self._stopped_until = 0.0
        self._loop = asyncio.new_event_loop()
        self._opening = asyncio.Lock()
        self._thread = threading.Thread(target=self._loop.run_forever, name="mailer", daemon=True)
        self._thread.start()
        if token is not None:
            self.register(token)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Stops at once; what is on its way is dropped."""
        if not self._thread.is_alive():
            return

        async def end() -> None:
            for task in asyncio.all_tasks() - {asyncio.current_task()}:
                task.cancel()
            if self._connection:
                self._connection.close()
            await asyncio.sleep(0)
            self._loop.stop()

        asyncio.run_coroutine_threadsafe(end(), self._loop)
        self._thread.join()
        self._loop.close()

    # For the mail service

    def register(self, token: str) -> None:
        """Adds a device, or notes that it has registered again now."""
        device = self.devices.setdefault(token, Device(token, 0))
        device.registered = self.clock.now()

    def mail(self, text: str, to: str | None = None, *, thread: str | None = None, wait: bool = True) -> list[Letter]:
        """Announces a mail on the device, or on all. With `wait`, returns when each push has an outcome.

        `thread`: the newest mail of a thread replaces the one before."""
        return self._do([self._announce(device, text, thread) for device in self._chosen(to)], wait)

    def mails(self, texts: list[str], to: str | None = None, *, wait: bool = True) -> list[Letter]:
        """Announces many mails at once."""
        return self._do([self._announce(device, text, None) for text in texts for device in self._chosen(to)], wait)

    def read(self, to: str | None = None, *, wait: bool = True) -> list[Letter]:
        """The user has read all mails: the badge goes."""
        letters = []
        for device in self._chosen(to):
            if not self._does("badge-never-falls"):
                device.unread = 0
            letters.append(self._letter(device, {"aps": {"badge": device.unread}}, priority=5))
        return self._do(letters, wait)

    def sync(self, to: str | None = None, *, wait: bool = False) -> None:
        """Makes the app fetch its mails in the background: at once, or when the handset's budget allows it."""
        futures = [self._start(self._update(device)) for device in self._chosen(to)]
        if wait:
            concurrent.futures.wait(futures, 10)

    # Contents

    def _announce(self, device: Device, text: str, thread: str | None) -> Letter:
        device.unread += 1
        payload = {"aps": {"alert": {"title": "Mail", "body": text}, "badge": device.unread, "sound": "default"}}
        return self._letter(device, payload, collapse=None if self._does("no-collapse") else thread)

    def _letter(self, device: Device, payload: dict[str, Any], **more: Any) -> Letter:
        return Letter(device, payload, self.topic, self.clock.now() + KEEP_SECONDS, **more)

    async def _update(self, device: Device) -> None:
        if not self._does("updates-unpaced"):
            if device.update_waits:
                # The one that waits makes the app fetch everything.
                return
            device.update_waits = True
            await self.clock.until(device.last_update + UPDATE_PACE_SECONDS)
            device.update_waits = False
        device.last_update = self.clock.now()
        priority = 10 if self._does("urgent-updates") else 5
        await self._deliver(self._letter(
            device, {"aps": {"content-available": 1}}, push_type="background", priority=priority))

    # Sending

    async def _deliver(self, letter: Letter) -> None:
        while not letter.outcome:
            await self.clock.until(max(letter.device.not_before, self._stopped_until))
            if not self._knows(letter.device):
                self._end(letter, "gone", "its token was deleted meanwhile")
            elif self.clock.now() > letter.expires:
                self._end(letter, "dropped", "it is too old")
            else:
                await self._attempt(letter)

    async def _attempt(self, letter: Letter) -> None:
        if letter.attempts and self._does("new-id"):
            letter.id = str(uuid.uuid4())
        letter.attempts += 1
        connection = token = None
        try:
            connection = await self._connect()
            token = self._token()
            answer = await self._post(connection, token, letter)
        except ssl.SSLCertVerificationError as error:
            await self._again(letter, f"the server's certificate is not valid: {error.verify_message}")
        except OSError as error:
            await self._again(letter, f"no connection: {error}")
        except Lost as lost:
            await self._lost(letter, lost)
        else:
            await self._judge(letter, connection, token, answer)
        finally:
            if connection and self._does("connection-per-push"):
                connection.close()

    def _token(self) -> str:
        now = self.clock.now()
        if self._does("token-per-push"):
            # One second ahead of the last, so that no two are equal.
            now = self._tokens.issued = max(now, self._tokens.issued + 1)
            return self._tokens.sign(now)
        return self._tokens.current(now, lifetime=float("inf") if self._does("token-for-ever") else LIFETIME_SECONDS)

    async def _connect(self) -> Connection:
        async with self._opening:
            connection = self._connection
            is_usable = connection is not None and (
                connection.is_usable or (self._does("stays-after-goaway") and not connection.is_closed))
            if connection is None or not is_usable or self._does("connection-per-push"):
                if connection and connection.has_goaway:
                    connection.close()
                connection = self._connection = await self._in_time(Connection.open(
                    self.url, self._context, waits_for_settings=not self._does("burst-first")))
                self._bad_answers = 0
            return connection

    async def _in_time(self, work: Coroutine[Any, Any, Result]) -> Result:
        """Returns the result, or throws TimeoutError after ANSWER_SECONDS of the mailer's clock."""
        task, alarm = asyncio.ensure_future(work), asyncio.ensure_future(self.clock.sleep(ANSWER_SECONDS))
        try:
            awaited: list[asyncio.Future[Any]] = [task] if self._does("waits-for-ever") else [task, alarm]
            await asyncio.wait(awaited, return_when=asyncio.FIRST_COMPLETED)
            if not task.done():
                raise TimeoutError(f"no answer for {ANSWER_SECONDS:g} s")
            return await task
        finally:
            alarm.cancel()
            task.cancel()

    async def _post(self, connection: Connection, token: str, letter: Letter) -> Answer:
        """Sends once. Throws Lost, also if no answer comes in time: the connection is dead then."""
        path, headers = self._head(letter)
        headers["authorization"] = f"bearer {token}"
        body = json.dumps(letter.payload, ensure_ascii=False, separators=(",", ":")).encode()
        try:
            return await self._in_time(connection.post(path, headers, body))
        except TimeoutError as error:
            connection.close(str(error))
            raise Lost(str(error)) from error

    def _head(self, letter: Letter) -> tuple[str, dict[str, str]]:
        """The path and the header fields."""
        headers = {
            "apns-id": letter.id, "apns-topic": letter.topic, "apns-push-type": letter.push_type,
            "apns-priority": str(letter.priority),
            "apns-expiration": "0" if letter.once else str(int(letter.expires))}
        if self._does("no-push-type"):
            del headers["apns-push-type"]
        if letter.collapse:
            headers["apns-collapse-id"] = letter.collapse
        return f"/3/device/{letter.device.token}", headers

    # Answers

    async def _lost(self, letter: Letter, lost: Lost) -> None:
        why = str(lost)
        is_goaway = why == "GOAWAY"
        if (is_goaway and self._does("loses-at-goaway")) or (
                not is_goaway and not lost.refused and self._does("loses-after-cut")) or (
                lost.refused and not is_goaway and self._does("burst-first")):
            self._end(letter, "failed", why)
        elif lost.refused:
            # It was not acted on, and nothing is wrong with it: at once.
            self.log(f"mailer: {letter.id} again: {why}")
            await asyncio.sleep(0)
            if self._does("stays-after-goaway"):
                await self.clock.sleep(FIRST_PAUSE_SECONDS)
        else:
            # It may have been acted on. Under the same apns-id it counts once.
            await self._again(letter, why)

    async def _judge(self, letter: Letter, connection: Connection, token: str, answer: Answer) -> None:
        status, reason = answer.status, reason_of(answer)
        why = f"{status} {reason}".strip()
        if status != 500:
            self._bad_answers = 0
        if status == 200:
            self._has_delivered = True
            self._end(letter, "delivered", why)
        elif status == 410:
            self._gone(letter, answer)
        elif reason == "ExpiredProviderToken" and not self._does("token-for-ever"):
            self._tokens.forget(token)
            # A token that was new is refused because a clock is wrong: sending it again does not mend that.
            if letter.attempts > 1 and letter.why == why:
                self._end(letter, "failed", f"{why}: is this machine's clock right?")
            else:
                letter.why = why
        elif reason in BAD_TOKEN:
            self._suspect(letter, why)
        elif status == 429:
            await self._too_many(letter, reason, answer)
        elif status >= 500:
            await self._service_failed(letter, connection, answer, why)
        elif self._does("repeats-permanent"):
            await self._again(letter, why)
        else:
            self._end(letter, "failed", why)

    def _gone(self, letter: Letter, answer: Answer) -> None:
        # In milliseconds: when the service found the token gone. The device may have registered again since.
        timestamp = body_of(answer).get("timestamp")
        device = letter.device
        is_newer = isinstance(timestamp, int) and int(device.registered * 1000) > timestamp
        if not (is_newer and not self._does("ignores-timestamp")) and not self._does("keeps-gone"):
            self._forget(device)
        self._end(letter, "gone", "410")

    def _suspect(self, letter: Letter, why: str) -> None:
        """One token that is bad is deleted. If all are, the environment is wrong, and no token is to blame."""
        self._suspects.add(letter.device.token)
        if self._does("wipes-table") or (self._has_delivered and len(self._suspects) * 2 <= len(self.devices)):
            self.devices.pop(letter.device.token, None)
        elif self._suspects >= self.devices.keys():
            why += ": all tokens are refused; is this the environment that they are for?"
        self._end(letter, "failed", why)

    async def _too_many(self, letter: Letter, reason: str, answer: Answer) -> None:
        pause = self._next_pause(letter, answer)
        until = self.clock.now() + pause
        self.log(f"mailer: {letter.id} again in {pause:g} s: 429 {reason}")
        if self._does("stops-for-one") or reason == "TooManyProviderTokenUpdates":
            self._stopped_until = until
        else:
            letter.device.not_before = until

    async def _service_failed(self, letter: Letter, connection: Connection, answer: Answer, why: str) -> None:
        if self._does("gives-up"):
            self._end(letter, "failed", why)
            return
        self._bad_answers += answer.status == 500
        if self._bad_answers >= BAD_ANSWERS and not self._does("keeps-bad-connection"):
            # One of the service's machines may be broken. Another connection leads to another machine.
            connection.close("it answers only 500")
        await self._again(letter, why, answer)

    async def _again(self, letter: Letter, why: str, answer: Answer | None = None) -> None:
        pause = self._next_pause(letter, answer)
        until = self.clock.now() + pause
        self.log(f"mailer: {letter.id} again in {pause:g} s: {why}")
        await self.clock.until(until)

    def _next_pause(self, letter: Letter, answer: Answer | None) -> float:
        if self._does("retries-at-once"):
            # Not quite: it would leave no time for anything else.
            return 0.001
        if self._does("ignores-retry-after"):
            letter.pause = 2 * letter.pause or 1
            return letter.pause
        asked = 0.0 if answer is None else retry_after(answer)
        is_service = answer is not None and answer.status >= 500
        pause = max(asked, letter.pause) or (SERVICE_PAUSE_SECONDS if is_service else FIRST_PAUSE_SECONDS)
        if not self._does("constant-pause"):
            letter.pause = min(2 * pause, LONGEST_PAUSE_SECONDS)
        return pause

    def _end(self, letter: Letter, outcome: str, why: str) -> None:
        letter.outcome, letter.why = outcome, why
        if outcome != "delivered":
            self.log(f"mailer: giving up on {letter.id} ({outcome}): {why}")

    # Threads

    def _does(self, mistake: str) -> bool:
        return self.mistake == mistake

    def _knows(self, device: Device) -> bool:
        return device.token in self.devices

    def _forget(self, device: Device) -> None:
        self.devices.pop(device.token, None)

    def _chosen(self, to: str | None) -> list[Device]:
        if to is None:
            return list(self.devices.values())
        if to not in self.devices:
            self.register(to)
        return [self.devices[to]]

    def _start(self, work: Coroutine[Any, Any, None]) -> "concurrent.futures.Future[None]":
        return asyncio.run_coroutine_threadsafe(work, self._loop)

    def _do(self, letters: list[Letter], wait: bool) -> list[Letter]:
        futures = [self._start(self._deliver(letter)) for letter in letters]
        if wait:
            concurrent.futures.wait(futures, 10)
            for future, letter in zip(futures, letters, strict=True):
                if not future.done():
                    raise TimeoutError(
                        f"{letter.id} has no outcome after 10 s and {letter.attempts} attempts; on a virtual clock, "
                        "pass wait=False and advance the clock")
                future.result()
        return letters


def body_of(answer: Answer) -> dict[str, Any]:
    """The answer's JSON, or nothing if it is none: a proxy's answer has HTML, a broken one half of it."""
    try:
        body = json.loads(answer.body)
    except ValueError:
        return {}
    return body if isinstance(body, dict) else {}


def reason_of(answer: Answer) -> str:
    return str(body_of(answer).get("reason", ""))


def retry_after(answer: Answer) -> float:
    value = answer.headers.get("retry-after", "")
    return float(value) if value.isdigit() else 0.0
