"""The requests that an HTTP/2 server must accept or refuse, each by its section.

The list is that of the conformance tool h2spec, by its numbers: `generic` must be served, `http2` breaks the rules of
RFC 7540's sections, `hpack` those of RFC 7541. The requests and their judgement are our own, after these and the
tool's published list. Like the tool, a case accepts a closed connection instead of an error; unlike it, the run also
reports if the right error code came first.
"""

from hpack.huffman import HuffmanEncoder
from hpack.huffman_constants import REQUEST_CODES, REQUEST_CODES_LENGTH

from Tests.support.http2_wire import (
    ACK, CONTINUATION, DATA, ENABLE_PUSH, END_HEADERS, END_STREAM, GOAWAY, HEADERS, HEADER_TABLE_SIZE,
    INITIAL_WINDOW_SIZE, MAX_CONCURRENT_STREAMS, MAX_FRAME_SIZE, MAX_HEADER_LIST_SIZE, PADDED, PING, PREFACE,
    PRIORITISED, PRIORITY, RST_STREAM, SETTINGS, WINDOW_UPDATE, frame, settings)

HUFFMAN = HuffmanEncoder(REQUEST_CODES, REQUEST_CODES_LENGTH)
CASES = {}
# A request that is answered with a body, and needs no credential.
PATH = "/3/"
OCTETS = bytes(8)


def case(number, sent, *, strict=False):
    """Registers a case. It takes a connection, greeted unless the case is about the preface, and returns a verdict."""
    def register(run):
        CASES[number] = (sent, run, strict)
        return run
    return register


def sends(number, sent, make, judge, *words):
    """Registers a case that sends what `make` returns for the connection, bytes or a list, and judges. A function in the
    list is called with the connection when all before it was sent."""
    @case(number, sent)
    def _(w):
        made, gathered = make(w), []
        for part in [*(made if isinstance(made, list) else [made]), None]:
            if isinstance(part, bytes):
                gathered.append(part)
                continue
            w.send(*gathered)
            gathered = []
            if part:
                part(w)
        return judge(w, *words)


class Verdict:
    """The result of one case."""

    def __init__(self, passed, expected, seen, exact=None):
        self.passed, self.expected, self.seen = passed, expected, seen
        self.exact = passed if exact is None else exact


def describe(received):
    names = {DATA: "DATA", HEADERS: "HEADERS", RST_STREAM: "RST_STREAM", SETTINGS: "SETTINGS", PING: "PING",
             GOAWAY: "GOAWAY", WINDOW_UPDATE: "WINDOW_UPDATE"}
    name = names.get(received.kind, f"frame {received.kind}")
    if received.kind in (RST_STREAM, GOAWAY):
        name += " " + received.code
    return name


def wait(wire, expected, wanted, closing_passes=False):
    """Reads until `wanted` is true for a frame. With `closing_passes` a closed connection passes too, inexactly."""
    seen = []
    while True:
        try:
            received = wire.read()
        except TimeoutError:
            return Verdict(False, expected, ", ".join(seen + ["silence"]))
        if received is None:
            return Verdict(closing_passes, expected, ", ".join(seen + ["closed"]), exact=False)
        if wanted(received):
            return Verdict(True, expected, describe(received))
        if received.kind in (GOAWAY, RST_STREAM, HEADERS, DATA):
            seen.append(describe(received))


def connection_error(wire, *codes):
    return wait(wire, "GOAWAY " + " or ".join(codes), lambda f: f.kind == GOAWAY and f.code in codes, True)


def stream_error(wire, *codes):
    return wait(wire, "RST_STREAM or GOAWAY " + " or ".join(codes),
                lambda f: f.kind in (GOAWAY, RST_STREAM) and f.code in codes, True)


def closed(wire):
    verdict = wait(wire, "closed", lambda f: False, True)
    verdict.exact = verdict.passed
    return verdict


def answered(wire, stream=1):
    return wait(wire, "HEADERS", lambda f: f.kind == HEADERS and f.stream == stream)


def pong(wire, data=OCTETS):
    return wait(wire, "PING with ACK", lambda f: f.kind == PING and f.has(ACK) and f.payload == data)


def first(wire, expected, kind, is_right):
    """Checks that the first frame of that kind is right, not one after it."""
    found = []
    verdict = wait(wire, expected, lambda f: f.kind == kind and (found.append(f) or True))
    verdict.passed = verdict.exact = verdict.passed and is_right(found[0])
    return verdict


def data_of_one(wire):
    """Expects the one byte that the window allows."""
    return first(wire, "DATA of 1 byte", DATA, lambda f: len(f.payload) == 1)


def ended(wire, stream=1):
    """Reads to the end of an answer."""
    verdict = wait(wire, "END_STREAM", lambda f: f.stream == stream and f.kind in (HEADERS, DATA) and f.has(END_STREAM))
    assert verdict.passed, verdict.seen


def acknowledged(wire):
    return wait(wire, "SETTINGS with ACK", lambda f: f.kind == SETTINGS and f.has(ACK))


def fields(method="GET", *more, path=PATH):
    return [(":method", method), (":scheme", "https"), (":path", path), (":authority", "localhost"), *more]


def dummies(count):
    """Returns header fields so large that five of them do not fit a frame."""
    return [(f"x-dummy{number}", "x" * 4_000) for number in range(count)]


def headers(wire, stream=1, list_of_fields=None, *, end=True, whole=True, block=None):
    encoded = wire.block(list_of_fields or fields()) if block is None else block
    return frame(HEADERS, (END_STREAM if end else 0) | (END_HEADERS if whole else 0), stream, encoded)


def post(wire, *more):
    return headers(wire, 1, fields("POST", *more), end=False)


def data(payload=b"test", stream=1, end=True):
    return frame(DATA, END_STREAM if end else 0, stream, payload)


def continuation(wire, stream=1, whole=True, block=None):
    encoded = wire.block(dummies(1)) if block is None else block
    return frame(CONTINUATION, END_HEADERS if whole else 0, stream, encoded)


def priority(stream, depends_on=0, weight=255, exclusive=False):
    word = depends_on | (0x8000_0000 if exclusive else 0)
    return frame(PRIORITY, 0, stream, word.to_bytes(4, "big") + bytes([weight]))


def reset(stream=1, code=8):
    return frame(RST_STREAM, 0, stream, code.to_bytes(4, "big"))


def window_update(increment, stream=0):
    return frame(WINDOW_UPDATE, 0, stream, increment.to_bytes(4, "big"))


def ping(payload=OCTETS, flags=0, stream=0):
    return frame(PING, flags, stream, payload)


# ---- generic: requests that must be served

@case("generic/1/1", "the preface")
def _(w):
    w.send(PREFACE, settings((INITIAL_WINDOW_SIZE, 65_535)))
    received = w.read()
    passed = received is not None and received.kind == SETTINGS and not received.has(ACK)
    return Verdict(passed, "SETTINGS first", describe(received) if received else "closed")


def first_data(w):
    return wait(w, "DATA", lambda f: f.kind == DATA)


def data_came(w):
    assert first_data(w).passed


def in_pieces(w, *places):
    """Returns a header block, cut at these places, in HEADERS and CONTINUATION."""
    block, ends = w.block(fields()), [*places, None]
    return [headers(w, whole=False, block=block[:places[0]]), *(
        continuation(w, whole=end is None, block=block[place:end]) for place, end in zip(places, ends[1:]))]


NO_WINDOW = settings((INITIAL_WINDOW_SIZE, 0))
EVERY_PARAMETER = settings(
    (HEADER_TABLE_SIZE, 4_096), (ENABLE_PUSH, 1), (MAX_CONCURRENT_STREAMS, 100), (INITIAL_WINDOW_SIZE, 65_535),
    (MAX_FRAME_SIZE, 16_384), (MAX_HEADER_LIST_SIZE, 100))

sends("generic/2/1", "PRIORITY on an idle stream", lambda w: [priority(1), ping()], pong)
sends("generic/2/2", "WINDOW_UPDATE on a half-closed stream",
      lambda w: [NO_WINDOW, headers(w), window_update(1, 1)], first_data)
sends("generic/2/3", "PRIORITY on a half-closed stream",
      lambda w: [NO_WINDOW, headers(w), priority(1), window_update(1, 1)], first_data)
sends("generic/2/4", "RST_STREAM on a half-closed stream", lambda w: [headers(w), reset(), ping()], pong)
sends("generic/2/5", "PRIORITY on a closed stream", lambda w: [headers(w), ended, priority(1), ping()], pong)
sends("generic/3.1/1", "DATA", lambda w: [post(w), data()], answered)
sends("generic/3.1/2", "several DATA frames", lambda w: [post(w), data(end=False), data()], answered)
sends("generic/3.1/3", "DATA with padding",
      lambda w: [post(w), frame(DATA, END_STREAM | PADDED, 1, b"\x06test" + bytes(6))], answered)
sends("generic/3.2/1", "HEADERS", headers, answered)
sends("generic/3.2/2", "HEADERS with padding",
      lambda w: frame(HEADERS, END_STREAM | END_HEADERS | PADDED, 1, b"\x08" + w.block(fields()) + bytes(8)), answered)
sends("generic/3.2/3", "HEADERS with a priority",
      lambda w: frame(HEADERS, END_STREAM | END_HEADERS | PRIORITISED, 1, bytes(4) + b"\xff" + w.block(fields())),
      answered)
sends("generic/3.3/1", "PRIORITY of weight 1", lambda w: [priority(1, weight=0), headers(w)], answered)
sends("generic/3.3/2", "PRIORITY of weight 256", lambda w: [priority(1), headers(w)], answered)
sends("generic/3.3/3", "PRIORITY with a dependency",
      lambda w: [priority(3, depends_on=1, weight=0), headers(w)], answered)
sends("generic/3.3/4", "PRIORITY, exclusive", lambda w: [priority(1, weight=0, exclusive=True), headers(w)], answered)
sends("generic/3.3/5", "PRIORITY of an idle stream, then HEADERS of a lower one",
      lambda w: [priority(3), headers(w)], answered)
sends("generic/3.4/1", "RST_STREAM", lambda w: [headers(w, end=False), reset(), ping()], pong)
sends("generic/3.5/1", "SETTINGS with every parameter", lambda w: EVERY_PARAMETER, acknowledged)
sends("generic/3.7/1", "PING", lambda w: ping(b"conforms"), pong, b"conforms")
sends("generic/3.8/1", "GOAWAY", lambda w: frame(GOAWAY, payload=bytes(8) + b"bye"), closed)
sends("generic/3.9/1", "WINDOW_UPDATE of the connection", lambda w: [window_update(1), ping()], pong)
sends("generic/3.9/2", "WINDOW_UPDATE of a stream", lambda w: [headers(w), window_update(1, 1)], answered)
sends("generic/3.10/1", "a header block in two frames", lambda w: in_pieces(w, 5), answered)
sends("generic/3.10/2", "a header block in three frames", lambda w: in_pieces(w, 5, 10), answered)
sends("generic/4/1", "GET", headers, answered)
sends("generic/4/2", "HEAD", lambda w: headers(w, 1, fields("HEAD")), answered)
sends("generic/4/3", "POST", lambda w: [post(w), data()], answered)
sends("generic/4/4", "POST with trailers",
      lambda w: [post(w, ("trailer", "x-test")), data(end=False), headers(w, 1, [("x-test", "ok")])], answered)


def represented(number, sent, representation, before=b""):
    # The fields are literal, so that the representation can only refer to the static table.
    sends(number, sent, lambda w: headers(w, block=before + w.block(fields()) + representation), answered)


def string(text, huffman):
    """Returns a string literal [RFC 7541, 5.2]."""
    coded = HUFFMAN.encode(text) if huffman else text
    return bytes([(0x80 if huffman else 0) | len(coded)]) + coded


def literal(prefix, value, huffman):
    """Returns a literal field with a new name; the prefix decides its indexing [RFC 7541, 6.2]."""
    return bytes([prefix]) + string(b"x-test", huffman) + string(value, huffman)


def indexed_name(prefix, bits, value, huffman):
    """Returns a literal field whose name is `user-agent` of the static table, number 58."""
    limit = (1 << bits) - 1
    number = bytes([prefix | 58]) if limit > 58 else bytes([prefix | limit, 58 - limit])
    return number + string(value, huffman)


represented("generic/5/1", "an indexed field", b"\xba")
for offset, (sent, prefix, bits) in enumerate(
        [("incremental indexing", 0x40, 6), ("without indexing", 0x00, 4), ("never indexed", 0x10, 4)]):
    number = 2 + 4 * offset
    represented(f"generic/5/{number}", f"a literal, {sent}, indexed name",
                indexed_name(prefix, bits, b"deskbell", False))
    represented(f"generic/5/{number + 1}", f"a literal, {sent}, indexed name, Huffman",
                indexed_name(prefix, bits, b"deskbell", True))
    represented(f"generic/5/{number + 2}", f"a literal, {sent}, new name", literal(prefix, b"deskbell", False))
    represented(f"generic/5/{number + 3}", f"a literal, {sent}, new name, Huffman",
                literal(prefix, b"deskbell", True))
represented("generic/5/14", "a table size update", b"", before=b"\x20")
represented("generic/5/15", "two table size updates", b"", before=b"\x20\x3f\xe1\x1f")


# ---- hpack: header blocks that cannot be decoded

def undecodable(number, sent, representation, before=b""):
    sends(number, sent, lambda w: headers(w, block=before + w.block(fields()) + representation),
          connection_error, "COMPRESSION_ERROR")


undecodable("hpack/2.3.3/1", "an indexed field with an index out of range", b"\xff\x7f")
undecodable("hpack/2.3.3/2", "a literal whose name's index is out of range", b"\x7f\x80\x01\x04test")
undecodable("hpack/4.2/1", "a table size update after the fields", b"\x20")
undecodable("hpack/5.2/1", "a Huffman string padded by more than 7 bits",
            b"\x00\x85\xf2\xb2\x4a\x84\xff\x85\x49\x50\x9f\xff\xff")
undecodable("hpack/5.2/2", "a Huffman string padded with zeros", b"\x00\x85\xf2\xb2\x4a\x84\xff\x83\x49\x50\x90")
undecodable("hpack/5.2/3", "a Huffman string with EOS", b"\x00\x85\xf2\xb2\x4a\x84\xff\x87\x49\x51\xff\xff\xff\xfa\x7f")
undecodable("hpack/6.1/1", "an indexed field of index 0", b"\x80")
undecodable("hpack/6.3/1", "a table size update above the limit", b"", before=b"\x3f\xe1\xff\x03")
