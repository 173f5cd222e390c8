"""The mailer as a program, which is driven by HTTP on localhost."""

import argparse
import json
import os
import signal
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from mailer import MISTAKES
from mailer.features import FullMailer

EPILOG = """\
POST /mail      {"text": "Hello", "to": TOKEN, "thread": "t1", "count": 1, "wait": false}
POST /read      {"to": TOKEN}         all mails are read: badge 0
POST /sync      {"to": TOKEN}         a background update
POST /devices   {"token": TOKEN}      a device registers, or registers again
GET  /devices                         {"devices": [TOKEN, …]}
POST /inbox     {"from": "Anna", "to": TOKEN}                   a mail, announced by all that are unread
POST /sealed    {"from": "Anna", "text": "Hello", "to": TOKEN}  one for the app's service extension
POST /call      {"from": "Anna", "to": TOKEN}                   a call that rings for 30 s
POST /answered  {"to": TOKEN}                                   it was answered
POST /activity/start   {"name": "final", "to": START TOKEN, "state": {…}, "channel": "final"}
POST /activity/token   {"name": "final", "token": TOKEN}  the app has the activity's token
POST /activity/update  {"name": "final", "state": {…}, "alert": "Goal"}
POST /activity/end     {"name": "final", "state": {…}}
POST /channel          {"name": "final", "policy": 1}     a channel for broadcasts is made
POST /channel/publish  {"name": "final", "state": {…}}

Without "to", a mail is for all devices. With "wait", the answer has the outcomes, after at most 10 s.

Environment: APNS, APNS_CA, APNS_KEY, APNS_KEY_ID, APNS_TEAM_ID, APNS_TOPIC and CLOCK, or else BELL_URL, BELL_CA,
BELL_KEY, BELL_KEY_ID, BELL_TEAM_ID and BELL_CLOCK.

mistakes:
"""


def setting(name: str, other: str, default: str | None = None) -> str:
    value = os.environ.get(name) or os.environ.get(other) or default
    if value is None:
        sys.exit(f"mailer: set {name}, or {other} as deskbell bench prints it")
    return value


def handler(mailer: FullMailer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            if self.path != "/devices":
                return self.answer(404, {"error": f"no {self.path}; see python -m mailer --help"})
            self.answer(200, {"devices": list(mailer.devices)})

        def do_POST(self) -> None:
            text = self.rfile.read(int(self.headers.get("content-length", "0")))
            try:
                self.answer(200, self.act(json.loads(text or b"{}")))
            except (ValueError, KeyError, AttributeError) as error:
                self.answer(400, {"error": f"the body is not as python -m mailer --help has it: {error!r}"})
            except LookupError:
                self.answer(404, {"error": f"no {self.path}; see python -m mailer --help"})
            except TimeoutError as error:
                self.answer(504, {"error": str(error)})

        def act(self, body: dict[str, Any]) -> dict[str, Any]:
            to, wait = body.get("to"), bool(body.get("wait", False))
            match self.path:
                case "/mail":
                    count = int(body.get("count", 1))
                    texts = [f"{body['text']} {n}" if count > 1 else str(body["text"]) for n in range(1, count + 1)]
                    letters = (mailer.mail(texts[0], to, thread=body.get("thread"), wait=wait) if count == 1
                               else mailer.mails(texts, to, wait=wait))
                case "/read":
                    letters = mailer.read(to, wait=wait)
                case "/sync":
                    mailer.sync(to)
                    letters = []
                case "/devices":
                    mailer.register(str(body["token"]))
                    letters = []
                case _:
                    letters = mailer.act(self.path, body)
            return {"pushes": [{"id": letter.id, "outcome": letter.outcome, "why": letter.why} for letter in letters]}

        def answer(self, status: int, body: dict[str, Any]) -> None:
            text = json.dumps(body).encode()
            self.send_response(status)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(text)))
            self.end_headers()
            self.wfile.write(text)

        def log_message(self, *_: object) -> None:
            pass

    return Handler


def main(kind: type[FullMailer] = FullMailer) -> None:
    parser = argparse.ArgumentParser(
        prog="mailer", description="A mail service's push provider, for tests.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog=EPILOG + "\n".join(f"  {name:24}{what}" for name, what in MISTAKES.items()))
    parser.add_argument("--port", type=int, default=0, help="port on localhost; 0, the default, takes a free one")
    parser.add_argument("--mistake", choices=MISTAKES, metavar="NAME", help="make this mistake (below)")
    parser.add_argument("--clock-ahead", type=float, default=0, metavar="SECONDS", help="run with a wrong clock")
    options = parser.parse_args()
    with kind(
        setting("APNS", "BELL_URL"), ca=setting("APNS_CA", "BELL_CA"), key=setting("APNS_KEY", "BELL_KEY"),
        key_id=setting("APNS_KEY_ID", "BELL_KEY_ID"), team_id=setting("APNS_TEAM_ID", "BELL_TEAM_ID"),
        topic=os.environ.get("APNS_TOPIC", "mail"), clock=os.environ.get("CLOCK") or os.environ.get("BELL_CLOCK"),
        clock_ahead=options.clock_ahead, mistake=options.mistake,
    ) as mailer:
        server = ThreadingHTTPServer(("127.0.0.1", options.port), handler(mailer))
        signal.signal(signal.SIGTERM, signal.default_int_handler)
        try:
            print(f"listening on {server.server_address[1]}", flush=True)
            server.serve_forever()
        except KeyboardInterrupt:
            pass


if __name__ == "__main__":
    main()
