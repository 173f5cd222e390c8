"""The database of every released version is opened, with power cuts at any moment of the first start. A later version's
database is refused and not changed."""

import shutil
import sqlite3
import tempfile
from pathlib import Path

from Tests.Clients.test_released import is_as_released
from Tests.Released import record
from Tests.Released.released import releases, restore, stored_reports, unfinished
from Tests.Torture.disk import Disk
from Tests.Torture.target import DidNotStart, Target, Template
from Tests.support.appliance import Appliance
from Tests.support.report import Section

GOAL = 40
SHARE = 0.05
ENVIRONMENT = {"TZ": "Europe/Berlin"}
LATER = 1_000
# A part of every database's version: its pages have checksums.
CHECKSUMS = 1 << 16
# The release's own, and the one after the cut.
STARTS = 2


def play(torture):
    folders = releases()
    return [*(opened(torture, folder, len(folders)) for folder in folders), refused(torture)]


class Released(Template):
    """A state directory as a release left it. Only the machine's own parts, the keys, are new."""

    def __init__(self, release):
        self.folder_handle = tempfile.TemporaryDirectory(prefix="deskbell-torture-")
        self.folder = Path(self.folder_handle.name)
        self.options = record.OPTIONS
        with Appliance(*self.options, environment=ENVIRONMENT) as appliance:
            appliance.stop()
            shutil.copytree(appliance.state / "tls", self.folder / "state/tls")
            self.ca = appliance.ca.read_bytes()
            # No provider pushes, so any key will do.
            self.add_key(appliance)
        restore(release, self.folder / "state/deskbell.sqlite")

    def add_key(self, appliance):
        appliance.start()
        appliance.install_mailroom()
        self.key, self.token = appliance.key, appliance.token


def opened(torture, release, count):
    section, different, cuts = Section(f"an upgrade from {release.name}, cut off"), [], 0
    over = 0
    expected, waiting = stored_reports(release), unfinished((release / "database.sql").read_text())
    template = Released(release)
    try:
        with Target(template, library=torture.library, traces=True, environment=ENVIRONMENT) as target:
            target.start()
            target.kill()
            length = target.position
            goal = max(2, torture.goal(GOAL) // count)
            disk = Disk(template.folder / "state", target.trace, torture.random)
            for position in sorted(torture.random.randint(0, length) for _ in range(goal)):
                disk.play(position)
                found = after(torture, template, disk, expected, waiting)
                over += found is None
                different += found or []
                cuts += 1
                torture.progress(cuts, GOAL // count)
    finally:
        template.close()
    section.at_least("cuts", cuts, goal)
    section.note("of these when the upgrade was over", over)
    section.none("reports that are not the release's", different)
    return section


def after(torture, template, disk, expected, waiting):
    """Returns the differences from the release, once the daemon has started on the result of the cut.

    None if the upgrade was over before the cut: the handset has continued, and has offered its updates again."""
    with tempfile.TemporaryDirectory(prefix="deskbell-cut-") as folder:
        state = Path(folder) / "state"
        state.mkdir(mode=0o700)
        how = disk.cut(state)
        with Target(template, library=torture.library, state=state, environment=ENVIRONMENT) as target:
            try:
                target.start()
                if sum(event["event"] == "started" for event in target.events()) > STARTS:
                    return None
                found = record.reports(target, list(expected), waiting)
            except AssertionError as error:
                return [f"at {disk.position} {how}: {str(error)[-500:]}"]
    return [f"at {disk.position} {how}: {command}" for command, answer in expected.items()
            if not is_as_released(found[command], answer)]


def refused(torture):
    section = Section("a database of a later version")
    with Target(torture.template) as target:
        path = target.state / "deskbell.sqlite"
        database = sqlite3.connect(path)
        database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        database.execute(f"PRAGMA user_version = {CHECKSUMS + LATER}")
        # Without it the first page counts as damaged.
        database.execute("VACUUM")
        database.close()
        before = path.read_bytes()
        try:
            target.start()
            status, said = "started", ""
        except DidNotStart as error:
            status, said = error.status, error.said
        section.equal("exit status", status, 1)
        section.equal("it names the file and both versions",
                      str(path) in said and f"schema {LATER}" in said and "newer deskbell" in said, True)
        section.equal("the file is as it was", path.read_bytes() == before, True)
    return section
