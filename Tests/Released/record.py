"""Records what a released version leaves on disk, so that every later version is held to reading it.

    DESKBELL=path/to/released/deskbell .build/clients/bin/python -m Tests.Released.record

writes Tests/Released/VERSION (`released.py` says what is in it). A folder is recorded once, by the release itself, and
never edited. `Tests/Clients/test_released.py` reads them all.
"""

import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from Tests.Released.released import HERE, dump, restore_script
from Tests.support.appliance import APP, Appliance
from Tests.support.certificates import make
from Tests.support.project import DESKBELL

NEWS, OLD, HELD, GONE = "com.example.news", "com.example.old", "com.example.held", "com.example.gone"
OPTIONS = ["--clock", "virtual"]


def bundle(folder, app, name, hook=None, more=""):
    path = folder / name
    (path / "bin").mkdir(parents=True)
    lines = [f"id: {app}", f"name: {name}"]
    if hook:
        (path / "bin/hook").write_text(f"#!/bin/sh\n{hook}\n")
        (path / "bin/hook").chmod(0o755)
        lines += ["background-modes: [remote-notification]", "hooks: { background: [bin/hook] }"]
    (path / "app.yaml").write_text("\n".join(lines) + "\n" + more)
    return path


def identifier(number):
    return f"00000000-0000-4000-8000-{number:012d}"


class Scene:
    """One push after the other, each with an identifier of its own that is the same in every recording."""

    def __init__(self, appliance):
        self.appliance, self.count, self.tokens = appliance, 0, {}

    def push(self, app, aps, expected=200, **headers):
        self.count += 1
        fields = {"apns-id": identifier(self.count), **{f"apns-{k.replace('_', '-')}": v for k, v in headers.items()}}
        payload = json.dumps({"aps": aps, "number": self.count})
        status, _, _ = self.appliance.curl(payload, token=self.tokens[app], headers=fields, topic=app)
        assert status == expected, (app, aps, status)
        return identifier(self.count)

    def install(self, path, app):
        self.appliance.run("app", "install", path)
        self.appliance.run("app", "register", app)
        self.tokens[app] = self.appliance.run("app", "token", app).strip()

    def play(self, folder):
        appliance, run = self.appliance, self.appliance.run
        self.install(HERE.parents[1] / "examples/mailroom", APP)
        self.install(bundle(folder, NEWS, "News", "exec sleep 1000", "lamp: blink\naction-title: Read\n"), NEWS)
        self.install(bundle(folder, HELD, "Held", "exit 0"), HELD)
        self.install(bundle(folder, OLD, "Old"), OLD)
        appliance.add_provider(APP, NEWS, OLD, HELD)
        make(folder, "certified", topic=APP, days=36_500)
        run("provider", "add", "certified", "--certificate", folder / "certified.pem")
        (folder / "password").write_text("correct horse battery\n")
        run("provider", "add", "post", "--apps", f"{APP},{GONE}", "--password-file", folder / "password")

        # Every style, level and way for a notification to be replaced, seen or cleared.
        run("settings", APP, "style", "alert")
        run("settings", APP, "critical", "on")
        run("settings", NEWS, "volume", "40%")
        self.push(APP, {"alert": {"title": "A parcel", "subtitle": "from Ada", "body": "On shelf 3"}, "badge": 3,
                        "sound": "letter", "thread-id": "parcels"})
        self.push(APP, {"alert": {"loc-key": "PARCELS_WAITING", "loc-args": ["3", "Ada"]}, "interruption-level": "time-sensitive"})
        self.push(APP, {"alert": "First of two"}, collapse_id="twice")
        self.push(APP, {"alert": "Second of two"}, collapse_id="twice")
        self.push(APP, {"alert": "Now", "sound": {"critical": 1, "name": "letter", "volume": 0.5}})
        self.push(NEWS, {"alert": "Quiet", "interruption-level": "passive", "badge": 2})
        self.push(NEWS, {"alert": "A banner", "sound": "default", "badge": -1, "unknown": True})
        run("press", "close")
        run("conditions", "silent", "on")
        self.push(APP, {"alert": "Unheard", "sound": "default"})
        run("conditions", "silent", "off")
        run("settings", "quiet-hours", "00:00-23:59")
        self.push(APP, {"alert": "Hushed", "sound": "default"})
        run("settings", "night-hours", "21:00-07:00")
        run("settings", "fetch-interval", "30m")
        run("app", "launch", APP)
        run("app", "badge", APP, "1")
        self.push(APP, {"alert": "Into the foreground", "badge": 9})
        run("app", "background", APP)

        # Sounding again, a snooze, the lamp by hand, and the keys of topics and hooks.
        run("settings", HELD, "repeat", "all")
        self.push(HELD, {"alert": "Until somebody came", "sound": "default"})
        run("snooze", NEWS, "--for", "2h")
        run("settings", "lamp", "breathe")
        run("settings", "default-sound", "harp")
        run("topic", "add", "parcels", "--app", APP)
        run("hook", "add", "ci", "--app", NEWS)

        # Background updates: delivered, held, replaced, discarded, and one that is out when the power goes.
        update = {"push_type": "background", "priority": "5"}
        for _ in range(3):
            number = self.push(HELD, {"content-available": 1}, **update)
            appliance.wait_for_event(lambda e: e["event"] == "completed" and e.get("push") == number)
        self.push(HELD, {"content-available": 1}, **update)
        self.push(HELD, {"content-available": 1}, **update)
        self.push(OLD, {"content-available": 1}, **update)
        run("app", "force-quit", APP)
        self.push(APP, {"content-available": 1}, **update)

        # Local notifications of each kind of schedule.
        for words in (["--in", "10m"], ["--in", "2h", "--repeat"], ["--daily", "07:00"], ["--weekly", "monday 08:30"],
                      ["--monthly", "15 08:00"], ["--yearly", "12-24 18:00"], ["--at", "08:00"]):
            name = "".join(c for c in words[0] + words[1] if c.isalnum())
            run("local", "add", APP, "--id", name, *words, "--title", name, "--badge", "4", "--sound", "default")
        run("clock", "advance", "15m")

        # Publishing nodes; an app that is gone and one that unregistered.
        self.install(bundle(folder, GONE, "Gone"), GONE)
        body = ('<plist version="1.0"><dict><key>UIAlertBody</key><string>From 2008</string>'
                "<key>UIApplicationBadge</key><integer>5</integer></dict></plist>")
        self.node("POST", APP, "Inbox?action=create")
        self.node("PUT", APP, "Inbox", body)
        self.node("POST", APP, "Deleted?action=create")
        self.node("POST", APP, "Deleted?action=delete")
        self.node("POST", GONE, "Inbox?action=create")
        run("app", "uninstall", GONE)
        self.push(OLD, {"alert": "The last"})
        run("app", "unregister", OLD)
        self.push(OLD, {"alert": "Too late"}, expected=410)
        self.push(NEWS, {"content-available": 1}, **update)

        # Kept while offline.
        run("conditions", "offline", "on")
        self.push(APP, {"alert": "Replaced while offline"})
        self.push(APP, {"alert": "Kept while offline", "badge": 7, "sound": {"critical": 1, "volume": 1}})
        self.push(NEWS, {"alert": "One try"}, expiration="0")

    def node(self, method, app, rest, body=""):
        device = self.appliance.report("state")["deviceID"]
        subprocess.run(
            ["curl", "--silent", "--fail", "--show-error", "--cacert", self.appliance.ca, "--user",
             f"{app}:correct horse battery", "--request", method, "--data-binary", body,
             f"https://localhost:{self.appliance.port}/{app}/{device}/{rest}"], check=True, stdout=subprocess.DEVNULL)


def lasting(value):
    """What is the same at each start. Uptimes begin anew at a boot, and drivers report in any order after it."""
    if isinstance(value, dict):
        return {key: lasting(inner) for key, inner in value.items()
                if key != "sequence" and not key.lower().endswith("uptimemicroseconds")}
    return [lasting(inner) for inner in value] if isinstance(value, list) else value


def reports(appliance, pushes):
    """What the commands answer from what is stored, once the update that was out has been offered again."""
    appliance.wait_for_event(lambda e: e["event"] == "completed" and e.get("push") == pushes[-4])
    state = appliance.report("state")
    kept = ("apps", "deviceID", "presentation", "quietHours", "unseen")
    commands = ["app list", "settings", *(f"settings {app}" for app in (APP, NEWS, OLD, HELD)), "center", "local list",
                "provider list", "snooze", *(f"explain {push}" for push in pushes)]
    return lasting({
        "state": {key: state[key] for key in kept if key in state},
        "clock": appliance.report("clock")["wallMicroseconds"],
        **{command: appliance.report(*command.split()) for command in commands},
        # Without what is the daemon's at each start: its port and certificate.
        **{f"{way} list": [{key: each[key] for key in each.keys() - {"pin", "url"}}
                           for each in appliance.report(way, "list")] for way in ("topic", "hook")},
    })


def main():
    version = subprocess.run([DESKBELL, "--version"], capture_output=True, text=True, check=True).stdout.split()[-1]
    into = HERE / version
    if into.exists():
        sys.exit(f"{into} exists: what a release wrote is recorded once")
    with tempfile.TemporaryDirectory(prefix="deskbell-record-") as name:
        folder = Path(name)
        recorded = folder / "inputs.jsonl"
        # The option's name that 0.7.3 knows.
        with Appliance(*OPTIONS, "--journal", str(recorded), environment={"TZ": "Europe/Berlin"}) as appliance:
            scene = Scene(appliance)
            scene.play(folder)
            appliance.kill()
            (folder / "copy").mkdir()
            for file in appliance.state.glob("deskbell.sqlite*"):
                shutil.copy(file, folder / "copy")
            script = dump(folder / "copy/deskbell.sqlite")
        inputs = recorded.read_text()
        events = subprocess.run([DESKBELL, "replay", recorded], capture_output=True, text=True, check=True).stdout
    pushes = [identifier(number) for number in range(1, scene.count + 1)]
    answers = restored_reports(script, pushes)
    into.mkdir()
    (into / "database.sql").write_text(script)
    (into / "inputs.jsonl").write_text(inputs)
    (into / "events.jsonl").write_text(events)
    (into / "reports.jsonl").write_text(
        "".join(json.dumps({"command": command, "answer": answer}) + "\n" for command, answer in answers.items()))
    print(f"{into}: {scene.count} pushes, {len(events.splitlines())} events")


def restored_reports(script, pushes):
    """Returns the reports on the database that the script makes."""
    with Appliance(*OPTIONS, environment={"TZ": "Europe/Berlin"}) as appliance:
        appliance.stop()
        for file in appliance.state.glob("deskbell.sqlite*"):
            file.unlink()
        restore_script(script, appliance.state / "deskbell.sqlite")
        appliance.start()
        return reports(appliance, pushes)


if __name__ == "__main__":
    main()
