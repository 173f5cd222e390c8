"""Temporary disk faults under load: EIO, ENOSPC and EROFS, of writes, syncs and opens; then slow syncs.

During a fault pushes are answered 503, and the device `store` gives the reason. Afterwards the daemon recovers.
"""

import errno
import itertools
import json
import sys
import time

from Tests.Torture.checker import Losses
from Tests.Torture.cuts import Recording
from Tests.Torture.load import Ledger, Push, Pusher, send_all
from Tests.Torture.stories.kill import Life
from Tests.Torture.target import DidNotStart, Follower, Target
from Tests.support.project import PATIENCE_SECONDS
from Tests.support.report import Section, percentile

GOAL = 600
SHARE = 0.15
CODES = (errno.EIO, errno.ENOSPC, errno.EROFS)
FAULTS = [(code, operation) for code in CODES for operation in ("write", "sync")]
FAULTS_PER_LIFE = 12
CUTS = 2
FORGETFUL_CUTS = 4
OTHERS = [(code, operation) for code in CODES for operation in ("write", "sync", "open")]
DELAYS_MS = (15, 500)


def play(torture):
    return [*while_running(torture), forgetful(torture), installing(torture), at_start(torture), slow(torture)]


def while_running(torture):
    section, total, counts = Section("disk faults, on and off while running"), Losses(), dict.fromkeys(FAULTS, 0)
    cut_section, cut_total = Section("power cuts after disk faults"), Losses()
    order, answers, recoveries, lives, cuts = itertools.cycle(FAULTS), {200: 0, 503: 0}, [], 0, 0
    while torture.goes_on(sum(counts.values()), GOAL):
        # Every other run is recorded, and its power cut; the others are killed.
        is_recorded = lives % 2 == 0
        with Target(torture.template, library=torture.library, traces=is_recorded) as target:
            life = Life(target, torture.random)
            target.start()
            life.catch_up()
            follower = Follower(target, life.events[-1]["sequence"])
            pusher = Pusher(target, life.ledger, torture.random.choice((1, 20)))
            for fault in itertools.islice(order, FAULTS_PER_LIFE):
                recoveries.append(one(torture, target, fault, pusher, total))
                counts[fault] += 1
                torture.progress(sum(counts.values()), GOAL, total)
            target.kill()
            pusher.close()
            life.seen = follower.close()
            for status in answers:
                answers[status] += sum(push.statuses.count(status) for push in life.ledger.pushes.values())
            if is_recorded:
                recording = Recording(torture, target, life.ledger, life.seen)
                for losses in recording.cut(CUTS, forgets=False):
                    cut_total.add(losses)
                    cuts += 1
            lives += 1
            # Without a fault, on the current files: the process was killed, the disk was not.
            target.start()
            life.kill()
            total.add(life.end())
    for (code, operation), count in counts.items():
        goal = max(1, torture.goal(GOAL) // len(FAULTS))
        section.at_least(f"{errno.errorcode[code]} of every {operation}", count, goal)
    section.note("answers", ", ".join(f"{status}: {count:,}" for status, count in answers.items()))
    section.at_least("answers of 503", answers[503], 1)
    section.note("milliseconds until a push is stored again, half and at most",
                 f"{percentile(recoveries, 50) * 1000:.0f}, {max(recoveries) * 1000:.0f}")
    total.report(section)
    cut_section.note("cuts", cuts)
    cut_total.report(cut_section)
    return [section, cut_section]


def forgetful(torture):
    """Cuts the power after a failed sync, whose writes Linux does not repeat. If they include a commit that did not wait
    for the disk, the log has a gap, and SQLite reads nothing after it: the daemon must begin a new log."""
    section, total = Section("a power cut after a failed sync, whose pages Linux does not write again"), Losses()
    with Target(torture.template, library=torture.library, traces=True) as target:
        ledger, statuses = Ledger(torture.random), []
        target.start()
        follower = Follower(target)
        sound = Push(json.dumps({"aps": {"alert": "A letter", "sound": "default"}}).encode())
        ledger.pushes[sound.id] = sound
        statuses += send_all(target, [sound])
        # The speaker's report is stored, and not synced.
        target.wait_for_event("sound-ended")
        target.shim.fault("sync", errno.EIO)
        statuses += send_all(target, [ledger.new()])
        target.shim.work()
        statuses += send_all(target, [ledger.new() for _ in range(3)], streams=1)
        target.kill()
        recording = Recording(torture, target, ledger, follower.close())
        for _ in range(FORGETFUL_CUTS):
            total.add(recording.cut_at_end())
    section.equal("answers", statuses, [200, 503, 200, 200, 200])
    section.note("cuts", FORGETFUL_CUTS)
    total.report(section)
    return section


def one(torture, target, fault, pusher, losses):
    """Makes one fault; returns the seconds after its end until a push was stored."""
    code, operation = fault
    before = target.shim.get("injected")
    target.shim.fault(operation, code)
    until = time.monotonic() + torture.random.uniform(0.02, 0.15)
    limit = time.monotonic() + PATIENCE_SECONDS
    # The fault must have affected a call. The preload only counts: nothing tells when.
    while time.monotonic() < until or (target.shim.get("injected") == before and time.monotonic() < limit):
        time.sleep(0.005)
    if torture.random.random() < 0.3:
        store = target.store()
        if store["works"] or not store.get("problem"):
            losses.other.append(f"the store is said to work while it has {errno.errorcode[code]} of every {operation}")
    target.shim.work()
    begun = time.monotonic()
    # A connection of its own: the pusher's may have been closed for too many failures.
    statuses = []
    while 200 not in statuses and time.monotonic() < begun + PATIENCE_SECONDS:
        statuses += send_all(target, [pusher.ledger.new()])
    seconds = time.monotonic() - begun
    if 200 not in statuses:
        losses.other.append(f"nothing is stored after {errno.errorcode[code]} of every {operation}: {statuses[-3:]}")
    return seconds


def installing(torture):
    """Installs apps during faults: one that cannot be stored is refused without remains; afterwards it is complete."""
    section, faults = Section("apps installed while the disk fails"), []
    with Target(torture.template, library=torture.library) as target:
        target.start()
        for number, (code, operation) in enumerate(OTHERS):
            app, name = f"com.example.app{number}", f"{errno.errorcode[code]} of every {operation}"
            bundle = target.renamed_mailroom(app)
            target.shim.fault(operation, code)
            refused = target.command("app", "install", bundle, check=False)
            target.shim.work()
            if refused.returncode != 1 or any(listed["id"] == app for listed in target.ask("/v1/apps")):
                faults.append(f"{name}: exit status {refused.returncode}: {refused.stdout}{refused.stderr}")
            target.run("app", "install", bundle)
            stored = target.state / "handsets/1/apps" / app / "files"
            for path in bundle.rglob("*"):
                copy = stored / path.relative_to(bundle)
                if path.is_file() and (not copy.exists() or copy.read_bytes() != path.read_bytes()):
                    faults.append(f"{name}: {path.relative_to(bundle)} is not as it was")
        target.kill()
    section.note("faults", len(OTHERS))
    section.none("not refused, or not whole afterwards", faults)
    return section


def at_start(torture):
    """Makes a fault at the start: the daemon reports it and ends. After the fault it starts, and has everything."""
    section, total = Section("disk faults at the start"), Losses()
    with Target(torture.template, library=torture.library) as target:
        life = Life(target, torture.random)
        life.live()
        for code, operation in OTHERS:
            name = f"{errno.errorcode[code]} of every {operation}"
            target.shim.fault(operation, code)
            try:
                target.start()
            except DidNotStart as error:
                section.note(name, f"exit status {error.status}")
                if error.status != 1 or str(target.state) not in error.said:
                    total.other.append(f"{name}: exit status {error.status}, and it said: {error.said}")
            else:
                section.note(name, "started")
                target.kill()
            target.shim.work()
            target.start()
            life.kill()
        total.add(life.end())
    total.report(section)
    return section


def slow(torture):
    """Syncs as slow as those of a bad SD card: pushes wait, share commits, and none is lost."""
    section, total = Section("slow syncs"), Losses()
    for delay in DELAYS_MS:
        with Target(torture.template, library=torture.library) as target:
            target.shim.set("sync_delay_ms", delay)
            life = Life(target, torture.random)
            target.start()
            life.catch_up()
            syncs = target.shim.get("syncs")
            pusher = Pusher(target, life.ledger, 100)
            pusher.wait(1)
            # As many as it has in this time.
            pusher.wait(sys.maxsize, 2 + 2 * delay / 1000)
            if pusher.has_ended:
                raise AssertionError("the connection ended")
            target.kill()
            pusher.close()
            syncs = target.shim.get("syncs") - syncs
            section.note(f"{delay} ms a sync: pushes answered, syncs", f"{pusher.answers:,}, {syncs}")
            target.shim.set("sync_delay_ms", 0)
            total.add(life.end())
    total.report(section)
    return section
