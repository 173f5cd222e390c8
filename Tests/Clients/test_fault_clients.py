"""Each fault of a bench through clients that we did not write: their own errors, as in the table of docs/test-bench.md.

UPDATE_FAULTS=1 writes the table. A client whose language is not installed is left out of the comparison."""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

import jwt

from Tests.support.project import DESKBELL, PATIENCE_SECONDS, ROOT

sys.path.insert(0, str(ROOT / "kits/python"))
from pytest_deskbell import Bell, Bench  # noqa: E402

PAGE = ROOT / "docs/test-bench.md"
PROGRAMS = ROOT / "Tests/Clients/faults"
# The time after which a client gives up an answer.
SECONDS = 2
FAULTS = [
    {"answer": 503, "retry_after": 2, "pushes": 1},
    {"answer": 500, "body": "", "pushes": 1},
    {"answer": 503, "body": "<html>", "pushes": 1},
    {"silent": True, "pushes": 1},
    {"reset": "refused-stream", "pushes": 1},
    {"reset": "internal-error", "at": "after-commit", "pushes": 1},
    {"goaway": "no-error", "pushes": 1},
    {"goaway": "no-error", "last_stream": "previous", "pushes": 1},
    {"goaway": "no-error", "last_stream": "previous", "close": False, "pushes": 1},
    {"cut": "accept", "pushes": 1},
    {"cut": "request", "pushes": 1},
    {"cut": "answer", "pushes": 1},
    {"cut": "headers", "pushes": 1},
    {"cut": "body", "pushes": 1},
    {"certificate": "expired", "pushes": 1},
    {"certificate": "not-yet-valid", "pushes": 1},
    {"certificate": "other-name", "pushes": 1},
    {"certificate": "other-authority", "pushes": 1},
]
# Parts that differ from run to run or say nothing: ports, streams, times of certificates, lines of OpenSSL's source, the
# address that Go repeats, Java's packages; and the words for a closed socket, which depend on what was still under way.
VARIES = [(r'Post "[^"]*": ', ""), (r"\b(127\.0\.0\.1|localhost):\d+", "HOST"), (r"\b\d{4}-\d\d-\d\dT[\d:]+Z", "TIME"),
          (r"stream ID \d+", "stream ID N"), (r"_id:\d+", "_id:N"), (r"ID=\d+", "ID=N"), (r" \(_ssl\.c:\d+\)", ""),
          (r"(read|write) tcp HOST->HOST: \1: (connection reset by peer|broken pipe)", "unexpected EOF"),
          (r"(ECONNRESET|EPIPE): \w+ \1", "closed without an answer"),
          (r"^(unexpected )?EOF$", "EOF"),
          (r"caused by: read ECONNRESET", "caused by: Client network socket disconnected before secure TLS connection was "
           "established"),
          (r"ConnectError: \[Errno 104\] .*",
           "ConnectError: [SSL: UNEXPECTED_EOF_WHILE_READING] EOF occurred in violation of protocol"),
          (r"(Write|Read)Error: .*|RemoteProtocolError: Server disconnected",
           "ReadError, WriteError or RemoteProtocolError"),
          (r"IOException: (Connection reset|Broken pipe)", "IOException: EOF reached while reading"),
          (r"/HOST: ", ""), (r"([a-z]+\.)+[A-Z]\w+Exception: ", ""), (r": \)$", ")"), (r":$", "")]


def clients(folder):
    """Returns the command of each client that is installed. Builds what has to be built."""
    found = {"aioapns": [sys.executable, PROGRAMS / "with_aioapns.py"],
             "httpx": [sys.executable, PROGRAMS / "with_httpx.py"]}
    if shutil.which("go"):
        subprocess.run(["go", "build", "-o", folder / "with_go", PROGRAMS / "with_go.go"], check=True,
                       timeout=4 * PATIENCE_SECONDS)
        found["Go net/http"] = [folder / "with_go"]
    if shutil.which("node"):
        found["Node http2"] = ["node", PROGRAMS / "with_node.js"]
    if shutil.which("javac"):
        subprocess.run(["javac", "-d", folder, PROGRAMS / "WithJava.java"], check=True, timeout=4 * PATIENCE_SECONDS)
        found["JDK HttpClient"] = ["java", "-cp", folder, "WithJava"]
    return found


def words(fault):
    """Returns the fault as the page has it."""
    shown = {name.replace("_", "-"): value for name, value in fault.items() if name != "pushes"}
    texts = {True: "true", False: "false", "": '""'}
    return ", ".join(f"`{name}: {texts.get(value, value)}`" for name, value in shown.items())


def cell(results, requests):
    """Returns what a client said of the push that a fault struck, and of the next one unless that was answered 200."""
    results = [re.sub(r"\s+", " ", result).strip() for result in results]
    for form, word in VARIES:
        results = [re.sub(form, word, result) for result in results]
    # Errors are code: some have angle brackets.
    first, *later = (result if re.match(r"\d{3}\b", result) or result == "no answer" else f"`{result}`"
                     for result in results)
    text = first + "".join(f"; then {result}" for result in later if result != "200")
    # A client that repeats a push by itself sends more than was asked for.
    text += " (sent again by itself)" if requests > 2 else ""
    return text.replace("|", "\\|")


class FaultClientTests(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        cls.folder = Path(cls.enterClassContext(tempfile.TemporaryDirectory(prefix="deskbell-faults-")))
        cls.clients = clients(cls.folder)
        cls.bench = Bench.start({**os.environ, "DESKBELL": DESKBELL, "DESKBELL_CONTROL": ""})
        cls.addClassCleanup(cls.bench.stop)

    def said(self, client, fault):
        """Returns what a client says of two pushes, of which a fault strikes the first."""
        bell = Bell(self.bench)
        key = Path(bell.key).read_text()
        claims = {"iss": bell.team_id, "iat": int(bell.clock())}
        environment = {
            **os.environ, **bell.environment, "SECONDS": str(SECONDS), "BELL_TOKEN": bell.token("com.example.mail"),
            "BEARER": jwt.encode(claims, key, "ES256", {"kid": bell.key_id})}
        armed = bell.fault(**fault)
        done = subprocess.run(list(map(str, self.clients[client])), env=environment, capture_output=True, text=True,
                              timeout=PATIENCE_SECONDS)
        self.assertEqual(len(done.stdout.splitlines()), 2, done.stdout + done.stderr)
        self.assertGreaterEqual(armed.hits, 1, f"{client}: {fault} never struck")
        return cell(done.stdout.splitlines(), len(bell.requests()))

    def test_the_table_has_what_they_say(self):
        begun = time.monotonic()
        shown = Table(PAGE.read_text())
        found = {words(fault): {client: self.said(client, fault) for client in self.clients} for fault in FAULTS}
        if os.environ.get("UPDATE_FAULTS"):
            names = list(self.clients)
            lines = [f"| Fault | {' | '.join(names)} |", "|---" * (len(names) + 1) + "|"]
            lines += [f"| {fault} | {' | '.join(row[name] for name in names)} |" for fault, row in found.items()]
            PAGE.write_text(PAGE.read_text().replace(shown.text, "\n".join(lines) + "\n"))
            return
        self.assertEqual(list(shown.rows), list(found))
        for fault in FAULTS:
            row = found[words(fault)]
            for client in row:
                # On a busy machine a client may meet a connection that is gone before it hears so: then once more.
                if row[client] != shown.rows[words(fault)][client]:
                    row[client] = self.said(client, fault)
            with self.subTest(fault=words(fault)):
                self.assertEqual({name: shown.rows[words(fault)][name] for name in row}, row)
        self.assertLess(time.monotonic() - begun, 10 * PATIENCE_SECONDS)


class Table:
    """The page's table of faults and clients."""

    def __init__(self, page):
        self.text = re.search(r"(?m)^\| Fault \|.*\n(\|.*\n)+", page)[0]
        head, _, *rows = [re.split(r"(?<!\\)\|", line.strip("| "))
                          for line in self.text.splitlines()]
        names = [name.strip() for name in head[1:]]
        self.rows = {row[0].strip(): dict(zip(names, map(str.strip, row[1:]), strict=True)) for row in rows}
