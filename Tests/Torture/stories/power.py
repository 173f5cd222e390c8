"""Power cuts with torn sectors: one run under load is recorded, and its disk is rebuilt at many random moments.

The same runs are rebuilt once more with a disk that only reports syncs without making them. There pushes must be lost:
otherwise this story would find nothing.
"""

import tempfile
import time
from pathlib import Path

from Tests.Torture.checker import Losses
from Tests.Torture.cuts import Recording
from Tests.Torture.disk import Disk
from Tests.Torture.load import Ledger, Pusher
from Tests.Torture.target import Follower, Target
from Tests.support.appliance import APP
from Tests.support.report import Section

GOAL = 200
SHARE = 0.2
CUTS = 10
FIRST_STARTS = 100


def play(torture):
    section, total, lies = Section("power cuts with torn sectors"), Losses(), Losses()
    cuts, runs, syncs, installed, checkpoints, cut_lies = 0, 0, 0, 0, 0, 0
    while torture.goes_on(cuts, GOAL):
        runs += 1
        with Target(torture.template, library=torture.library, traces=True) as target:
            recording = record(torture, target)
            syncs += recording.syncs
            installed += len(recording.installed)
            for losses in recording.cut(CUTS):
                total.add(losses)
                cuts += 1
                torture.progress(cuts, GOAL, total)
            checkpoints += recording.checkpoints
            lies.add(recording.cut_at_end(lies=True))
            cut_lies += 1
    section.at_least("cuts", cuts, torture.goal(GOAL))
    section.note("recorded runs", runs)
    section.note("syncs in them", f"{syncs:,}")
    section.note("checkpoints up to the last cuts", checkpoints)
    section.note("apps installed", installed)
    total.report(section)
    control = Section("negative control: a disk that only says it has synced")
    control.note("cuts", cut_lies)
    control.at_least("answered pushes found lost", len(lies.answered_without_event), 1)
    return [section, control, first_start(torture)]


def first_start(torture):
    """Starts from an empty folder: after a cut with any files and keys left, it starts again, and they are complete."""
    section, faults, cuts = Section("power cuts during the first start"), [], 0
    goal = max(4, torture.goal(FIRST_STARTS))
    with tempfile.TemporaryDirectory(prefix="deskbell-first-") as name:
        empty, state = Path(name) / "empty", Path(name) / "state"
        empty.mkdir()
        state.mkdir(mode=0o700)
        with Target(torture.template, library=torture.library, traces=True, state=state) as target:
            target.start()
            target.kill()
            disk = Disk(empty, target.trace, torture.random)
            for position in sorted(torture.random.randint(0, target.position) for _ in range(goal)):
                disk.play(position)
                cuts += 1
                left = Path(name) / f"cut-{cuts}"
                left.mkdir(mode=0o700)
                how = disk.cut(left)
                with Target(torture.template, library=torture.library, state=left) as again:
                    try:
                        again.start()
                        again.ask("/v1/state")
                        again.kill()
                    except AssertionError as error:
                        faults.append(f"at {position} {how}: {error}")
    section.at_least("cuts", cuts, goal)
    section.none("starts that failed", faults)
    return section


def record(torture, target):
    """Records one to two seconds of pushes, changing settings, and now and then an installation of an app."""
    random = torture.random
    ledger, installed = Ledger(random), []
    target.start()
    follower = Follower(target)
    pushers = [Pusher(target, ledger, random.choice((1, 10, 100))) for _ in range(random.choice((1, 2)))]
    until = time.monotonic() + random.uniform(0.8, 1.8)
    control, number = target.control(), 0
    while time.monotonic() < until:
        number += 1
        control.call("PUT", f"/v1/apps/{APP}/settings/volume", {"value": f"{number % 100}%"})
        if random.random() < 0.02:
            app = f"com.example.app{number}"
            target.run("app", "install", target.renamed_mailroom(app))
            installed.append((app, target.position))
        # Changes come at random moments between the pushes.
        time.sleep(random.uniform(0, 0.05))
    target.kill()
    control.close()
    for pusher in pushers:
        pusher.close()
    return Recording(torture, target, ledger, follower.close(), installed)
