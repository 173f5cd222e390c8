"""Backups: made while the daemon runs, restored on another machine, killed in the middle of either."""

import os
import shutil
import signal
import sqlite3
import stat
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from Tests.support.appliance import APP, Appliance, Mailroom
from Tests.support.project import DESKBELL, ROOT

PUSH = '{"aps": {"alert": "A letter", "badge": 3}}'


class Elsewhere(Appliance):
    """Another machine: a daemon that a test starts on restored data."""

    def __enter__(self):
        return self

    def restore(self, source, *words, check=True, environment=None):
        return subprocess.run(
            [DESKBELL, "restore", str(source), "--state", str(self.state), *words], capture_output=True, text=True,
            check=check, env={**self.environment, "HOME": str(self.folder), **(environment or {})})

    def rings(self, test):
        """Starts and rings with the key, the token and the authority of the original."""
        self.key, self.token = test.original.key, test.original.token
        self.start()
        self.ca.write_bytes(test.authority)
        test.assertEqual(self.curl(PUSH)[0], 200)
        test.assertEqual(self.report("state")["presentation"]["badge"], 3)
        test.assertEqual(self.errors_about_damage(), [])

    def errors_about_damage(self):
        return [line for line in self.errors if "critical" in line]


class BackupTests(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = Path(cls.enterClassContext(tempfile.TemporaryDirectory(prefix="deskbell-backup-")))
        cls.library = cls.folder / "kill_at_step.so"
        subprocess.run(
            ["gcc", "-shared", "-fPIC", "-O1", "-o", cls.library, ROOT / "Tests/Clients/kill_at_step.c", "-ldl"], check=True)
        (cls.folder / "board.yaml").write_bytes((ROOT / "board-configs/simulated.yaml").read_bytes())
        (cls.folder / "deskbell.yaml").write_text(f"board: {cls.folder}/board.yaml\nlanguage: de\n")
        cls.original = cls.enterClassContext(Appliance("--config", cls.folder / "deskbell.yaml"))
        cls.original.install_mailroom()
        cls.original.curl('{"aps": {"alert": "Stored"}}')
        # All that another machine needs is stored while the daemon runs.
        cls.authority = cls.original.ca.read_bytes()
        cls.backup = cls.folder / "desk.backup"
        cls.made = cls.original.report(
            "backup", cls.backup, "--state", cls.original.state, "--config", cls.folder / "deskbell.yaml")

    def test_what_it_says_and_who_may_read_it(self):
        contents = self.made["contents"]
        self.assertEqual(contents["apps"], [APP])
        self.assertEqual(contents["providers"], ["tests"])
        self.assertEqual(contents["notifications"], 1)
        self.assertEqual(contents["settings"], [f"{self.folder}/deskbell.yaml", f"{self.folder}/board.yaml"])
        self.assertEqual(self.made["bytes"], self.backup.stat().st_size)
        self.assertEqual(stat.S_IMODE(self.backup.stat().st_mode), 0o600)
        self.assertFalse((self.original.state / "backup-partial").exists())
        again = self.original.run("backup", self.backup, "--state", self.original.state)
        self.assertIn(f"  apps           {APP}\n", again)
        self.assertIn("It contains keys: keep it where only you can read it.", again)

    def test_only_a_backup_is_replaced(self):
        for path, words in [(self.folder / "notes.txt", "is there, and is no backup"),
                            (self.original.state / "deskbell.sqlite", "is there, and is no backup"),
                            (self.folder, "is no backup"), (self.folder / "none/x", "No such file")]:
            if path.suffix == ".txt":
                path.write_text("mine")
            before = path.read_bytes() if path.is_file() else None
            self.assertIn(words, self.original.refusal("backup", path, "--state", self.original.state))
            if before and path.suffix == ".txt":
                self.assertEqual(path.read_bytes(), before)

    def test_another_machine_rings(self):
        with Elsewhere() as other:
            done = other.restore(self.backup, "--keep-settings")
            self.assertIn(f"  apps           {APP}\n", done.stdout)
            self.assertEqual(stat.S_IMODE(other.state.stat().st_mode), 0o700)
            self.assertEqual(stat.S_IMODE((other.state / "tls/ca-key.pem").stat().st_mode), 0o600)
            other.rings(self)
            self.assertEqual(len(other.report("center")), 2)
            # The app's sounds and programs are restored too.
            bundles = list((other.state / "bundles").iterdir())
            self.assertEqual([bundle.name for bundle in bundles],
                             [bundle.name for bundle in (self.original.state / "bundles").iterdir()])

    def test_settings_come_back_and_what_differs_stays_beside(self):
        with Elsewhere() as other:
            settings = self.folder / "deskbell.yaml"
            before = settings.read_text()
            try:
                settings.write_text("language: fr\n")
                done = other.restore(self.backup, "--config", str(settings))
                self.assertEqual(settings.read_text(), before)
                self.assertEqual((self.folder / "deskbell.yaml.replaced-1").read_text(), "language: fr\n")
                self.assertIn(f"The settings file that was there before is {settings}.replaced-1.", done.stdout)
                # The board file was identical.
                self.assertFalse((self.folder / "board.yaml.replaced-1").exists())
            finally:
                settings.write_text(before)

    def test_nothing_is_overwritten(self):
        with Elsewhere() as other:
            other.start()
            other.install_mailroom()
            done = other.restore(self.backup, "--keep-settings", check=False)
            self.assertEqual(done.returncode, 1)
            self.assertIn(f"another deskbell (process {other.process.pid}) uses", done.stderr)
            token = other.token
            other.stop()
            done = other.restore(self.backup, "--keep-settings", check=False)
            self.assertEqual(done.returncode, 1)
            self.assertIn("has 1 apps and 1 providers: 'deskbell restore --replace'", done.stderr)
            dry = other.restore(self.backup, "--dry-run")
            self.assertIn("Nothing was changed.", dry.stdout)
            other.start()
            self.assertEqual(other.run("app", "token", APP).strip(), token)
            other.stop()
            done = other.restore(self.backup, "--keep-settings", "--replace")
            self.assertIn(f"What was there before is in {other.state.resolve()}/replaced-1.", done.stdout)
            self.assertTrue((other.state / "replaced-1/deskbell.sqlite").is_file())
            other.rings(self)

    def test_what_is_no_backup_changes_nothing(self):
        damaged = self.folder / "damaged.backup"
        contents = bytearray(self.backup.read_bytes())
        contents[len(contents) // 2] ^= 1
        damaged.write_bytes(contents)
        text = self.folder / "text.backup"
        text.write_text("no backup " * 1000)
        foreign = self.folder / "foreign.backup"
        with sqlite3.connect(foreign) as database:
            database.execute("CREATE TABLE t (x)")
        database.close()
        cut = self.folder / "cut.backup"
        cut.write_bytes(self.backup.read_bytes()[:-5000])
        with Elsewhere() as other:
            for source, words in [
                    (damaged, "pages are not as the daemon wrote them"),
                    (text, "text.backup is damaged, or not complete: file is not a database"),
                    (foreign, "is neither a backup nor a database of deskbell's"),
                    (cut, "cut.backup is damaged, or not complete"), (self.folder / "none", "No such file")]:
                done = other.restore(source, "--keep-settings", check=False)
                self.assertEqual(done.returncode, 1, source)
                self.assertIn(words, done.stderr)
                self.assertEqual([path.name for path in other.state.iterdir()] if other.state.exists() else [],
                                 ["lock"] if other.state.exists() else [])

    def test_a_copy_by_sqlite_is_a_database(self):
        copy = self.folder / "copy.sqlite"
        with sqlite3.connect(self.original.state / "deskbell.sqlite") as source, sqlite3.connect(copy) as target:
            source.backup(target)
        source.close()
        target.close()
        with Elsewhere() as other:
            done = other.restore(copy)
            self.assertIn("is a database alone", done.stdout)
            other.start()
            self.assertEqual(len(other.report("app", "list")), 1)
            other.stop()
        with Elsewhere() as other:
            # A backup by hand, without the command.
            shutil.copytree(self.original.state / "tls", other.state / "tls")
            (other.state / "deskbell.sqlite").write_bytes(copy.read_bytes())
            other.rings(self)

    def killed(self, step, *words, **options):
        """Returns true if the command was killed before its end."""
        (self.folder / "steps").write_bytes(bytes(4))
        environment = {"LD_PRELOAD": str(self.library), "KILL_AT_STEP": str(step), "STEPS": str(self.folder / "steps")}
        done = subprocess.run([DESKBELL, *map(str, words)], capture_output=True, text=True,
                              env={**os.environ, **environment}, **options)
        self.assertIn(done.returncode, (0, -signal.SIGKILL), done.stderr)
        return done.returncode != 0

    def steps(self, *words):
        """Returns the steps at which to kill it: some of the first, and all of the last."""
        self.assertFalse(self.killed(0, *words))
        count = int.from_bytes((self.folder / "steps").read_bytes(), sys.byteorder)
        return sorted(set(range(1, count, max(1, count // 25))) | set(range(max(1, count - 25), count + 1)))

    def test_a_backup_that_is_killed(self):
        target = self.folder / "killed.backup"
        words = ("backup", target, "--state", self.original.state)
        whole = {True: 0, False: 0}
        for step in self.steps(*words):
            target.unlink(missing_ok=True)
            self.assertTrue(self.killed(step, *words), step)
            # The backup exists as a whole or not at all.
            whole[target.exists()] += 1
            if target.exists():
                with Elsewhere() as other:
                    self.assertIn("Nothing was changed.", other.restore(target, "--dry-run").stdout)
        self.assertGreater(whole[True], 0)
        self.assertGreater(whole[False], 20)
        self.assertEqual(self.original.curl('{"aps": {"badge": 1}}')[0], 200)
        # The next one removes their remains.
        self.assertFalse(self.killed(0, *words))
        self.assertEqual(list(self.original.state.glob("backup*")), [])
        self.assertEqual(list(self.folder.glob("*.partial")), [])

    def test_a_restore_that_is_killed(self):
        with Elsewhere() as first, Elsewhere() as begun:
            words = ("restore", self.backup, "--keep-settings", "--state")
            steps = self.steps(*words, first.state)
            # The new daemon's own first state, which the restore replaces.
            begun.start()
            begun.stop()
            seen = {True: [], False: []}
            for step in steps:
                with Elsewhere() as other:
                    replaces = step % 2 == 0
                    if replaces:
                        shutil.copytree(begun.state, other.state, ignore=shutil.ignore_patterns("*.sock"))
                    killed = self.killed(step, *words, other.state)
                    other.start()
                    self.assertEqual(other.errors_about_damage(), [], step)
                    apps = [app["id"] for app in other.report("app", "list")]
                    self.assertIn(apps, ([], [APP]))
                    seen[replaces].append(bool(apps))
                    if not apps:
                        self.assertTrue(killed)
                        other.stop()
                        other.restore(self.backup, "--keep-settings")
                    other.stop()
                    other.rings(self)
        for found in seen.values():
            # From one step on the data are restored.
            self.assertEqual(found, sorted(found))
            self.assertEqual(set(found), {True, False})


class ChangedDatabaseTests(unittest.TestCase):
    """Changes by another program to the database of a stopped daemon."""

    def change(self, appliance, *scripts):
        database = sqlite3.connect(appliance.state / "deskbell.sqlite", isolation_level=None)
        for script in scripts:
            database.execute(script)
        database.close()

    def test_a_journal_mode_and_vacuum_are_harmless(self):
        with Mailroom() as appliance:
            for script in ("PRAGMA journal_mode = DELETE", "VACUUM", "PRAGMA wal_checkpoint(TRUNCATE)"):
                appliance.stop()
                self.change(appliance, script)
                appliance.start()
                self.assertEqual([app["id"] for app in appliance.report("app", "list")], [APP], script)

    def test_a_changed_one_is_named_and_can_be_accepted(self):
        with Mailroom() as appliance:
            appliance.stop()
            self.change(appliance, "ANALYZE")
            appliance.start()
            kept = appliance.state.resolve() / "damaged-1"
            said = "\n".join(appliance.errors)
            self.assertRegex(said, rf"{kept}: (page|pages|\d+) .* as (it was|they were) written; "
                                   r"SQLite's own check finds no fault\. To bring back a backup, stop the daemon")
            command = f"deskbell restore --accept-changes {kept}"
            self.assertIn(command, said)
            self.assertEqual(appliance.report("app", "list"), [])
            appliance.stop()
            self.assertIn(command, appliance.refusal("restore", kept, "--state", appliance.state))
            # The command as printed, for this state directory.
            done = appliance.command(*command.split()[1:], "--state", appliance.state)
            self.assertIn("that another program wrote: accepted, SQLite's integrity check passes", done.stdout)
            appliance.start()
            self.assertEqual(appliance.curl(PUSH)[0], 200)
            self.assertEqual(appliance.report("state")["presentation"]["badge"], 3)
            self.assertFalse(any("critical" in line for line in appliance.errors))

    def test_an_empty_or_missing_one_beside_a_full_folder(self):
        for number, spoil in enumerate((lambda path: path.write_bytes(b""), lambda path: path.unlink()), 1):
            with Mailroom() as appliance:
                appliance.stop()
                bundles = sorted(path.name for path in (appliance.state / "bundles").iterdir())
                spoil(appliance.state / "deskbell.sqlite")
                appliance.start()
                kept = appliance.state.resolve() / "damaged-1"
                said = "\n".join(appliance.errors)
                self.assertIn(f"it is {['empty', 'missing'][number - 1]}, though there is more of the installation", said)
                self.assertIn(f"kept in {kept}", said)
                self.assertEqual(sorted(path.name for path in (kept / "bundles").iterdir()), bundles)
                self.assertEqual(os.readlink(kept / f"handsets/1/apps/{APP}").split("/")[-1], bundles[0])
                self.assertEqual(appliance.device("store")["problem"], f"the database was damaged, and is kept in {kept}")
                # The authority that clients trust stays.
                appliance.install_mailroom()
                self.assertEqual(appliance.curl(PUSH)[0], 200)
