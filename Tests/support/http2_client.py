"""A client's HTTP/2 connection that sends exactly the given header fields: their names and order, and no others."""

import socket
from dataclasses import dataclass

import h2.config
import h2.connection
import h2.events
import h2.exceptions
import h2.settings

from Tests.support.http2_wire import client_context
from Tests.support.project import PATIENCE_SECONDS


@dataclass(frozen=True)
class Post:
    """A request: its header fields in order, and its body."""
    fields: tuple
    body: bytes
    key: object = None


class Connection:
    """One connection. It is greeted, and has the server's SETTINGS, when it is made.

    `settings` and `window` are announced as a library does: pairs of SETTINGS, and the increment of the connection's
    window. With `empty_end`, END_STREAM comes in an empty DATA frame after the body. Without `checks_time`, the
    server's certificate may be outside its validity period.
    """

    # X509_V_FLAG_NO_CHECK_TIME, for which Python has no name.
    NO_CHECK_TIME = 0x200000

    def __init__(self, port, ca, certificate=None, settings=(), window=0, empty_end=False, checks_time=True):
        context = client_context(ca, ["h2"], certificate)
        if not checks_time:
            context.verify_flags |= self.NO_CHECK_TIME
        self.socket = context.wrap_socket(
            socket.create_connection(("127.0.0.1", port), PATIENCE_SECONDS), server_hostname="localhost")
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.empty_end = empty_end
        self.waiting = {}
        self.answers = []
        self.is_open = True
        self.has_settings = False
        self.http2 = h2.connection.H2Connection(h2.config.H2Configuration(
            header_encoding="utf-8", validate_outbound_headers=False, normalize_outbound_headers=False,
            validate_inbound_headers=False))
        if settings:
            self.http2.local_settings = h2.settings.Settings(client=True, initial_values=dict(settings))
        self.http2.initiate_connection()
        if window:
            self.http2.increment_flow_control_window(window)
        self.flush()
        while self.is_open and not self.has_settings:
            self.receive()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        self.is_open = False
        self.socket.close()

    def flush(self):
        try:
            self.socket.sendall(self.http2.data_to_send())
        except OSError:
            # Earlier answers may still be there to read.
            pass

    @property
    def free(self):
        """The number of streams that the server still allows."""
        return min(self.http2.remote_settings.max_concurrent_streams, 1_000_000) - len(self.waiting)

    def has_room(self, post):
        return self.free > 0 and self.http2.outbound_flow_control_window > len(post.body)

    def send(self, post):
        stream = self.http2.get_next_available_stream_id()
        self.http2.send_headers(stream, post.fields)
        self.http2.send_data(stream, post.body, end_stream=not self.empty_end)
        if self.empty_end:
            self.http2.send_data(stream, b"", end_stream=True)
        self.waiting[stream] = [post, None, b""]

    def receive(self):
        """Waits for bytes and processes them."""
        try:
            data = self.socket.recv(65_536)
        except OSError:
            data = b""
        self.take(data)

    def take(self, data):
        """Processes received bytes; none if the connection has ended."""
        try:
            events = self.http2.receive_data(data) if data else []
        except h2.exceptions.ProtocolError:
            data, events = b"", []
        if not data:
            self.is_open = False
        for event in events:
            stream = getattr(event, "stream_id", None)
            match event:
                case h2.events.RemoteSettingsChanged():
                    self.has_settings = True
                case h2.events.ResponseReceived() if stream in self.waiting:
                    self.waiting[stream][1] = dict(event.headers)
                case h2.events.DataReceived():
                    self.http2.acknowledge_received_data(event.flow_controlled_length, stream)
                    if stream in self.waiting:
                        self.waiting[stream][2] += event.data
                case h2.events.StreamEnded() if stream in self.waiting:
                    post, headers, body = self.waiting.pop(stream)
                    self.answers.append((post, int(headers[":status"]), headers, body))
                case h2.events.StreamReset():
                    self.waiting.pop(stream, None)
                case h2.events.ConnectionTerminated():
                    # Streams that the server has not begun get no answer; the others may.
                    self.is_leaving = True
                    self.waiting = {key: value for key, value in self.waiting.items() if key <= event.last_stream_id}
        self.flush()

    is_leaving = False

    def exchange(self, posts, streams=1_000_000, after=None):
        """Sends all of `posts`, up to `streams` at a time, and returns the answers: (post, status, headers, body).

        Ends early if the connection does. `after` is called with the number of answers whenever it grows.
        """
        rest = list(reversed(posts))
        self.answers = []
        reported = 0
        while self.is_open and (self.waiting or (rest and not self.is_leaving)):
            while rest and not self.is_leaving and len(self.waiting) < streams and self.has_room(rest[-1]):
                self.send(rest.pop())
            self.flush()
            self.receive()
            if after and len(self.answers) > reported:
                reported = len(self.answers)
                after(reported)
        return self.answers
