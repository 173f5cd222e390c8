"""Payloads that are accepted and as expensive as possible."""

LIMIT = 4096


def filled(before, parts, after, limit=LIMIT):
    """Returns as many of `parts` as the limit allows, separated by commas, between `before` and `after`."""
    chosen, size = [], len(before) + len(after)
    for part in parts:
        if size + len(part) + 1 > limit:
            break
        chosen.append(part)
        size += len(part) + 1
    return (before + ",".join(chosen) + after).encode()


def nested(levels, values=0):
    """Returns a payload with that many levels, including the one with `aps`; and many numbers in the deepest."""
    return filled('{"aps":{"alert":"x"},"a":' + "[" * (levels - 1), ["1"] * values, "]" * (levels - 1) + "}")


PLAIN = (
    b'{"aps":{"alert":{"title":"Two letters","body":"They lie in the mailbox."},"badge":2,"sound":"letter"},'
    b'"mailbox":"inbox"}')


def long_text(letters):
    return b'{"aps":{"alert":"' + letters * ((LIMIT - 20) // len(letters)) + b'"}}'


# The payloads by name. Each is accepted.
NASTY = {
    "a text of 4 KB": long_text(b"x"),
    "nested 32 deep": nested(32),
    "nested 32 deep, 4 KB of it at the bottom": nested(32, LIMIT),
    "450 unknown keys in aps": filled('{"aps":{', (f'"k{n:03}":1' for n in range(450)), "}}"),
    "800 unknown keys of three letters": filled('{"aps":{', ('"k":1' for _ in range(LIMIT)), "}}"),
    "unknown keys as long as known ones": filled('{"aps":{', (f'"a{n:04}":1' for n in range(LIMIT)), "}}"),
    "400 times the badge": filled('{"aps":{', ('"badge":1' for _ in range(LIMIT)), "}}"),
    "unknown keys in the alert": filled('{"aps":{"alert":{', (f'"k{n:03}":1' for n in range(LIMIT)), "}}}"),
    "2,000 small numbers": filled('{"aps":{"alert":"x"},"a":[', ("1" for _ in range(LIMIT)), "]}"),
    "numbers of many digits": filled('{"aps":{"alert":"x"},"a":[', ("0." + "123456789" * 20 + "e-300" for _ in range(99)), "]}"),
    "integers of many digits": filled('{"aps":{"alert":"x"},"a":[', ("9" * 500 for _ in range(99)), "]}"),
    "1,300 empty objects": filled('{"aps":{"alert":"x"},"a":[', ("{}" for _ in range(LIMIT)), "]}"),
    "1,300 empty strings": filled('{"aps":{"alert":"x"},"a":[', ('""' for _ in range(LIMIT)), "]}"),
    "2,000 escapes": long_text(b"\\n"),
    "670 escaped letters": long_text(b"\\u00e4"),
    "one letter of 2,000 marks": long_text("\u0301".encode()),
    "faults with long words": filled('{"aps":{', (f'"{n:02}' + "\u0301" * 110 + '":1' for n in range(17)), "}}"),
    "1,000 arguments": filled('{"aps":{"alert":{"loc-key":"K","loc-args":[', ("1" for _ in range(LIMIT)), "]}}}"),
    "4 KB of white space": b'{"aps":{"alert":"x"}' + b" " * (LIMIT - 21) + b"}",
}


# Bodies with an access key, up to the largest.
LARGE = 256 * 1024


def large(unit, room=LARGE - 100):
    return unit * (room // len(unit.encode()))


KEYED_TEXTS = {
    "flags": large("\U0001F1E9\U0001F1EA"), "accents": large("e\u0301"), "one letter of marks": large("\u0301"),
    "joined emoji": large("\U0001F468\u200D"), "jamo": large("\u1100"), "conjuncts": large("\u0915\u094D"),
    "white space": large("\u3000"),
}
# The boundary and the form: the beginning of a boundary before it, or parts without fields after the message.
BOUNDARY = "-" * 4_000 + "b"
MESSAGE = 'Content-Disposition: form-data; name="message"\r\n\r\nx'
MULTIPART = {
    "a boundary of dashes": (
        BOUNDARY, (large("-", LARGE - 9_000) + f"\r\n--{BOUNDARY}\r\n{MESSAGE}\r\n--{BOUNDARY}--").encode()),
    "a form of many parts": (
        "b", (f"--b\r\n{MESSAGE}\r\n--b" + large("\r\n\r\n\r\n--b", LARGE - 200) + "--").encode()),
}
TREES = {
    "a list of numbers": b"[" + b"1," * (LARGE // 2 - 100) + b"1]",
    "an object of many names": b"{" + b",".join(b'"%x":1' % number for number in range(27_000)) + b"}",
}
