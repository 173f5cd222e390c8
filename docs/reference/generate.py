#!/usr/bin/env python3
"""Generates the reference from the program: settings.md from the values that it accepts and refuses, ../openapi.json as it
describes its API, and control-api.md from that. With --check nothing is written, and a file that differs is an error.

  docs/reference/generate.py            write the pages
  docs/reference/generate.py --check    for the tests

$DESKBELL names the program; default: .build/release/deskbell.
"""

import argparse
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
ROOT = FOLDER.parents[1]
DESKBELL = os.environ.get("DESKBELL", str(ROOT / ".build/release/deskbell"))
APP = "com.example.mailroom"

# Descriptions. A key without a line here is an error, so that a new one is described.
FILE_KEYS = {
    "board": "The board: the name of a shipped one, or the path of a board file. Without this key there is none.",
    "board-handset": "The handset on the board: its name. Default: the first of `handsets`.",
    "certificate": "A certificate of your own instead of the daemon's.",
    "certificate.chain": "PEM file: the server's certificate and the intermediate certificates.",
    "certificate.key": "PEM file: its private key.",
    "control": "The control socket. Default: `control.sock` in the state directory.",
    "default-sound": "The default sound where the person chose none: a file of `Sounds/`, without `.wav`. Default: `bell`.",
    "display": "The display on the board: the name of a shipped one, the path of a display file, or `none`. Default: the one "
               "that the board file names ([board-configs](../../board-configs/README.md)).",
    "environment": "Which of Apple's two push services it is: `production` (default) or `development`.",
    "fleet": "The fleet of which this daemon has a desk, or is a gateway ([fleet.md](../fleet.md)).",
    "fleet.ca": "A PEM file of the authority that issued the servers' certificates. Default: the system's.",
    "fleet.desk": "The desk's name. It has all handsets of this daemon.",
    "fleet.desks": "Several desks instead of one: a list of `{ desk: NAME, seed: FILE, handsets: [NAME, …] }`. Without "
                   "`handsets`, a desk has all.",
    "fleet.gateway": "The gateway's name, for `deskbell gateway`.",
    "fleet.seed": "The file with the seed of the desk or the gateway, which `deskbell fleet add` wrote.",
    "fleet.servers": "The servers: a list of `tls://HOST:PORT`, or of `nats://HOST:PORT` on this machine. Default of PORT: "
                     "4222.",
    "handsets": "Names of the handsets, each 1 to 32 of `a` to `z`, `0` to `9` and `-`; or how many handsets there are, 1 "
                "to 1,000, which are then named `1`, `2` and so on. Default: `1`. A handset that is removed from the list "
                "stays stored; a push to one of its tokens is answered `BadDeviceToken`.",
    "hook-templates": "Templates for hooks, by name; [ways-in.md](../ways-in.md#templates-of-your-own) has their keys.",
    "http": "A port without TLS, for what cannot speak it. Anyone on the network can read the messages and access keys "
            "there. Default: none.",
    "http.for": "The ways in that it has: `ntfy`, `gotify`, `hooks`.",
    "http.listen": "Its address, `HOST:PORT`; `*` is every address.",
    "language": "The language of apps' strings. Default: `en`.",
    "mqtt": "The broker through which Home Assistant is reached ([home-assistant.md](../home-assistant.md)).",
    "mqtt.authority": "A PEM file of the certificates that the broker's may be issued by. Default: the system's.",
    "mqtt.broker": "`mqtts://HOST` or, without TLS, `mqtt://HOST`, with `:PORT` where it is not 8883 or 1883.",
    "mqtt.discovery": "Where Home Assistant looks for devices. Default: `homeassistant`.",
    "mqtt.name": "What Home Assistant calls the device. Default: `Deskbell` and the machine's name.",
    "mqtt.password-file": "A file with the user's password, for the daemon's user alone.",
    "mqtt.topic": "The beginning of all topics. Default: `deskbell/` and the machine's name.",
    "mqtt.user": "The name under which the broker knows the daemon.",
    "limits": "Limits of the push port; [http2.md](../http2.md) lists the others.",
    "limits.connections": "Connections at a time, 1 to 100,000. Default: 1000.",
    "limits.connections-per-address": "Connections from one address at a time. Default: 600.",
    "limits.connections-per-provider": "Connections of one provider at a time; at one more its oldest is ended. "
                                       "Default: 500.",
    "limits.idle-minutes": "Minutes after which a connection without requests is closed, 1 to 10,000. Default: 60.",
    "limits.requests-per-second": "Pushes a second from one provider, 0 for no limit. Default: 1000.",
    "listen": "The address for pushes, `HOST:PORT`; `*` is every address. Default: `*:2197`.",
    "panel": "The address of the web panel, `HOST:PORT`, or `off`. Default: `127.0.0.1:2198`; "
             "[panel.md](../panel.md) has the requirements of other addresses.",
    "speaker": "The output of sounds.",
    "speaker.duck": "Music that is lowered while a sound plays.",
    "speaker.duck.card": "The card whose mixer has the element. Default: `default`.",
    "speaker.duck.element": "The mixer element, as `amixer scontrols` names it.",
    "speaker.duck.to": "The remaining amplitude of the music, from 0% to 100%. Default: 20%.",
    "speaker.pcm": "The ALSA PCM. Default: `default`.",
    "speaker.wav": "A folder: each sound is written to a WAV file there instead of being played.",
    "state": "The state directory: database, certificates, converted sounds. Default: `/var/lib/deskbell` for root, "
             "else `~/.local/state/deskbell`.",
    "tls-names": "Additional names and addresses for the server's certificate.",
}

HANDSET_KEYS = {
    "notifications": "Off: nothing is presented (S2).",
    "badge-shows": "What the display shows: the sum of all apps' numbers, or one app's (B5).",
    "vibrate-on-ring": "The motor runs while the switch is at ring (S5).",
    "vibrate-on-silent": "The motor runs while it is at silent (S5).",
    "fetch-mode": "When background updates are delivered: at once (`push`), at intervals (`fetch`), or when the app is launched "
                  "(`manual`) (S3).",
    "fetch-interval": "The interval of the mode `fetch`.",
    "quiet-hours": "Times without sound, every day, in the machine's time zone (S5).",
    "night-hours": "Times at which the display is dimmed (B5).",
    "snooze": "How long a snooze lasts that has no time of its own (N12).",
    "lamp": "What the lamp does while no notification lights it (D1).",
    "default-sound": "The default sound, one of those that come with Deskbell; `default` is the settings file's (A6).",
    "volume": "The volume of all sounds but critical ones; an app's own volume is a share of it.",
    "night-volume": "The volume in night hours; `same` is the same as by day.",
}

APP_KEYS = {
    "allow-notifications": "Off: the app presents nothing (S1).",
    "badge": "Its number counts on the display.",
    "sound": "Its notifications play a sound.",
    "alert": "Its notifications show a message.",
    "style": "A banner that disappears by itself, an alert that stays, or neither (N3, N4).",
    "show-in-notification-center": "Its notifications are listed there.",
    "time-sensitive": "Time-sensitive notifications ignore quiet hours (N9).",
    "critical": "Critical notifications ignore quiet hours and the silent switch (N9).",
    "volume": "The volume of its sounds, in percent of the handset's.",
    "default-sound": "The app's default sound, one of those that come with Deskbell; `default` is the handset's (A6).",
    "lamp": "The lamp's pattern for the app's unseen notifications; `own` is the app's (D1).",
    "repeat": "Which unseen notifications sound again: none (`off`), those whose push asks for it (`asked`), also "
              "time-sensitive and critical ones (`urgent`), or all (N11).",
    "repeat-every": "After how long they sound again, where the push does not say.",
    "repeat-times": "How often they sound again, where the push does not say.",
    "show-previews": "When its messages can be read; otherwise \"Notification\" stands for them.",
    "badge-shows": "The app's number on the display: the badge that was sent, or how many of its notifications are unseen "
                   "(B5). Apps that `deskbell app new` makes count.",
}


class Undescribed(Exception):
    pass


def described(table, key):
    if key not in table:
        raise Undescribed(f"say in {Path(__file__).name} what '{key}' means")
    return table[key]


def run(*words, **options):
    return subprocess.run([DESKBELL, *words], capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=60,
                          **options)


def valid_keys(text, place):
    """The keys that the reader says are valid at a place, where it is given one that is not."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "settings.yaml"
        path.write_text(text)
        said = run("check", str(path)).stdout
    found = re.search(r"unknown key 'zzzzzzzz'.*; valid here: (.*)", said)
    if not found:
        raise SystemExit(f"deskbell check does not say which keys are valid in {place}: {said}")
    return sorted(re.findall(r"'([^']+)'", found[1]))


def file_rows():
    """All keys of a settings file, with those of its sections behind them."""
    rows = []

    def section(prefix, text):
        for key in valid_keys(text, prefix or "a settings file"):
            path = f"{prefix}{key}"
            rows.append((path, described(FILE_KEYS, path)))
            if any(name.startswith(f"{path}.") for name in FILE_KEYS):
                opening = "".join(f"{'  ' * depth}{part}:\n" for depth, part in enumerate(path.split(".")))
                section(f"{path}.", f"{opening}{'  ' * len(path.split('.'))}zzzzzzzz: 1\n")

    section("", "zzzzzzzz: 1\n")
    return rows


class Daemon:
    """A daemon without a board, for its settings and their values."""

    def __enter__(self):
        self.folder = tempfile.TemporaryDirectory(prefix="deskbell-reference-")
        self.environment = {**os.environ, "DESKBELL_CONTROL": f"{self.folder.name}/c.sock"}
        self.process = subprocess.Popen(
            [DESKBELL, "serve", "--state", f"{self.folder.name}/state", "--listen", "127.0.0.1:0", "--wav",
             f"{self.folder.name}/played"], env=self.environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE, text=True)
        for line in self.process.stderr:
            if "ready:" in line:
                break
        self.run("app", "install", str(ROOT / "examples/mailroom"))
        return self

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGTERM)
        self.process.stderr.read()
        self.process.wait(60)
        self.process.stderr.close()
        self.folder.cleanup()

    def run(self, *words):
        return run(*words, env=self.environment)

    def settings(self, table, *app):
        rows = []
        for setting in json.loads(self.run("settings", *app, "--json").stdout):
            key, default = setting["key"], setting["value"]
            refused = self.run("settings", *app, key, "no such value!").stderr
            expected = re.search(r"expected (.*)", refused)
            rows.append((key, expected[1] if expected else "", default, described(table, key)))
        return rows


def table(head, rows):
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(str(cell) for cell in row) + " |" for row in lines)


def settings_page():
    with Daemon() as daemon:
        handset = daemon.settings(HANDSET_KEYS)
        app = daemon.settings(APP_KEYS, APP)

    def rows(settings):
        return [(f"`{key}`", values, f"`{default}`", meaning) for key, values, default, meaning in settings]

    head = ["Key", "Values", "Default", "What"]
    return f"""# Settings

Generated by `docs/reference/generate.py` from the program.

## The settings file

The settings of the installation. `deskbell serve` reads them once, at its start: the file that `--config` names, else
`/etc/deskbell/deskbell.yaml` for root and the service, else `~/.config/deskbell/deskbell.yaml`. Command-line options override
the file. `deskbell check FILE` prints its errors, by line and column, and what else would keep the daemon from starting.
`deskbell setup` writes one.

{table(["Key", "What"], [(f"`{key}`", text) for key, text in file_rows()])}

## Settings of the handset

The person's choices, stored in the state directory. `deskbell settings` lists them, `deskbell settings KEY VALUE` changes
one. Numbers in brackets are those of [the rules](../handset.md).

{table(head, rows(handset))}

## Settings of an app

`deskbell settings {APP} style alert`

{table(head, rows(app))}
"""


def name_of(schema):
    return schema["$ref"].rsplit("/", 1)[1] if "$ref" in schema else None


def type_of(schema):
    if name := name_of(schema):
        return f"[{name}](#{name.lower()})"
    if "const" in schema:
        return f"`{json.dumps(schema['const'])}`"
    for several in ("oneOf", "anyOf"):
        if several in schema:
            return " or ".join(type_of(one) for one in schema[several])
    kind = schema.get("type", "any")
    if isinstance(kind, list):
        kind = " or ".join(kind)
    if kind == "array":
        return f"list of {type_of(schema.get('items', {}))}"
    if "enum" in schema:
        return ", ".join(f"`{value}`" for value in schema["enum"])
    if kind == "object" and isinstance(schema.get("additionalProperties"), dict):
        return f"object of {type_of(schema['additionalProperties'])}"
    return kind


def content_of(part):
    return "; ".join(
        f"`{kind}`" + (f", {type_of(content['schema'])}" if "schema" in content else "")
        for kind, content in part.get("content", {}).items())


def one_line(text):
    return " ".join((text or "").split()).replace("|", "\\|")


def openapi():
    return subprocess.run([DESKBELL, "openapi"], check=True, capture_output=True, text=True).stdout


def control_page(description):
    api = json.loads(description)
    resolve = lambda part: (  # noqa: E731
        api["components"][part["$ref"].split("/")[2]][part["$ref"].split("/")[3]] if "$ref" in part else part)
    parts = [f"""# The control API

Generated by `docs/reference/generate.py` from [openapi.json](../openapi.json).

{api["info"]["description"]}

```sh
curl --unix-socket /run/deskbell/control.sock http://localhost/v1/state
```

A refusal has a status of 400 or more and a body with `error`, and `hint` if there is something to do."""]
    sections = {tag["name"]: [f"## {tag['name']}\n\n{tag['description']}"] for tag in api["tags"]}
    for path, operations in api["paths"].items():
        shared = operations.get("parameters", [])
        bases = [server["url"].removeprefix("http://localhost") for server in operations.get("servers", api["servers"])]
        for method, operation in operations.items():
            if method in ("parameters", "servers"):
                continue
            lines = [f"### `{method.upper()} {bases[0]}{path}`", "", operation["summary"] + "."]
            lines += [line for base in bases[1:] for line in ("", f"Of another handset: `{base}{path}`.")]
            if operation.get("description"):
                lines += ["", operation["description"]]
            parameters = [resolve(parameter) for parameter in shared + operation.get("parameters", [])]
            if parameters:
                lines += ["", table(["Parameter", "In", "What"], [
                    (f"`{one['name']}`", one["in"], one_line(one.get("description"))) for one in parameters])]
            if "requestBody" in operation:
                body = resolve(operation["requestBody"])
                lines += ["", f"Body: {content_of(body)}" + (
                    f". {one_line(body['description'])}" if body.get("description") else "")]
                example = body["content"].get("application/json", {}).get("example")
                if example:
                    lines += ["", "```json", json.dumps(example, ensure_ascii=False), "```"]
            lines += ["", table(["Status", "Answer", "What"], [
                (status, one_line(content_of(resolve(answer))), one_line(resolve(answer).get("description")))
                for status, answer in operation["responses"].items()])]
            sections[operation["tags"][0]].append("\n".join(lines))
    parts += ["\n\n".join(section) for section in sections.values()]
    parts.append("## Bodies")
    for name, schema in sorted(api["components"]["schemas"].items()):
        lines = [f"### {name}"]
        if schema.get("description"):
            lines += ["", schema["description"]]
        if schema.get("properties"):
            required = schema.get("required", [])
            lines += ["", table(["Key", "Type", "", "What"], [
                (f"`{key}`", one_line(type_of(value)), "" if key in required else "may be absent",
                 one_line(value.get("description"))) for key, value in schema["properties"].items()])]
        else:
            lines += ["", type_of(schema)]
        parts.append("\n".join(lines))
    return "\n\n".join(parts) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="write nothing; exit with 1 where a page is out of date")
    arguments = parser.parse_args()
    try:
        description = openapi()
        pages = {"settings.md": settings_page(), "../openapi.json": description,
                 "control-api.md": control_page(description)}
    except Undescribed as error:
        sys.exit(str(error))
    status = 0
    for name, text in pages.items():
        path = FOLDER / name
        if path.exists() and path.read_text() == text:
            continue
        if arguments.check:
            print(f"docs/reference/{name} is out of date: run make reference", file=sys.stderr)
            status = 1
        else:
            path.write_text(text)
            print(f"wrote docs/reference/{name}")
    sys.exit(status)


if __name__ == "__main__":
    main()
