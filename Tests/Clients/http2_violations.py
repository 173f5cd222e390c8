"""The cases of section `http2`: each breaks a rule of RFC 7540, and names the required error."""

from Tests.Clients.http2_cases import (
    NO_WINDOW, OCTETS, acknowledged, answered, case, closed, connection_error, continuation, data, data_came,
    data_of_one, dummies, ended, fields, first, headers, ping, pong, post, priority, reset, sends, stream_error, wait,
    window_update)
from Tests.support.http2_wire import (
    ACK, DATA, ENABLE_PUSH, END_HEADERS, END_STREAM, GOAWAY, HEADERS, INITIAL_WINDOW_SIZE, MAX_CONCURRENT_STREAMS,
    MAX_FRAME_SIZE, PADDED, PING, PREFACE, PRIORITISED, PRIORITY, PUSH_PROMISE, RST_STREAM, SETTINGS, WINDOW_UPDATE,
    frame, settings)

sends("http2/3.5/1", "the preface", lambda w: PREFACE + settings((INITIAL_WINDOW_SIZE, 65_535)),
      lambda w: wait(w, "SETTINGS", lambda f: f.kind == SETTINGS and not f.has(ACK)))
sends("http2/3.5/2", "something else than the preface", lambda w: b"INVALID CONNECTION PREFACE\r\n\r\n", closed)
sends("http2/4.1/1", "a frame of unknown type", lambda w: [frame(22, 0, 0, OCTETS), ping()], pong)
sends("http2/4.1/2", "a frame with an undefined flag", lambda w: [ping(flags=0x16)], pong)
sends("http2/4.1/3", "a frame with the reserved bit", lambda w: [ping(stream=0x8000_0000)], pong)
sends("http2/4.2/1", "DATA of 2^14 bytes", lambda w: [post(w), data(bytes(16_384))], answered)
sends("http2/4.2/2", "DATA larger than SETTINGS_MAX_FRAME_SIZE", lambda w: [post(w), data(bytes(16_385))],
      stream_error, "FRAME_SIZE_ERROR")
sends("http2/4.2/3", "HEADERS larger than SETTINGS_MAX_FRAME_SIZE",
      lambda w: headers(w, 1, fields() + dummies(5)), connection_error, "FRAME_SIZE_ERROR")
sends("http2/4.3/1", "a header block that ends too soon", lambda w: frame(HEADERS, 5, 1, b"\x40"),
      connection_error, "COMPRESSION_ERROR")
sends("http2/4.3/2", "PRIORITY within a header block",
      lambda w: [headers(w, end=False, whole=False), priority(1), continuation(w)], connection_error, "PROTOCOL_ERROR")
sends("http2/4.3/3", "HEADERS of another stream within a header block",
      lambda w: [headers(w, end=False, whole=False), headers(w, 3), continuation(w)],
      connection_error, "PROTOCOL_ERROR")

sends("http2/5.1/1", "DATA on an idle stream", lambda w: data(), connection_error, "PROTOCOL_ERROR")
sends("http2/5.1/2", "RST_STREAM on an idle stream", lambda w: reset(), connection_error, "PROTOCOL_ERROR")
sends("http2/5.1/3", "WINDOW_UPDATE on an idle stream", lambda w: window_update(100, 1),
      connection_error, "PROTOCOL_ERROR")
sends("http2/5.1/4", "CONTINUATION on an idle stream", lambda w: continuation(w, block=w.block(fields())),
      connection_error, "PROTOCOL_ERROR")
sends("http2/5.1/5", "DATA on a half-closed stream", lambda w: [headers(w), data()], stream_error, "STREAM_CLOSED")
sends("http2/5.1/6", "HEADERS on a half-closed stream", lambda w: [headers(w), headers(w)],
      stream_error, "STREAM_CLOSED")
sends("http2/5.1/7", "CONTINUATION on a half-closed stream",
      lambda w: [headers(w), continuation(w, block=w.block(fields()))],
      stream_error, "STREAM_CLOSED", "PROTOCOL_ERROR")
sends("http2/5.1/8", "DATA after RST_STREAM", lambda w: [headers(w, end=False), reset(), data()],
      stream_error, "STREAM_CLOSED")
sends("http2/5.1/9", "HEADERS after RST_STREAM", lambda w: [headers(w, end=False), reset(), headers(w)],
      stream_error, "STREAM_CLOSED")
sends("http2/5.1/10", "CONTINUATION after RST_STREAM",
      lambda w: [headers(w, end=False), reset(), continuation(w)], stream_error, "STREAM_CLOSED", "PROTOCOL_ERROR")
sends("http2/5.1/11", "DATA on a closed stream", lambda w: [headers(w), ended, data()],
      connection_error, "STREAM_CLOSED")
sends("http2/5.1/12", "HEADERS on a closed stream", lambda w: [headers(w), ended, headers(w)],
      connection_error, "STREAM_CLOSED")
sends("http2/5.1/13", "CONTINUATION on a closed stream", lambda w: [headers(w), ended, continuation(w)],
      connection_error, "STREAM_CLOSED", "PROTOCOL_ERROR")

sends("http2/5.1.1/1", "a stream with an even number", lambda w: headers(w, 2), connection_error, "PROTOCOL_ERROR")
sends("http2/5.1.1/2", "a stream with a lower number than the last", lambda w: [headers(w, 5), headers(w, 3)],
      connection_error, "PROTOCOL_ERROR")

sends("http2/5.1.2/1", "one stream more than SETTINGS_MAX_CONCURRENT_STREAMS",
      lambda w: [NO_WINDOW, *(headers(w, 1 + 2 * number) for number in range(w.settings[MAX_CONCURRENT_STREAMS] + 1))],
      stream_error, "PROTOCOL_ERROR", "REFUSED_STREAM")
sends("http2/5.3.1/1", "HEADERS that depend on their own stream",
      lambda w: frame(HEADERS, END_STREAM | END_HEADERS | PRIORITISED, 1, b"\0\0\0\x01\xff" + w.block(fields())),
      stream_error, "PROTOCOL_ERROR")
sends("http2/5.3.1/2", "PRIORITY that depends on its own stream", lambda w: priority(1, depends_on=1),
      stream_error, "PROTOCOL_ERROR")
sends("http2/5.4.1/1", "an invalid PING, and waits for the end", lambda w: ping(stream=3), closed)


@case("http2/5.4.1/2", "an invalid PING, and waits for GOAWAY", strict=True)
def _(w):
    w.send(ping(stream=3))
    return wait(w, "GOAWAY", lambda f: f.kind == GOAWAY)

sends("http2/5.5/1", "an unknown extension frame", lambda w: [frame(22, 0, 0, OCTETS), ping()], pong)
sends("http2/5.5/2", "an unknown extension frame within a header block",
      lambda w: [headers(w, whole=False), frame(22, 0, 0, OCTETS)], connection_error, "PROTOCOL_ERROR")

sends("http2/6.1/1", "DATA on stream 0", lambda w: data(stream=0), connection_error, "PROTOCOL_ERROR")
sends("http2/6.1/2", "DATA on a stream that is not open", lambda w: [headers(w, 1, fields("POST")), data()],
      stream_error, "STREAM_CLOSED")
sends("http2/6.1/3", "DATA with more padding than payload",
      lambda w: [post(w, ("content-length", "4")), frame(DATA, END_STREAM | PADDED, 1, b"\x06Test")],
      connection_error, "PROTOCOL_ERROR")
sends("http2/6.2/1", "HEADERS without END_HEADERS, then PRIORITY",
      lambda w: [headers(w, end=False, whole=False), priority(1), continuation(w)], connection_error, "PROTOCOL_ERROR")
sends("http2/6.2/2", "HEADERS without END_HEADERS, then HEADERS of another stream",
      lambda w: [headers(w, end=False, whole=False), headers(w, 3), continuation(w)],
      connection_error, "PROTOCOL_ERROR")
sends("http2/6.2/3", "HEADERS on stream 0", lambda w: headers(w, 0), connection_error, "PROTOCOL_ERROR")

sends("http2/6.2/4", "HEADERS with more padding than payload",
      lambda w: frame(HEADERS, END_STREAM | END_HEADERS | PADDED, 1, bytes([len(block := w.block(fields())) + 2]) + block),
      stream_error, "PROTOCOL_ERROR")
sends("http2/6.3/1", "PRIORITY on stream 0", lambda w: priority(0), connection_error, "PROTOCOL_ERROR")
sends("http2/6.3/2", "PRIORITY of 4 bytes", lambda w: [headers(w), frame(PRIORITY, 0, 1, b"\x80\0\0\x01")],
      stream_error, "FRAME_SIZE_ERROR")
sends("http2/6.4/1", "RST_STREAM on stream 0", lambda w: reset(0), connection_error, "PROTOCOL_ERROR")
sends("http2/6.4/2", "RST_STREAM on an idle stream", lambda w: reset(1), connection_error, "PROTOCOL_ERROR")
sends("http2/6.4/3", "RST_STREAM of 3 bytes", lambda w: [headers(w, end=False), frame(RST_STREAM, 0, 1, bytes(3))],
      connection_error, "FRAME_SIZE_ERROR")
sends("http2/6.5/1", "SETTINGS with ACK and a payload", lambda w: frame(SETTINGS, ACK, 0, b"\0"),
      connection_error, "FRAME_SIZE_ERROR")
sends("http2/6.5/2", "SETTINGS on a stream", lambda w: frame(SETTINGS, 0, 1, b"\0\x03\0\0\0\x64"),
      connection_error, "PROTOCOL_ERROR")
sends("http2/6.5/3", "SETTINGS of 3 bytes", lambda w: frame(SETTINGS, 0, 0, b"\0\x03\0"),
      connection_error, "FRAME_SIZE_ERROR")
sends("http2/6.5.2/1", "ENABLE_PUSH of 2", lambda w: settings((ENABLE_PUSH, 2)), connection_error, "PROTOCOL_ERROR")
sends("http2/6.5.2/2", "INITIAL_WINDOW_SIZE of 2^31", lambda w: settings((INITIAL_WINDOW_SIZE, 1 << 31)),
      connection_error, "FLOW_CONTROL_ERROR")
sends("http2/6.5.2/3", "MAX_FRAME_SIZE of 2^14 - 1", lambda w: settings((MAX_FRAME_SIZE, (1 << 14) - 1)),
      connection_error, "PROTOCOL_ERROR")
sends("http2/6.5.2/4", "MAX_FRAME_SIZE of 2^24", lambda w: settings((MAX_FRAME_SIZE, 1 << 24)),
      connection_error, "PROTOCOL_ERROR")
sends("http2/6.5.2/5", "an unknown parameter", lambda w: [settings((0xFF, 1)), ping()], pong)

sends("http2/6.5.3/1", "two values of INITIAL_WINDOW_SIZE in one SETTINGS",
      lambda w: [settings((INITIAL_WINDOW_SIZE, 100), (INITIAL_WINDOW_SIZE, 1)), acknowledged, headers(w)], data_of_one)
sends("http2/6.5.3/2", "SETTINGS", lambda w: settings((ENABLE_PUSH, 0)), acknowledged)
sends("http2/6.7/1", "PING", lambda w: ping(b"conforms"), pong, b"conforms")

sends("http2/6.7/2", "PING with ACK, then PING", lambda w: [ping(b"answered", ACK), ping(b"conforms")], lambda w: first(
    w, "PING with ACK, of the second only", PING, lambda f: f.has(ACK) and f.payload == b"conforms"))
sends("http2/6.7/3", "PING on a stream", lambda w: ping(stream=1), connection_error, "PROTOCOL_ERROR")
sends("http2/6.7/4", "PING of 6 bytes", lambda w: frame(PING, 0, 0, bytes(6)), connection_error, "FRAME_SIZE_ERROR")
sends("http2/6.8/1", "GOAWAY on a stream", lambda w: frame(GOAWAY, 0, 1, bytes(8)), connection_error, "PROTOCOL_ERROR")
sends("http2/6.9/1", "WINDOW_UPDATE of 0", lambda w: window_update(0), connection_error, "PROTOCOL_ERROR")
sends("http2/6.9/2", "WINDOW_UPDATE of 0 on a stream", lambda w: [headers(w, end=False), window_update(0, 1)],
      stream_error, "PROTOCOL_ERROR")
sends("http2/6.9/3", "WINDOW_UPDATE of 3 bytes", lambda w: frame(WINDOW_UPDATE, 0, 0, b"\0\0\x01"),
      connection_error, "FRAME_SIZE_ERROR")

sends("http2/6.9.1/1", "a window of 1 byte",
      lambda w: [settings((INITIAL_WINDOW_SIZE, 1)), acknowledged, headers(w)], data_of_one)
sends("http2/6.9.1/2", "WINDOW_UPDATE beyond 2^31 - 1",
      lambda w: [window_update(0x7FFF_FFFF), window_update(0x7FFF_FFFF)],
      lambda w: wait(w, "GOAWAY FLOW_CONTROL_ERROR", lambda f: f.kind == GOAWAY and f.code == "FLOW_CONTROL_ERROR"))
sends("http2/6.9.1/3", "WINDOW_UPDATE beyond 2^31 - 1 on a stream",
      lambda w: [headers(w, end=False), window_update(0x7FFF_FFFF, 1), window_update(0x7FFF_FFFF, 1)],
      lambda w: wait(w, "RST_STREAM FLOW_CONTROL_ERROR",
                      lambda f: f.kind == RST_STREAM and f.stream == 1 and f.code == "FLOW_CONTROL_ERROR"))

sends("http2/6.9.2/1", "a window of 0 bytes, and of 1 after HEADERS",
      lambda w: [NO_WINDOW, acknowledged, headers(w), settings((INITIAL_WINDOW_SIZE, 1))], data_of_one)
sends("http2/6.9.2/2", "a window made negative", lambda w: [
    settings((INITIAL_WINDOW_SIZE, 3)), acknowledged, headers(w), data_came, settings((INITIAL_WINDOW_SIZE, 2)),
    acknowledged, window_update(2, 1)], data_of_one)
sends("http2/6.9.2/3", "INITIAL_WINDOW_SIZE above 2^31 - 1", lambda w: settings((INITIAL_WINDOW_SIZE, 1 << 31)),
      connection_error, "FLOW_CONTROL_ERROR")

sends("http2/6.10/1", "several CONTINUATION frames",
      lambda w: [headers(w, whole=False), continuation(w, whole=False), continuation(w)], answered)
sends("http2/6.10/2", "CONTINUATION, then DATA before END_HEADERS",
      lambda w: [headers(w, 1, fields("POST"), end=False, whole=False), continuation(w, whole=False), data()],
      connection_error, "PROTOCOL_ERROR")
sends("http2/6.10/3", "CONTINUATION on stream 0", lambda w: [headers(w, whole=False), continuation(w, 0)],
      connection_error, "PROTOCOL_ERROR")
sends("http2/6.10/4", "CONTINUATION after END_HEADERS of HEADERS", lambda w: [headers(w), continuation(w)],
      connection_error, "PROTOCOL_ERROR")
sends("http2/6.10/5", "CONTINUATION after END_HEADERS of CONTINUATION",
      lambda w: [headers(w, whole=False), continuation(w), continuation(w)], connection_error, "PROTOCOL_ERROR")
sends("http2/6.10/6", "CONTINUATION after DATA",
      lambda w: [headers(w, 1, fields("POST"), end=False, whole=False), data(), continuation(w, whole=False)],
      connection_error, "PROTOCOL_ERROR")

sends("http2/7/1", "GOAWAY with an unknown code", lambda w: frame(GOAWAY, payload=bytes(7) + b"\xff"), closed)
sends("http2/7/2", "RST_STREAM with an unknown code", lambda w: [post(w), reset(code=0xFF), ping()], pong)

sends("http2/8.1/1", "a second HEADERS without END_STREAM",
      lambda w: [post(w), headers(w, 1, fields("POST"), end=False)], stream_error, "PROTOCOL_ERROR")


def malformed(number, sent, list_of_fields, *payloads):
    sends(number, sent,
           lambda w: [headers(w, 1, list_of_fields, end=not payloads),
                      *(data(payload, end=at == len(payloads) - 1) for at, payload in enumerate(payloads))],
           stream_error, "PROTOCOL_ERROR")


def without(name):
    return [field for field in fields() if field[0] != name]


malformed("http2/8.1.2/1", "a field name in upper case", fields("GET", ("X-TEST", "ok")))
malformed("http2/8.1.2.1/1", "an unknown pseudo-header field", fields() + [(":test", "ok")])
malformed("http2/8.1.2.1/2", "a pseudo-header field of answers", fields() + [(":status", "200")])

sends("http2/8.1.2.1/3", "a pseudo-header field among the trailers", lambda w: [
    post(w, ("trailer", "x-test")), data(end=False), headers(w, 1, [(":method", "200"), ("x-test", "ok")])],
    stream_error, "PROTOCOL_ERROR")
malformed("http2/8.1.2.1/4", "a pseudo-header field after a regular one",
          [(":method", "GET"), (":scheme", "https"), ("x-test", "ok"), (":authority", "localhost"), (":path", "/3/")])
malformed("http2/8.1.2.2/1", "connection: keep-alive", fields("GET", ("connection", "keep-alive")))
malformed("http2/8.1.2.2/2", "te: trailers, deflate",
          fields("GET", ("trailers", "test"), ("te", "trailers, deflate")))
malformed("http2/8.1.2.3/1", "an empty :path", fields(path=""))
malformed("http2/8.1.2.3/2", "no :method", without(":method"))
malformed("http2/8.1.2.3/3", "no :scheme", without(":scheme"))
malformed("http2/8.1.2.3/4", "no :path", without(":path"))
malformed("http2/8.1.2.3/5", "two :method", fields() + [(":method", "GET")])
malformed("http2/8.1.2.3/6", "two :scheme", fields() + [(":scheme", "https")])
malformed("http2/8.1.2.3/7", "two :path", fields() + [(":path", "/3/")])
malformed("http2/8.1.2.6/1", "content-length above one DATA frame", fields("POST", ("content-length", "1")), b"test")
malformed("http2/8.1.2.6/2", "content-length above several DATA frames", fields("POST", ("content-length", "1")),
          b"test", b"test")
sends("http2/8.2/1", "PUSH_PROMISE", lambda w: frame(PUSH_PROMISE, END_HEADERS, 1, b"\0\0\0\x03" + w.block(fields())),
      connection_error, "PROTOCOL_ERROR")
