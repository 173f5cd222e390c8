"""HTTP/2 frame by frame, for clients that break its rules, which no library with a state machine would allow."""

import socket
import ssl
import struct
import time
from dataclasses import dataclass

import hpack

from Tests.support.project import PATIENCE_SECONDS

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"

DATA, HEADERS, PRIORITY, RST_STREAM, SETTINGS, PUSH_PROMISE, PING, GOAWAY, WINDOW_UPDATE, CONTINUATION = range(10)
END_STREAM, ACK, END_HEADERS, PADDED, PRIORITISED = 1, 1, 4, 8, 32
HEADER_TABLE_SIZE, ENABLE_PUSH, MAX_CONCURRENT_STREAMS, INITIAL_WINDOW_SIZE, MAX_FRAME_SIZE, MAX_HEADER_LIST_SIZE = (
    range(1, 7))
CODES = ["NO_ERROR", "PROTOCOL_ERROR", "INTERNAL_ERROR", "FLOW_CONTROL_ERROR", "SETTINGS_TIMEOUT", "STREAM_CLOSED",
         "FRAME_SIZE_ERROR", "REFUSED_STREAM", "CANCEL", "COMPRESSION_ERROR", "CONNECT_ERROR", "ENHANCE_YOUR_CALM",
         "INADEQUATE_SECURITY", "HTTP_1_1_REQUIRED"]


def code_name(number):
    return CODES[number] if number < len(CODES) else str(number)


@dataclass
class Frame:
    kind: int
    flags: int
    stream: int
    payload: bytes

    @property
    def code(self):
        """The error code of RST_STREAM or GOAWAY."""
        at = 4 if self.kind == GOAWAY else 0
        return code_name(int.from_bytes(self.payload[at:at + 4], "big"))

    def has(self, flag):
        return bool(self.flags & flag)


def frame(kind, flags=0, stream=0, payload=b"", length=None):
    """Returns the bytes of a frame. `length` replaces its true length."""
    size = len(payload) if length is None else length
    return struct.pack(">I", size)[1:] + struct.pack(">BBI", kind, flags, stream) + payload


def settings(*pairs):
    return frame(SETTINGS, payload=b"".join(struct.pack(">HI", *pair) for pair in pairs))


SETTINGS_ACK = frame(SETTINGS, ACK)


class Wire:
    """One connection. Reading returns a `Frame`, or None if it was closed; it raises after `timeout`."""

    next_stream = 1
    # True once the server has said that it closes the connection.
    is_leaving = False

    def __init__(self, port, ca=None, *, alpn=True, timeout=5, address="127.0.0.1", source=None, receive_buffer=None):
        self.encoder = hpack.Encoder()
        self.decoder = hpack.Decoder()
        self.settings = {}
        self.received = b""
        self.closed = False
        self.timeout = timeout
        plain = socket.socket()
        try:
            if receive_buffer:
                plain.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
            plain.settimeout(timeout)
            if source:
                plain.bind((source, 0))
            plain.connect((address, port))
            plain.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self.socket = client_context(ca, ["h2"] if alpn else []).wrap_socket(plain, server_hostname="localhost")
        except BaseException:
            plain.close()
            raise

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        self.socket.close()

    def send(self, *parts):
        """Sends. A failure is no error: the next read shows the cause."""
        try:
            self.socket.sendall(b"".join(parts))
        except (OSError, ssl.SSLError) as error:
            if isinstance(error, TimeoutError):
                raise

    def greet(self, *pairs):
        """Exchanges the preface and SETTINGS, and acknowledges both ways."""
        self.send(PREFACE, settings(*(pairs or [(INITIAL_WINDOW_SIZE, 65_535)])))
        is_acknowledged = False
        while not (is_acknowledged and self.settings):
            received = self.read()
            if received is None:
                raise ConnectionError("closed while greeting")
            if received.kind == SETTINGS and received.has(ACK):
                is_acknowledged = True
            elif received.kind == SETTINGS:
                self.settings = dict(struct.iter_unpack(">HI", received.payload))
                self.send(SETTINGS_ACK)
        return self

    def block(self, fields):
        """Returns a header block."""
        return self.encoder.encode(fields)

    def take(self):
        """Returns the number of a new stream."""
        self.next_stream += 2
        return self.next_stream - 2

    @property
    def taken(self):
        """The number of streams so far."""
        return self.next_stream // 2

    def push(self, fields, payload):
        """Pushes, and returns the status; raises ConnectionError if there is no answer."""
        stream = self.take()
        self.send(frame(HEADERS, END_HEADERS, stream, self.block(fields)), frame(DATA, END_STREAM, stream, payload))
        while (received := self.read()) is not None:
            if received.kind == SETTINGS and not received.has(ACK):
                self.send(SETTINGS_ACK)
            if received.kind == GOAWAY:
                self.is_leaving = True
                if int.from_bytes(received.payload[:4], "big") < stream:
                    raise ConnectionError("the server takes no more streams")
            if received.stream == stream and received.kind == RST_STREAM:
                raise ConnectionError(f"the stream was reset: {received.code}")
            if received.stream == stream and received.kind == HEADERS:
                return int(dict(self.decoder.decode(received.payload))[":status"])
        raise ConnectionError("closed before the answer")

    def _fill(self, count, deadline):
        while len(self.received) < count:
            left = deadline - time.monotonic()
            if left <= 0:
                raise TimeoutError
            self.socket.settimeout(left)
            try:
                part = self.socket.recv(65_536)
            except TimeoutError:
                raise
            except (OSError, ssl.SSLError):
                part = b""
            finally:
                self.socket.settimeout(self.timeout)
            if not part:
                self.closed = True
                return False
            self.received += part
        return True

    def read(self, timeout=None):
        deadline = time.monotonic() + (self.timeout if timeout is None else timeout)
        if not self._fill(9, deadline):
            return None
        size = int.from_bytes(self.received[:3], "big")
        if not self._fill(9 + size, deadline):
            return None
        kind, flags, stream = struct.unpack(">BBI", self.received[3:9])
        payload, self.received = self.received[9:9 + size], self.received[9 + size:]
        return Frame(kind, flags, stream & 0x7FFFFFFF, payload)


def client_context(ca=None, protocols=(), certificate=None):
    """Returns the TLS of a client that trusts `ca`, or every server, and asks for one of the protocols."""
    context = ssl.create_default_context(cafile=str(ca)) if ca else ssl._create_unverified_context()
    if protocols:
        context.set_alpn_protocols(list(protocols))
    if certificate:
        context.load_cert_chain(certificate)
    return context


def secured(port, ca=None, protocols=(), timeout=PATIENCE_SECONDS):
    """Returns a connection over TLS to that port of this machine."""
    plain = socket.create_connection(("127.0.0.1", port), timeout)
    return client_context(ca, protocols).wrap_socket(plain, server_hostname="localhost")
