"""Records what a released version leaves on disk, so that every later version is held to reading it.

    DESKBELL=path/to/released/deskbell .build/clients/bin/python -m Tests.Released.record

writes Tests/Released/VERSION (`released.py` says what is in it). A folder is recorded by the release itself, and is never
edited; a version that is not released yet is recorded again. `Tests/Clients/test_released.py` reads them all.
"""

import contextlib
import json
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from Tests.Released.released import EMPTY, HERE, dump, empty, is_released, next_event, restore_script, unfinished
from Tests.support.appliance import APP, Appliance, Listener
from Tests.support.certificates import make
from Tests.support.project import DESKBELL, PATIENCE_SECONDS

NEWS, OLD, HELD, GONE = "com.example.news", "com.example.old", "com.example.held", "com.example.gone"
DOOR, LINK, FEED = "com.example.door", "com.example.link", "com.example.feed"
MATCH, SECRET, TRIAL = "com.example.match", "com.example.secret", "com.example.trial"
OPTIONS = ["--clock", "virtual"]
# The first version with Focus modes, Live Activities, channels, service extensions and the scheduled summary.
HANDSET_OF_2026 = (0, 10)
# The notifications whose facts are in one pack (PackedNotifications.swift).
PACK = 256


def bundle(folder, app, name, hook=None, more="", kind="background"):
    """Makes the folder of an app. `hook`: the program for `kind`; `more`: further lines of the manifest."""
    path = folder / name
    (path / "bin").mkdir(parents=True)
    lines = [f"id: {app}", f"name: {name}"]
    if hook:
        (path / "bin/hook").write_text(f"#!/bin/sh\n{hook}\n")
        (path / "bin/hook").chmod(0o755)
        lines += [f"hooks: {{ {kind}: [bin/hook] }}"]
        lines += ["background-modes: [remote-notification]"] * (kind == "background")
    (path / "app.yaml").write_text("\n".join(lines) + "\n" + more)
    return path


def version():
    """Returns the program's version as it prints it."""
    return subprocess.run([DESKBELL, "--version"], capture_output=True, text=True, check=True).stdout.split()[-1]


def identifier(number):
    return f"00000000-0000-4000-8000-{number:012d}"


class Scene:
    """One push after the other, each with an identifier of its own that is the same in every recording.

    It fills every table, and every column with a value that no other row or default has; `released.EMPTY` names what it
    cannot fill. Use it in a `with` statement: an app stays connected until its end."""

    def __init__(self, appliance):
        self.appliance, self.count, self.tokens = appliance, 0, {}
        self.is_of_2026 = tuple(map(int, version().split(".")[:2])) >= HANDSET_OF_2026
        self.connections = contextlib.ExitStack()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.connections.close()

    def push(self, app, aps, expected=200, topic="", token=None, more=None, **headers):
        """Pushes to an app. `topic`: the suffix of its topic; `token`: another one than its ordinary one; `more`: keys
        beside `aps`."""
        self.count += 1
        fields = {"apns-id": identifier(self.count), **{f"apns-{k.replace('_', '-')}": v for k, v in headers.items()}}
        payload = json.dumps({"aps": aps, "number": self.count, **(more or {})})
        status, _, _ = self.appliance.curl(
            payload, token=token or self.tokens[app], headers=fields, topic=app + topic)
        assert status == expected, (app, aps, status)
        return identifier(self.count)

    def install(self, path, app):
        self.appliance.run("app", "install", path)
        self.appliance.run("app", "register", app)
        self.tokens[app] = self.appliance.run("app", "token", app).strip()

    def fill_pack(self, folder):
        """Leaves a pack of notifications: the daemon writes it when it ends, and a change of one of them removes it. Each
        push replaces the one before, and has the next number."""
        self.install(bundle(folder, FEED, "Feed"), FEED)
        self.appliance.add_provider(FEED)
        self.push(FEED, {"alert": {"title": "Packed", "body": "The first"}, "sound": "default", "thread-id": "feed"})
        self.push(FEED, {"alert": "Critical", "sound": {"critical": 1, "volume": 0.25}, "category": "NONE"})
        self.appliance.run("app", "launch", FEED)
        self.appliance.run("app", "background", FEED)
        for number in range(PACK):
            fields = {"apns-id": identifier(1_000_000 + number), "apns-collapse-id": "same"}
            status, _, _ = self.appliance.curl(
                json.dumps({"aps": {"alert": str(number)}}), token=self.tokens[FEED], headers=fields, topic=FEED)
            assert status == 200, status
        self.appliance.restart()

    def install_others(self, folder):
        """Installs the apps for what few apps have."""
        door = """acknowledge: http://127.0.0.1:1/seen
categories:
  - id: VISITOR
    actions: [{ id: OPEN, title: Open }, { id: ASK, title: Ask, text-input: { button: Send } }]
"""
        self.install(bundle(folder, DOOR, "Door", "exit 0", door, kind="notification"), DOOR)
        modes = "[remote-notification, voip]" if self.is_of_2026 else "[remote-notification]"
        self.install(bundle(folder, LINK, "Link", more=f"background-modes: {modes}\n"), LINK)
        if not self.is_of_2026:
            return
        match = "live-activity: { display: score, lamp: breathe }\nbroadcast: true\n"
        self.install(bundle(folder, MATCH, "Match", more=match), MATCH)
        secret = "background-modes: [complication, widgets]\n"
        self.install(bundle(folder, SECRET, "Secret", "exec sleep 1000", secret, kind="service-extension"), SECRET)
        self.appliance.run("app", "install", "--no-register", bundle(folder, TRIAL, "Trial"))
        self.appliance.run("app", "register", TRIAL, "--provisional")
        self.tokens[TRIAL] = self.appliance.run("app", "token", TRIAL).strip()

    def play(self, folder):
        appliance, run = self.appliance, self.appliance.run
        self.install(HERE.parents[1] / "examples/mailroom", APP)
        self.install(bundle(folder, NEWS, "News", "exec sleep 1000", "lamp: blink\naction-title: Read\n"), NEWS)
        self.install(bundle(folder, HELD, "Held", "exit 0"), HELD)
        self.install(bundle(folder, OLD, "Old"), OLD)
        self.install_others(folder)
        appliance.add_provider(*self.tokens)
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
        self.play_others()
        if self.is_of_2026:
            self.play_deferral()
            self.play_activities(folder)
            # A program has 30 seconds: the power goes before.
            self.push(SECRET, {"alert": {"title": "Encrypted"}, "mutable-content": 1, "sound": "default"})
        self.push(NEWS, {"content-available": 1}, **update)

        # Kept in the service: replaced while offline, and not fetched since.
        run("settings", "fetch-mode", "manual")
        run("conditions", "offline", "on")
        self.push(APP, {"alert": "Replaced while offline"})
        self.push(APP, {"alert": "Kept while offline", "badge": 7, "sound": {"critical": 1, "volume": 1}})
        self.push(NEWS, {"alert": "One try"}, expiration="0")
        if self.is_of_2026:
            self.update_activity("3:1")
        # Offline, an update that is held has no time at which it is due.
        run("conditions", "offline", "off")
        run("conditions", "silent", "on")

    def play_others(self):
        """Actions, an acknowledgement that fails, an app that is connected, and a snooze of all."""
        appliance, run = self.appliance, self.appliance.run
        run("settings", DOOR, "style", "alert")
        for text in ("The bell rang", "It rang again"):
            number = self.push(DOOR, {"alert": text, "category": "VISITOR", "sound": "default"})
            appliance.wait_for_event(lambda e: e["event"] == "completed" and e.get("push") == number)
        run("press", "close")
        # The next attempts are no events.
        appliance.wait_for_event("call-failed")
        run("app", "key", APP)
        self.connections.enter_context(Listener(appliance, LINK))
        appliance.wait_for_event(lambda e: e["event"] == "lifecycle" and e.get("app") == LINK)
        run("app", "present", LINK, "--foreground", "badge,alert")
        self.push(LINK, {"content-available": 1}, push_type="background", priority="5")
        if self.is_of_2026:
            self.push(LINK, {}, topic=".voip", push_type="voip", more={"caller": "Ada"})
        run("snooze", "--all", "--for", "1h")

    def play_deferral(self):
        """Low power, the scheduled summary, Focus modes, a provisional app, and a push that is counted by the day."""
        run = self.appliance.run
        run("conditions", "low-power", "on")
        self.push(NEWS, {"alert": "When there is power"}, priority="5")
        run("conditions", "low-power", "off")
        run("settings", "summary", "08:00,18:00")
        run("settings", HELD, "summary", "on")
        self.push(HELD, {"alert": "For the summary", "relevance-score": 0.5, "sound": "default", "badge": 6})
        run("focus", "set", "work", "--allow", f"{APP},{DOOR}", "--filter", f"{APP}=team,boss", "--no-time-sensitive")
        run("focus", "set", "sleep", "--hours", "22:00-07:00")
        run("focus", "on", "work")
        self.push(APP, {"alert": "From the team", "filter-criteria": "team"})
        self.push(APP, {"alert": "From a list", "filter-criteria": "list"})
        self.push(NEWS, {"alert": "Not allowed now", "interruption-level": "time-sensitive"})
        self.push(TRIAL, {"alert": "Only listed", "sound": "default", "badge": 1})
        self.push(SECRET, {}, topic=".complication", push_type="complication")

    def play_activities(self, folder):
        """Live Activities: started by a push and by the app, updated, stale, of a channel, and ended but still shown."""
        appliance, run, report = self.appliance, self.appliance.run, self.appliance.report
        start = {"attributes-type": "Match", "attributes": {"home": "Ada"},
                 "alert": {"title": "Match", "body": "It begins"}}
        self.activity(self.minted(lambda found: found.get("startToken")), "start", "0:0", **start)
        self.update_activity("1:0")
        channel, other = (report("channel", "create", MATCH, *words)["channel"] for words in (["--store"], []))
        run("activity", "start", MATCH, "--content", '{"score": "5:5"}', "--stale", "1h", "--relevance", "50")
        run("activity", "start", MATCH, "--content", '{"score": "0:9"}', "--channel", channel)
        payload = folder / "broadcast.json"
        payload.write_text(json.dumps({"aps": {
            "event": "update", "timestamp": self.seconds(), "content-state": {"score": "1:9"}}}))
        run("channel", "publish", MATCH, channel, payload)
        run("channel", "publish", MATCH, other, payload)
        run("activity", "start", MATCH, "--content", '{"score": "8:8"}')
        last = report("activity", "list")[-1]["id"]
        run("activity", "end", MATCH, last, "--content", '{"score": "9:8"}', "--dismiss", "2h")

    def update_activity(self, score):
        """Updates the activity that was started by a push."""
        self.activity(self.minted(lambda found: found["activities"][0].get("token")), "update", score)

    def activity(self, token, event, score, **more):
        aps = {"event": event, "timestamp": self.seconds(), "content-state": {"score": score}, **more}
        self.push(MATCH, aps, topic=".push-type.liveactivity", token=token, push_type="liveactivity")

    def minted(self, find):
        """Returns a token of the app's Live Activities once the daemon has made it."""
        deadline = time.monotonic() + PATIENCE_SECONDS
        while time.monotonic() < deadline:
            if token := find(self.appliance.report("app", "activities", MATCH)):
                return token
        raise AssertionError("the token was not made")

    def seconds(self):
        return self.appliance.report("clock")["wallMicroseconds"] // 1_000_000

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


def commands(scene):
    """Returns the commands whose answers are recorded, of those that the program has."""
    known = json.loads(subprocess.run(
        [DESKBELL, "--experimental-dump-help"], capture_output=True, text=True, check=True).stdout)["command"]
    names = {command["commandName"] for command in known["subcommands"]}
    wanted = ["app list", "app tokens", "settings", *(f"settings {app}" for app in scene.tokens if app != GONE),
              "conditions", "center", "local list", "provider list", "snooze", "handsets", "activity list", "focus list",
              "channel list",
              *(f"app activities {app}" for app in (MATCH, SECRET) if app in scene.tokens),
              *(f"explain {identifier(number)}" for number in range(1, scene.count + 1))]
    return ["state", "clock", *(command for command in wanted if command.split()[0] in names), "topic list", "hook list"]


# What a state has besides what is the daemon's at each start, and besides what is another command's answer.
STATE = ("activities", "apps", "deferred", "deviceID", "focus", "presentation", "quietHours", "unseen")


def reports(appliance, commands, waiting):
    """What the commands answer from what is stored, once what the power cut interrupted has come to its end: `waiting`,
    as `released.unfinished` returns it."""
    for kinds, push in waiting:
        appliance.wait_for_event(lambda e: e["event"] in kinds and e.get("push", "").lower() == push)
    return lasting({command: report(appliance, command) for command in commands})


def settled(value, first):
    """Returns the answers without the numbers of events from `first` on: what comes after the start has its number by when
    the drivers report."""
    if isinstance(value, dict):
        return {key: settled(inner, first) for key, inner in value.items()
                if not (key == "event" and isinstance(inner, int) and inner >= first)}
    return [settled(inner, first) for inner in value] if isinstance(value, list) else value


def report(appliance, command):
    answer = appliance.report(*command.split())
    match command:
        case "state": return {key: answer[key] for key in STATE if key in answer}
        case "clock": return answer["wallMicroseconds"]
        # Without what is the daemon's at each start: its port and certificate.
        case "topic list" | "hook list":
            return [{key: each[key] for key in sorted(each.keys() - {"pin", "url"})} for each in answer]
    return answer


def main():
    into = HERE / version()
    if into.exists() and is_released(into.name):
        sys.exit(f"{into} exists: what a release wrote is recorded once")
    with tempfile.TemporaryDirectory(prefix="deskbell-record-") as name:
        scene, script, inputs, events = played(Path(name))
    if found := [name for name in empty(script) if name not in EMPTY]:
        sys.exit("the scene leaves these empty, so no later version would be held to reading them: " + ", ".join(found))
    answers = settled(restored_reports(script, commands(scene)), next_event(script))
    into.mkdir(exist_ok=True)
    (into / "database.sql").write_text(script)
    (into / "inputs.jsonl").write_text(inputs)
    (into / "events.jsonl").write_text(events)
    (into / "reports.jsonl").write_text(
        "".join(json.dumps({"command": command, "answer": answer}) + "\n" for command, answer in answers.items()))
    print(f"{into}: {scene.count} pushes, {len(events.splitlines())} events")


def played(folder):
    """Plays the scene in that folder. Returns it, and the database, inputs and events that it left."""
    recorded = folder / "inputs.jsonl"
    with Appliance(*OPTIONS, environment={"TZ": "Europe/Berlin"}) as appliance, Scene(appliance) as scene:
        # The option's name that 0.7.3 knows.
        appliance.options += ["--journal", str(recorded)]
        scene.fill_pack(folder)
        scene.play(folder)
        appliance.kill()
        (folder / "copy").mkdir()
        for file in appliance.state.glob("deskbell.sqlite*"):
            shutil.copy(file, folder / "copy")
        script = dump(folder / "copy/deskbell.sqlite")
    inputs = recorded.read_text()
    events = subprocess.run([DESKBELL, "replay", recorded], capture_output=True, text=True, check=True).stdout
    return scene, script, inputs, events


def restored_reports(script, commands):
    """Returns the reports on the database that the script makes."""
    with Appliance(*OPTIONS, environment={"TZ": "Europe/Berlin"}) as appliance:
        appliance.stop()
        for file in appliance.state.glob("deskbell.sqlite*"):
            file.unlink()
        restore_script(script, appliance.state / "deskbell.sqlite")
        appliance.start()
        return reports(appliance, commands, unfinished(script))


if __name__ == "__main__":
    main()
