"""Power cuts of one recorded run: its disk at random moments, and a daemon's behaviour on each."""

import shutil
import tempfile
from pathlib import Path

from Tests.Torture.checker import Losses, check, check_badge, check_rows
from Tests.Torture.disk import Disk
from Tests.Torture.load import Ledger, Push, send_all
from Tests.Torture.target import DidNotStart, Target

# Pushes that a provider sends again after a cut, whether they were answered or not.
AGAIN = 40
DATABASE = "deskbell.sqlite"


class Recording:
    """A state directory at the beginning of a run, the trace of the run, and observations of it from outside."""

    def __init__(self, torture, target, ledger, seen, installed=()):
        """`installed`: apps, each with the length of the trace when its installation was answered."""
        self.torture, self.target, self.ledger, self.seen, self.installed = torture, target, ledger, seen, installed
        self.length = target.position
        self.syncs = target.shim.get("syncs")
        self.checkpoints = 0

    def cut(self, count, **disk):
        """Cuts the power at `count` random moments, and yields the losses of each. `disk`: options of the disk."""
        disk = self.disk(**disk)
        for position in sorted(self.torture.random.randint(0, self.length) for _ in range(count)):
            yield self.cut_at(disk, position)
        # A checkpoint syncs the database itself; commits sync its log.
        self.checkpoints = disk.synced[DATABASE]

    def cut_at_end(self, **disk):
        """Cuts the power at the end. The files of the run are not kept, even with losses."""
        return self.cut_at(self.disk(**disk), self.length, keeps=False)

    def disk(self, **disk):
        return Disk(self.torture.template.folder / "state", self.target.trace, self.torture.random, **disk)

    def cut_at(self, disk, position, keeps=True):
        disk.play(position)
        with tempfile.TemporaryDirectory(prefix="deskbell-cut-") as folder:
            state = Path(folder) / "state"
            state.mkdir(mode=0o700)
            how = disk.cut(state)
            losses = self.restart(state, position)
        if losses.count and keeps:
            self.keep(position, how)
        return losses

    def restart(self, state, position):
        """Starts a daemon on the result of a cut, after a boot; the provider sends some pushes again, and a new one."""
        with Target(self.torture.template, library=self.torture.library, state=state) as target:
            try:
                target.start()
            except DidNotStart as error:
                return Losses(other=[str(error)])
            events = target.events()
            losses = check(self.ledger, events, self.seen, position)
            losses.add(check_badge(self.ledger, events, target.ask("/v1/state")))
            ledger = self.copied()
            again = [push for push in ledger.pushes.values() if not push.statuses or self.torture.random.random() < 0.1]
            statuses = send_all(target, [*again[-AGAIN:], ledger.new()])
            if statuses != [200] * len(statuses):
                losses.other.append(f"pushes that were sent again were answered {sorted(set(statuses))}")
            events = target.events()
            again_losses = check(ledger, events, self.seen, position)
            # The first check covers answers before the cut.
            losses.rung_twice += again_losses.rung_twice
            losses.number_given_twice += again_losses.number_given_twice
            losses.answered_without_event += again_losses.answered_without_event
            losses.other += self.missing(target, [app for app, when in self.installed if when <= position])
            losses.other += [line for line in target.errors if "left out" in line or "Fatal" in line]
            target.stop()
            if target.process.returncode != 0:
                losses.other.append(f"it stopped with {target.process.returncode}: {target.errors[-1:]}")
            losses.add(check_rows(events, state / DATABASE))
        return losses

    def missing(self, target, apps):
        """Yields the missing or changed parts of these apps, which were installed before the cut."""
        listed = {app["id"] for app in target.ask("/v1/apps")}
        for app in apps:
            if app not in listed:
                yield f"{app} was installed, and is not listed"
            bundle = Path("handsets/1/apps") / app
            for path in sorted((self.target.state / bundle).resolve().rglob("*")):
                if path.is_file():
                    name = path.relative_to((self.target.state / bundle).resolve())
                    found = target.state / bundle / name
                    if not found.exists() or found.read_bytes() != path.read_bytes():
                        yield f"{name} of {app}'s bundle is {'not whole' if found.exists() else 'lost'}"

    def copied(self):
        """Returns a ledger of the same pushes, none answered: answers after one cut do not affect the next."""
        ledger = Ledger(self.torture.random)
        for push in self.ledger.pushes.values():
            ledger.pushes[push.id] = Push(push.body, push.badge, push.id, None, list(push.statuses))
        return ledger

    def keep(self, position, how):
        """Keeps the trace of a cut that lost something, for inspection."""
        kept = self.torture.results / f"lost-{self.torture.name}-{position}"
        if kept.exists():
            return
        kept.mkdir(parents=True)
        shutil.copy(self.target.trace, kept / "trace")
        shutil.copytree(self.torture.template.folder / "state", kept / "state", symlinks=True)
        (kept / "cut").write_text(f"position {position}, sector {how[0]}, share {how[1]}, names {how[2]}\n")
