"""A million payloads, and a million property lists of the 2008 service, that are wrong, each in its own way, through TLS:
every one refused, and nothing of them kept."""

import argparse
import base64
import collections
import itertools
import json
import random
import re
import statistics
import subprocess
import tempfile
import time
import xml.parsers.expat

from Benchmarks.measure import resident_megabytes
from Benchmarks.servers import unlimited
from Tests.support.appliance import APP, Appliance

STREAMS = 100
PASSWORD = "correct horse battery"
# A connection that closes may hold something for five seconds more; then what is free goes back to the kernel.
REST_SECONDS = 9
SEEDS = [
    json.dumps({"aps": {"alert": {"title": "A letter", "body": "It lies in the mailbox."}, "badge": 7}, "own": [1, {}]}),
    json.dumps({"aps": {"alert": "é😀", "sound": {"critical": 1, "name": "bell", "volume": 0.5}}}, ensure_ascii=False),
    json.dumps({"aps": {"content-available": 1}, "numbers": [0, -1.5e300, 18446744073709551616]}),
    '{"aps":{},"deep":' + "[" * 31 + "]" * 31 + "}",
]


LISTS = [
    '<?xml version="1.0" encoding="UTF-8"?><plist version="1.0"><dict><key>UIAlertBody</key><string>A parcel &amp; a '
    'letter</string><key>UIApplicationBadge</key><integer>3</integer><key>UIAlertSound</key><string>bell</string></dict>'
    '</plist>',
    '<plist><dict><key>Badge</key><integer>1</integer><key>own</key><array><real>-1.5e300</real><data>AAEC</data>'
    '<date>2008-06-11T10:30:00Z</date><dict><key>deep</key>' + '<array>' * 12 + '</array>' * 12 +
    '</dict></array></dict></plist>',
    '<plist><dict><key>AlertBody</key><string><![CDATA[<é😀>]]>&#x1F600;</string></dict></plist>',
]
# Well-formed, and wrong all the same.
WRONG_LISTS = [
    "<dict/>", "<array/>", "<integer>7</integer>", "<dict><key>Badge</key><integer>-{0}</integer></dict>",
    "<dict><key>Badge</key><string>{0}</string></dict>", "<dict><key>Badge</key><integer>{0}{0}</integer></dict>",
    "<dict><key>Badge</key><integer>{0}</integer><key>Badge</key><integer>1</integer></dict>",
    "<dict><key>Badge</key></dict>", "<dict><string>{0}</string></dict>", "<dict><key>AlertBody</key><string/></dict>",
    "<dict><key>Badge</key><integer>1</integer><key>own</key>" + "<array>" * 16 + "</array>" * 16 + "</dict>",
    "<dict><key>Badge</key><integer>1</integer><key>aps</key><string>{0}</string></dict>", "<unknown{0}/>",
    "<dict><key>Badge</key><integer a='{0}'>1</integer></dict>", "<!-- {0} -->", "<dict>{0}</dict>",
]


def is_refused(payload):
    """Returns true for a payload that is no JSON object with an object `aps`. Python also accepts constants that JSON does not."""
    try:
        text = payload.decode()
        value = json.loads(text, parse_constant=lambda _: 1 / 0)
    except (ValueError, ZeroDivisionError, RecursionError):
        return True
    return not isinstance(value, dict) or not isinstance(value.get("aps"), dict)


def is_not_well_formed(text):
    try:
        xml.parsers.expat.ParserCreate("UTF-8").Parse(text, True)
        return False
    except xml.parsers.expat.ExpatError:
        return True


def spoilt(seed, lots, pieces):
    """The seed cut, doubled, with bytes changed, put in and left out."""
    text = bytearray(seed.encode())
    for _ in range(lots.randint(1, 6)):
        place = lots.randrange(len(text) + 1)
        match lots.randrange(5):
            case 0: text[place:] = b""
            case 1: text[place:place] = bytes(lots.randrange(256) for _ in range(lots.randint(1, 8)))
            case 2: del text[place:place + lots.randint(1, 16)]
            case 3: text[place:place + 1] = lots.choice(pieces)
            case 4: text[place:place] = text[:lots.randint(1, 400)]
    return bytes(text)


def payloads(lots):
    while True:
        payload = spoilt(lots.choice(SEEDS), lots, [b'"', b"{", b"[", b"\\u", b"\0", b"\xff", b",", b"1e"])
        if payload and len(payload) <= 4_000 and is_refused(payload):
            yield payload


def lists(lots):
    pieces = [b"<", b"&", b"</", b"<![CDATA[", b"<!DOCTYPE plist [", b"&#0;", b"&x;", b"<?", b"\xff", b"\0", b"]]>"]
    for number in itertools.count():
        if number % 4 == 0:
            yield f"<plist>{lots.choice(WRONG_LISTS).format(lots.randrange(10 ** 10, 10 ** 12))}</plist>".encode()
            continue
        text = spoilt(lots.choice(LISTS), lots, pieces)
        if text and len(text) <= 1_024 and is_not_well_formed(text):
            yield text


def send(url, payload, count, headers, connections):
    with tempfile.NamedTemporaryFile() as body:
        body.write(payload)
        body.flush()
        words = ["h2load", "-n", str(count), "-c", str(connections), "-m", str(STREAMS), "-t", "1", "-d", body.name]
        for header in headers:
            words += ["-H", header]
        output = subprocess.run([*words, url], capture_output=True, text=True, check=True).stdout
    accepted, refused, failed = map(
        int, re.search(r"status codes: (\d+) 2xx, \d+ 3xx, (\d+) 4xx, (\d+) 5xx", output).groups())
    # On a machine that is too busy to shake hands within the server's limit, a connection's share has no answer.
    if accepted or failed or not refused:
        raise SystemExit(f"{refused} of {count} were refused, of payload {payload!r}:\n{output}")
    return refused


def measure(appliance, name, total, each, connections, source, request):
    """`request` makes the address and the header fields, anew every half hour."""
    pid = appliance.process.pid
    print(f"{total} malformed {name}, {total // each} different; {connections} connections × {STREAMS} streams, TLS")
    signed, sent, seconds, busy, samples = None, 0, 0, collections.deque(maxlen=20), []
    while sent < total:
        if signed is None or time.monotonic() - signed > 1_800:
            signed = time.monotonic()
            url, headers = request()
        before, started = sent, time.monotonic()
        sent += send(url, next(source), min(each, total - sent), headers, connections)
        seconds += time.monotonic() - started
        busy.append(resident_megabytes(pid))
        if sent // (total // 10) > before // (total // 10):
            time.sleep(REST_SECONDS)
            samples.append((statistics.median(busy), resident_megabytes(pid)))
            print(f"  {sent:9}: {samples[-1][0]:.2f} MB resident at work, {samples[-1][1]:.2f} at rest; "
                  f"{sent / seconds:.0f}/s", flush=True)
    # A tenth warms up: the journal of events is full by then, and every heap has its pages.
    growth = [last - first for first, last in zip(samples[0], samples[-1])]
    print(f"growth after the first {total // 10}: {growth[0]:.2f} MB at work, {growth[1]:.2f} at rest "
          f"(less than 1 is wanted)", flush=True)
    return max(growth) < 1


def run(total, each, seed, kinds):
    print(f"seed {seed}")
    with tempfile.TemporaryDirectory() as folder, Appliance("--config", unlimited(folder)) as appliance:
        appliance.install_mailroom()
        secret = appliance.folder / "secret.txt"
        secret.write_text(PASSWORD)
        appliance.run("provider", "add", "post", "--apps", APP, "--password-file", secret)
        server = f"https://localhost:{appliance.port}"
        user = base64.b64encode(f"{APP}:{PASSWORD}".encode()).decode()
        device = appliance.report("state")["deviceID"]
        appliance.run("push", APP, "--via", "2008", "--badge", 1, "--password-file", secret)
        # As many passwords of one address are checked at the same time as there are connections of those.
        measures = {
            "payloads": (10, payloads, lambda: (
                f"{server}/3/device/{appliance.token}",
                [f"authorization: bearer {appliance.bearer()}", f"apns-topic: {APP}"])),
            "lists": (4, lists, lambda: (
                f"{server}/{APP}/{device}/Inbox", [":method: PUT", f"authorization: Basic {user}"])),
        }
        passed = [
            measure(appliance, kind, total, each, connections, source(random.Random(seed)), request)
            for kind, (connections, source, request) in measures.items() if kind in kinds]
        if not all(passed):
            raise SystemExit(1)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kinds", nargs="*", default=["payloads", "lists"], help="payloads, lists; both where none is named")
    parser.add_argument("--total", type=int, default=1_000_000, help="of each kind")
    parser.add_argument("--each", type=int, default=1_000, help="how often each payload is sent")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    run(arguments.total, arguments.each, arguments.seed, arguments.kinds)
