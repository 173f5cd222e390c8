"""One HTTP/2 connection to the push service, over h2."""

import asyncio
import ssl
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Self
from urllib.parse import urlsplit

import h2.config
import h2.connection
import h2.errors
import h2.events
import h2.exceptions
from hyperframe.frame import Frame

FRAME_HEAD_BYTES = 9

# What a client sends that does not wait for the server's SETTINGS arrives at once after this time, and it reads nothing
# before, as if the server were far away.
FAR_SECONDS = 0.05


class Lost(Exception):
    """The request has no answer. It may have been acted on, unless `refused` is true."""

    def __init__(self, why: str, *, refused: bool = False) -> None:
        super().__init__(why)
        self.refused = refused


@dataclass
class Answer:
    status: int = 0
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes = b""


class _Stream:
    def __init__(self) -> None:
        self.answer = Answer()
        self.done: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()


class Connection:
    def __init__(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, authority: str, *, waits_for_settings: bool,
    ) -> None:
        self._reader, self._writer, self._authority = reader, writer, authority
        self._http2 = h2.connection.H2Connection(h2.config.H2Configuration(header_encoding="utf-8"))
        self._streams: dict[int, _Stream] = {}
        # The beginning of a frame whose end has not arrived.
        self._unread = b""
        # Set and replaced whenever streams or windows may have become free.
        self._changed = asyncio.Event()
        self._has_settings = asyncio.Event()
        self.is_closed = False
        self.has_goaway = False
        self._http2.initiate_connection()
        self._is_far = not waits_for_settings
        self._flush()
        self._task = asyncio.create_task(self._read())

    @classmethod
    async def open(cls, url: str, context: ssl.SSLContext, *, waits_for_settings: bool = True) -> Self:
        """Connects. Throws OSError, of which ssl.SSLError is one.

        A client that does not wait for the server's SETTINGS sends more streams at once than a server may take."""
        parts = urlsplit(url)
        host, port = parts.hostname or "localhost", parts.port or 443
        reader, writer = await asyncio.open_connection(host, port, ssl=context)
        connection = cls(reader, writer, f"{host}:{port}", waits_for_settings=waits_for_settings)
        if waits_for_settings:
            await connection._has_settings.wait()
        else:
            connection._http2.remote_settings.max_concurrent_streams = 1000
        if connection.is_closed:
            raise ConnectionResetError("the server accepted the connection and closed it")
        return connection

    @property
    def is_usable(self) -> bool:
        return not self.is_closed and not self.has_goaway

    async def post(self, path: str, headers: Mapping[str, str], body: bytes) -> Answer:
        """Sends a request and returns the answer. Throws Lost."""
        http2 = self._http2
        while self.is_usable and http2.open_outbound_streams >= http2.remote_settings.max_concurrent_streams:
            await self._change()
        number, stream = self._begin(path, headers)
        try:
            await self._send(number, body)
            return await stream.done
        finally:
            if self._streams.pop(number, None) and not stream.done.done():
                self._cancel(number)
            self._notify()

    def close(self, why: str = "the mailer closed the connection") -> None:
        if self.is_closed:
            return
        self.is_closed = True
        self._writer.close()
        self._has_settings.set()
        self._fail_all(why)
        self._task.cancel()

    def _begin(self, path: str, headers: Mapping[str, str]) -> tuple[int, _Stream]:
        try:
            number = self._http2.get_next_available_stream_id()
            self._http2.send_headers(number, [
                (":method", "POST"), (":scheme", "https"), (":authority", self._authority), (":path", path),
                *headers.items()])
        except h2.exceptions.ProtocolError as error:
            raise Lost(f"the connection takes no more requests: {error}", refused=True) from error
        stream = self._streams[number] = _Stream()
        return number, stream

    async def _send(self, number: int, body: bytes) -> None:
        while number in self._streams and not self._streams[number].done.done():
            try:
                window = self._http2.local_flow_control_window(number)
                room = min(window, self._http2.max_outbound_frame_size, len(body))
                if room > 0 or not body:
                    self._http2.send_data(number, body[:room], end_stream=room == len(body))
                    body = body[room:]
                    self._flush()
                    if not body:
                        return
                    continue
            except h2.exceptions.ProtocolError:
                # Its stream or the connection has ended; `done` has or gets the reason.
                return
            self._flush()
            await self._change()

    def _cancel(self, number: int) -> None:
        try:
            self._http2.reset_stream(number, h2.errors.ErrorCodes.CANCEL)
        except h2.exceptions.ProtocolError:
            return
        self._flush()

    async def _read(self) -> None:
        if self._is_far:
            await asyncio.sleep(FAR_SECONDS)
            self._is_far = False
            self._flush()
        why = "the connection was closed"
        try:
            while data := await self._reader.read(65_536):
                self._take(data)
                self._flush()
        except h2.exceptions.ProtocolError as error:
            why = f"protocol error: {error}"
        except OSError as error:
            why = f"the connection broke: {error}"
        if self.has_goaway:
            why = "GOAWAY"
        self.is_closed = True
        self._writer.close()
        self._has_settings.set()
        self._fail_all(why)

    def _take(self, data: bytes) -> None:
        """Handles what has arrived, frame by frame. h2 reads nothing after a GOAWAY: it would throw away what came with
        it, and the answers that follow one are lost."""
        self._unread += data
        while len(self._unread) >= FRAME_HEAD_BYTES and not self.has_goaway:
            _, length = Frame.parse_frame_header(memoryview(self._unread[:FRAME_HEAD_BYTES]))
            end = FRAME_HEAD_BYTES + length
            if len(self._unread) < end:
                return
            frame, self._unread = self._unread[:end], self._unread[end:]
            for event in self._http2.receive_data(frame):
                self._handle(event)
        if self.has_goaway:
            self._unread = b""

    def _handle(self, event: h2.events.Event) -> None:
        match event:
            case h2.events.ResponseReceived(stream_id=number, headers=headers) if number in self._streams:
                answer = self._streams[number].answer
                answer.headers = {text(name): text(value) for name, value in headers or []}
                answer.status = int(answer.headers.get(":status", "0"))
            case h2.events.DataReceived(stream_id=number, data=data, flow_controlled_length=length):
                self._http2.acknowledge_received_data(length or 0, number or 0)
                if number in self._streams:
                    self._streams[number].answer.body += data or b""
            case h2.events.StreamEnded(stream_id=number) if number in self._streams:
                stream = self._streams[number]
                if not stream.done.done():
                    stream.done.set_result(stream.answer)
            case h2.events.StreamReset(stream_id=number, error_code=code) if number in self._streams:
                why = f"the stream was reset: {getattr(code, 'name', code)}"
                self._fail(self._streams[number], why, refused=code == h2.errors.ErrorCodes.REFUSED_STREAM)
            case h2.events.RemoteSettingsChanged():
                self._has_settings.set()
            case h2.events.ConnectionTerminated(last_stream_id=last):
                self.has_goaway = True
                self._has_settings.set()
                for number, stream in self._streams.items():
                    self._fail(stream, "GOAWAY", refused=number > (last or 0))
        self._notify()

    def _fail(self, stream: _Stream, why: str, *, refused: bool = False) -> None:
        if not stream.done.done():
            stream.done.set_exception(Lost(why, refused=refused))

    def _fail_all(self, why: str) -> None:
        for stream in self._streams.values():
            self._fail(stream, why)
        self._notify()

    def _flush(self) -> None:
        if self._is_far:
            return
        data = self._http2.data_to_send()
        if data and not self._writer.is_closing():
            self._writer.write(data)

    async def _change(self) -> None:
        await self._changed.wait()

    def _notify(self) -> None:
        self._changed.set()
        self._changed = asyncio.Event()


def text(value: str | bytes) -> str:
    return value if isinstance(value, str) else value.decode("latin-1")
