"""Failing hooks of apps, with their full 30 s: each failure is in the events, nothing of them is left, and other apps
continue. Run beside the other tests, which do not wait."""

import json
import os
import select
import subprocess
import sys
import time
import unittest
from pathlib import Path

from appliance import Appliance, new_id

UPDATE = json.dumps({"aps": {"content-available": 1}})
MANIFEST = """
id: com.example.{name}
name: {name}
background-modes: [remote-notification]
hooks: {{ background: [./hook] }}
"""
STAMPS = ("sequence", "uptimeMicroseconds", "wallMicroseconds")
# The first events of every push for a hook.
OFFERED = [
    {"event": "accepted", "type": "background"},
    {"event": "lifecycle", "state": "background"},
    {"event": "delivered", "state": "background"},
]


class HookAppliance(Appliance):
    """Apps that each have a hook. The virtual clock, which governs no hook, shows when all hooks have ended."""

    def __init__(self, **hooks):
        super().__init__("--clock", "virtual")
        self.hooks = {**hooks, "steady": "#!/bin/sh\necho newData\n"}

    def __enter__(self):
        super().__enter__()
        for name, text in self.hooks.items():
            bundle = self.folder / name
            bundle.mkdir()
            (bundle / "app.yaml").write_text(MANIFEST.format(name=name))
            (bundle / "hook").write_text(text.format(folder=self.folder))
            self.run("app", "install", bundle)
            self.run("app", "register", f"com.example.{name}")
        self.add_provider(*(f"com.example.{name}" for name in self.hooks))
        # Once, so that everything that a first push opens permanently is open.
        self.push("steady")
        self.settle()
        self.held_before = self.held()
        return self

    def push(self, name):
        """Sends the app a background update, and returns its identifier."""
        identifier = new_id()
        token = self.run("app", "token", f"com.example.{name}").strip()
        headers = {"apns-id": identifier, "apns-push-type": "background", "apns-priority": "5"}
        status, answer, _ = self.curl(UPDATE, token=token, topic=f"com.example.{name}", headers=headers)
        assert status == 200, answer
        return identifier

    def settle(self):
        """Returns when no hook runs."""
        self.run("clock", "advance", "1s")

    def events_of(self, name, push=None):
        """Returns the app's events since it was registered, or those of one push, without their stamps."""
        found = []
        for event in self.events():
            if event.get("app") != f"com.example.{name}" or event["event"] in ("installed", "registered"):
                continue
            if push is not None and event.get("push") != push:
                continue
            found.append({key: value for key, value in event.items() if key not in (*STAMPS, "app")})
        return found

    def log_of(self, name):
        start = f"deskbell: notice: com.example.{name}: "
        return [line.removeprefix(start) for line in self.errors if line.startswith(start)]

    def held(self):
        """Returns the daemon's processes with states, and its descriptors except connections, which clients end."""
        pid, children, descriptors = self.process.pid, [], []
        for status in Path("/proc").glob("[0-9]*/stat"):
            try:
                state, parent = status.read_text().rsplit(")", 1)[1].split()[:2]
            except (FileNotFoundError, ProcessLookupError):
                continue
            if int(parent) == pid:
                children.append((status.parent.name, state))
        for descriptor in Path(f"/proc/{pid}/fd").iterdir():
            try:
                target = os.readlink(descriptor)
            except FileNotFoundError:
                continue
            if not target.startswith("socket:"):
                descriptors.append(target)
        return children, sorted(descriptors)


def next_bytes(descriptor):
    """Returns the next bytes from a pipe; nothing at its end. Waits less than the 30 s between checks of hooks."""
    ready, _, _ = select.select([descriptor], [], [], 25)
    return os.read(descriptor, 100) if ready else None


class HookTests(unittest.TestCase):
    maxDiff = None

    def expect(self, appliance, name, push, *ending):
        of_push = {"push": push}
        expected = [{**event, **(of_push if event["event"] != "lifecycle" else {})} for event in [*OFFERED, *ending]]
        self.assertEqual(appliance.events_of(name), expected)

    def expect_nothing_left(self, appliance):
        """Asserts that nothing is left and that other apps are served."""
        push = appliance.push("steady")
        appliance.settle()
        self.assertEqual(
            appliance.events_of("steady", push),
            [{"event": "accepted", "type": "background", "push": push},
             {"event": "delivered", "state": "background", "push": push},
             {"event": "completed", "result": "newData", "push": push}])
        self.assertEqual(appliance.held(), appliance.held_before)

    def test_one_that_runs_for_31_seconds_and_one_that_forks_and_ignores_being_told_to_end(self):
        slow = "#!/bin/sh\ntrap 'echo told to end >&2; exit' TERM\nsleep 31 &\nwait\necho newData\n"
        stubborn = "#!/bin/sh\ntrap '' TERM\nexec 9>{folder}/lifeline\nsleep 600 &\n(sleep 600 &)\nwait\n"
        with HookAppliance(slow=slow, stubborn=stubborn) as appliance:
            os.mkfifo(appliance.folder / "lifeline")
            lifeline = os.open(appliance.folder / "lifeline", os.O_RDONLY | os.O_NONBLOCK)
            self.addCleanup(os.close, lifeline)
            started = time.monotonic()
            pushes = {name: appliance.push(name) for name in ("slow", "stubborn")}

            # Both hooks run; another app's ends meanwhile.
            push = appliance.push("steady")
            done = appliance.wait_for_event(lambda event: event["event"] == "completed" and event["push"] == push)
            self.assertEqual(done["result"], "newData")
            self.assertEqual(len(appliance.held()[0]), 2)

            # Not before the last of their processes has ended.
            appliance.settle()
            self.assertGreaterEqual(time.monotonic() - started, 30)
            for name, push in pushes.items():
                with self.subTest(name):
                    self.expect(
                        appliance, name, push,
                        {"event": "timed-out",
                         "reason": "not-completed", "rule": "U8",
                         "text": "the app did not complete it within 30 seconds and was stopped"},
                        {"event": "lifecycle", "state": "notRunning"})
            over = "background program: its 30.0 seconds are over, it is stopped (U8)"
            self.assertEqual(appliance.log_of("slow"), [over, "background program: told to end"])
            self.assertEqual(appliance.log_of("stubborn"), [over])
            self.assertEqual(os.read(lifeline, 1), b"", "a process of it holds the other end")
            self.expect_nothing_left(appliance)

    def test_what_a_hook_leaves_behind_ends_with_it(self):
        leaving = (
            "#!/bin/sh\nexec 9>{{folder}}/{}-lifeline\nsetsid sh -c 'echo away >&9; sleep 600 & sleep 600' &\n"
            "{} &\n(setsid sleep 600 &)\nread x <{{folder}}/gate\necho newData\n")
        open_app = "#!/bin/sh\nexec 9>{folder}/opened\n(setsid sh -c 'echo away >&9; sleep 600' &)\nexec sleep 600\n"
        hooks = {"marked": leaving.format("marked", "setsid sleep 600"),
                 "bare": leaving.format("bare", "env -i setsid sleep 600")}
        with HookAppliance(**hooks) as appliance:
            opened = self.pipe(appliance.folder / "opened")
            gate = self.pipe(appliance.folder / "gate", os.O_RDWR)

            def leave(name):
                lifeline = self.pipe(appliance.folder / f"{name}-lifeline")
                push = appliance.push(name)
                self.assertEqual(next_bytes(lifeline), b"away\n")
                os.write(gate, b"\n")
                self.assertEqual(next_bytes(lifeline), b"", "a process of it holds the other end")
                appliance.settle()
                self.expect(appliance, name, push, {"event": "completed", "result": "newData"})

            bundle = appliance.folder / "bundle"
            bundle.mkdir()
            (bundle / "app.yaml").write_text("id: com.example.open\nname: open\nhooks: { launch: [./hook] }\n")
            (bundle / "hook").write_text(open_app.format(folder=appliance.folder))
            appliance.run("app", "install", bundle)
            appliance.run("app", "launch", "com.example.open")
            self.assertEqual(next_bytes(opened), b"away\n")
            leave("marked")
            # Another open app continues, with all its processes.
            with self.assertRaises(BlockingIOError):
                os.read(opened, 1)
            appliance.run("app", "uninstall", "com.example.open")
            self.assertEqual(next_bytes(opened), b"", "a process of it holds the other end")
            leave("bare")
            self.expect_nothing_left(appliance)

    def test_each_link_of_a_chain_ends(self):
        """The end of one process makes the next one the daemon's child, perhaps while the daemon lists its children:
        large processes end slowly, and foreign ones make the list long."""
        chain = (
            "import subprocess, sys, time\n"
            "left, held = int(sys.argv[1]), b'x' * 50_000_000\n"
            "if left:\n"
            "    subprocess.run([sys.executable, __file__, str(left - 1)], start_new_session=True)\n"
            "print('away', flush=True)\n"
            "time.sleep(600)\n")
        hook = (
            f"#!/bin/sh\nexec 9>{{folder}}/lifeline\n{sys.executable} {{folder}}/chain.py 6 >&9 2>&1 &\n"
            "read x <{folder}/gate\necho newData\n")
        with HookAppliance(chained=hook) as appliance:
            (appliance.folder / "chain.py").write_text(chain)
            lifeline = self.pipe(appliance.folder / "lifeline")
            gate = self.pipe(appliance.folder / "gate", os.O_RDWR)
            push = appliance.push("chained")
            self.assertEqual(next_bytes(lifeline), b"away\n")
            # These come after the chain in the list.
            for _ in range(200):
                foreign = subprocess.Popen(["sleep", "600"])
                self.addCleanup(foreign.wait)
                self.addCleanup(foreign.kill)
            os.write(gate, b"\n")
            self.assertEqual(next_bytes(lifeline), b"", "a process of it holds the other end")
            appliance.settle()
            self.expect(appliance, "chained", push, {"event": "completed", "result": "newData"})
            self.expect_nothing_left(appliance)

    def pipe(self, path, flags=os.O_RDONLY | os.O_NONBLOCK):
        """Makes a named pipe; returns its reading end."""
        os.mkfifo(path)
        descriptor = os.open(path, flags)
        self.addCleanup(os.close, descriptor)
        return descriptor

    def test_one_that_prints_a_megabyte(self):
        with HookAppliance(loud="#!/bin/sh\nhead -c 1048576 /dev/zero | tr '\\0' x\necho\necho noData\n") as appliance:
            push = appliance.push("loud")
            appliance.settle()
            self.expect(appliance, "loud", push, {"event": "completed", "result": "noData"})
            self.assertEqual(
                appliance.log_of("loud"),
                ["background program: wrote more than 65536 bytes to standard output: the rest is dropped, but for the "
                 "last line"])
            self.expect_nothing_left(appliance)

    def test_one_that_does_not_exist(self):
        with HookAppliance(absent="#!/no/such/interpreter\n") as appliance:
            push = appliance.push("absent")
            appliance.settle()
            reason = (
                f"{appliance.state}/handsets/1/work/com.example.absent/./hook cannot be executed: No such file or "
                "directory; the file, or the interpreter in its first line, does not exist")
            self.expect(appliance, "absent", push, {"event": "completed", "result": "failed", "detail": reason})
            self.assertEqual(appliance.log_of("absent"), [f"background program: {reason}"])
            self.expect_nothing_left(appliance)

    def test_one_that_fails(self):
        with HookAppliance(broken="#!/bin/sh\necho newData\nexit 7\n") as appliance:
            push = appliance.push("broken")
            appliance.settle()
            reason = "ended with exit status 7"
            self.expect(appliance, "broken", push, {"event": "completed", "result": "failed", "detail": reason})
            self.assertEqual(appliance.log_of("broken"), [f"background program: {reason}"])
            self.expect_nothing_left(appliance)

    def test_one_that_is_killed(self):
        with HookAppliance(victim="#!/bin/sh\nsleep 600 &\nkill -9 $$\n") as appliance:
            push = appliance.push("victim")
            appliance.settle()
            self.expect(
                appliance, "victim", push, {"event": "lifecycle", "state": "notRunning"},
                {"event": "discarded",
                 "reason": "died", "rule": "U5",
                 "text": "a process of the app ended, which counts as killed"})
            self.assertEqual(
                appliance.log_of("victim"),
                ["background program: signal 9 (Killed)", "its process ended by signal 9 (Killed)"])
            self.expect_nothing_left(appliance)


if __name__ == "__main__":
    unittest.main()
