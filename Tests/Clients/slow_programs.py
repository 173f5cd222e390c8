"""Failing programs of apps, with their full 30 s: each failure is in the events, nothing of them is left, and other apps
continue. Run beside the other tests, which do not wait."""

import os
import select
import subprocess
import sys
import time
import unittest
from pathlib import Path

from Tests.support.appliance import Appliance

UPDATE = {"aps": {"content-available": 1}}
HEADERS = {"apns-push-type": "background", "apns-priority": "5"}
MANIFEST = """
id: com.example.{name}
name: {name}
background-modes: [remote-notification]
hooks: {{ background: [./hook] }}
"""
STAMPS = ("sequence", "uptimeMicroseconds", "wallMicroseconds")
# The first events of every push for a program.
OFFERED = [
    {"event": "accepted", "type": "background"},
    {"event": "lifecycle", "state": "background"},
    {"event": "delivered", "state": "background"},
]


class ProgramAppliance(Appliance):
    """Apps that each have a program. The virtual clock, which governs no program, shows when all programs have ended."""

    def __init__(self, **programs):
        super().__init__("--clock", "virtual")
        self.programs = {**programs, "steady": "#!/bin/sh\necho newData\n"}

    def prepare(self):
        self.tokens = {}
        for name, text in self.programs.items():
            bundle = self.bundle(MANIFEST.format(name=name), {"hook": text.format(folder=self.folder)}, name)
            self.tokens[name] = self.install(bundle, f"com.example.{name}")
        self.add_provider(*(f"com.example.{name}" for name in self.programs))
        # Once, so that everything that a first push opens permanently is open.
        self.update("steady")
        self.settle()
        self.held_before = self.held()

    def update(self, name):
        """Sends the app a background update, and returns its identifier."""
        return self.push(UPDATE, token=self.tokens[name], topic=f"com.example.{name}", headers=HEADERS)

    def settle(self):
        """Returns when no program runs."""
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
    """Returns the next bytes from a pipe; nothing at its end. Waits less than the 30 s between checks of programs."""
    ready, _, _ = select.select([descriptor], [], [], 25)
    return os.read(descriptor, 100) if ready else None


class ProgramTests(unittest.TestCase):
    maxDiff = None

    def expect(self, appliance, name, push, *ending):
        of_push = {"push": push}
        expected = [{**event, **(of_push if event["event"] != "lifecycle" else {})} for event in [*OFFERED, *ending]]
        self.assertEqual(appliance.events_of(name), expected)

    def expect_nothing_left(self, appliance):
        """Asserts that nothing is left and that other apps are served."""
        push = appliance.update("steady")
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
        with ProgramAppliance(slow=slow, stubborn=stubborn) as appliance:
            os.mkfifo(appliance.folder / "lifeline")
            lifeline = os.open(appliance.folder / "lifeline", os.O_RDONLY | os.O_NONBLOCK)
            self.addCleanup(os.close, lifeline)
            started = time.monotonic()
            pushes = {name: appliance.update(name) for name in ("slow", "stubborn")}

            # Both programs run; another app's ends meanwhile.
            push = appliance.update("steady")
            done = appliance.wait_for_event("completed", push=push)
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

    def test_what_a_program_leaves_behind_ends_with_it(self):
        leaving = (
            "#!/bin/sh\nexec 9>{{folder}}/{}-lifeline\nsetsid sh -c 'echo away >&9; sleep 600 & sleep 600' &\n"
            "{} &\n(setsid sleep 600 &)\nread x <{{folder}}/gate\necho newData\n")
        open_app = "#!/bin/sh\nexec 9>{folder}/opened\n(setsid sh -c 'echo away >&9; sleep 600' &)\nexec sleep 600\n"
        programs = {"marked": leaving.format("marked", "setsid sleep 600"),
                 "bare": leaving.format("bare", "env -i setsid sleep 600")}
        with ProgramAppliance(**programs) as appliance:
            opened = self.pipe(appliance.folder / "opened")
            gate = self.pipe(appliance.folder / "gate", os.O_RDWR)

            def leave(name):
                lifeline = self.pipe(appliance.folder / f"{name}-lifeline")
                push = appliance.update(name)
                self.assertEqual(next_bytes(lifeline), b"away\n")
                os.write(gate, b"\n")
                self.assertEqual(next_bytes(lifeline), b"", "a process of it holds the other end")
                appliance.settle()
                self.expect(appliance, name, push, {"event": "completed", "result": "newData"})

            appliance.run("app", "install", appliance.bundle(
                "id: com.example.open\nname: open\nhooks: { launch: [./hook] }\n",
                {"hook": open_app.format(folder=appliance.folder)}))
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
        program = (
            f"#!/bin/sh\nexec 9>{{folder}}/lifeline\n{sys.executable} {{folder}}/chain.py 6 >&9 2>&1 &\n"
            "read x <{folder}/gate\necho newData\n")
        with ProgramAppliance(chained=program) as appliance:
            (appliance.folder / "chain.py").write_text(chain)
            lifeline = self.pipe(appliance.folder / "lifeline")
            gate = self.pipe(appliance.folder / "gate", os.O_RDWR)
            push = appliance.update("chained")
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

    def fails(self, text, ending, log):
        """Checks that one update to an app with such a program ends so, and says so in the log."""
        with ProgramAppliance(failing=text) as appliance:
            push = appliance.update("failing")
            appliance.settle()
            detail = {key: value.format(state=appliance.state) for key, value in ending.items()}
            self.expect(appliance, "failing", push, detail)
            self.assertEqual(
                appliance.log_of("failing"),
                [f"background program: {line}".format(state=appliance.state) for line in log])
            self.expect_nothing_left(appliance)

    def test_one_that_prints_a_megabyte(self):
        self.fails(
            "#!/bin/sh\nhead -c 1048576 /dev/zero | tr '\\0' x\necho\necho noData\n",
            {"event": "completed", "result": "noData"},
            ["wrote more than 65536 bytes to standard output: the rest is dropped, but for the last line"])

    def test_one_that_does_not_exist_or_fails(self):
        for text, reason in (
                ("#!/no/such/interpreter\n",
                 "{state}/handsets/1/work/com.example.failing/./hook cannot be executed: No such file or directory; the "
                 "file, or the interpreter in its first line, does not exist"),
                ("#!/bin/sh\necho newData\nexit 7\n", "ended with exit status 7")):
            with self.subTest(text):
                self.fails(text, {"event": "completed", "result": "failed", "detail": reason}, [reason])

    def test_one_that_is_killed(self):
        with ProgramAppliance(victim="#!/bin/sh\nsleep 600 &\nkill -9 $$\n") as appliance:
            push = appliance.update("victim")
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
