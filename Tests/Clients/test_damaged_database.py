"""A damaged database is kept, and the handset begins empty; on a full disk pushes are answered 503. All reports say so."""

import contextlib
import resource
import sqlite3
import subprocess
import unittest

from Tests.support.appliance import APP, Mailroom

BADGE = '{"aps": {"badge": %d}}'


def overwrite(state, table):
    """Overwrites the first page of a table. Then all of the database is in the one file."""
    path = state / "deskbell.sqlite"
    database = sqlite3.connect(path)
    database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    (size,) = database.execute("PRAGMA page_size").fetchone()
    (root,) = database.execute("SELECT rootpage FROM sqlite_schema WHERE name = ?", (table,)).fetchone()
    database.close()
    with path.open("r+b") as file:
        file.seek((root - 1) * size)
        file.write(b"\xaa" * size)


class DamagedDatabaseTests(unittest.TestCase):
    def begins_empty(self, appliance):
        kept = appliance.state.resolve() / "damaged-1"
        self.assertTrue((kept / "deskbell.sqlite").is_file())
        self.assertEqual(list((kept / "handsets/1/apps").iterdir())[0].name, APP)
        self.assertTrue(any(f"kept in {kept}" in line and "critical" in line for line in appliance.errors),
                        appliance.errors)
        self.assertEqual(appliance.device("store")["problem"], f"the database was damaged, and is kept in {kept}")
        self.assertEqual(appliance.report("app", "list"), [])
        # The daemon continues from here, and its port has the certificate that clients trust.
        appliance.install_mailroom()
        self.assertEqual(appliance.curl(BADGE % 3)[0], 200)

    def test_at_the_start(self):
        with Mailroom() as appliance:
            appliance.stop()
            overwrite(appliance.state, "app")
            appliance.start()
            self.begins_empty(appliance)
            # After the next start too.
            appliance.restart()
            self.assertEqual(appliance.report("state")["presentation"]["badge"], 3)
            settings = appliance.folder / "deskbell.yaml"
            settings.write_text(f"state: {appliance.state}\n")
            self.assertIn(
                f"a damaged database is kept in {appliance.state}/damaged-1", str(appliance.findings("--config", settings)))

    def test_one_changed_byte(self):
        with Mailroom() as appliance:
            appliance.curl('{"aps": {"alert": "A letter"}}')
            appliance.stop()
            path = appliance.state / "deskbell.sqlite"
            contents = bytearray(path.read_bytes())
            place = contents.index(b"A letter")
            contents[place] ^= 1
            path.write_bytes(contents)
            appliance.start()
            self.begins_empty(appliance)
            problem = f"page {place // 4096 + 1} is not as it was written"
            self.assertTrue(any(problem in line for line in appliance.errors), appliance.errors)

    def test_in_use(self):
        with Mailroom() as appliance:
            appliance.curl(BADGE % 1)
            appliance.stop()
            # Nothing reads refusals at the start.
            overwrite(appliance.state, "refused_event")
            appliance.start()
            self.assertEqual(appliance.curl(BADGE % 2)[0], 200)
            # The refusal is stored with a delay, and written into its table when the events are read or, if they have
            # just been read, at once. From there on nothing is acknowledged.
            appliance.curl("no json")
            appliance.command("events", check=False)
            with contextlib.suppress(subprocess.CalledProcessError):
                self.assertNotEqual(appliance.curl(BADGE % 2)[0], 200)
            appliance.process.wait(60)
            self.assertEqual(appliance.process.returncode, 1)
            appliance.finish()
            appliance.start()
            self.begins_empty(appliance)


class FullDiskTests(unittest.TestCase):
    def test_a_limit_on_file_sizes_is_a_full_disk_and_not_the_end(self):
        with Mailroom() as appliance:
            self.assertEqual(appliance.curl(BADGE % 1)[0], 200)
            self.assertEqual(appliance.device("store"), {"name": "store", "works": True})

            process = appliance.process.pid
            _, hard = resource.prlimit(process, resource.RLIMIT_FSIZE)
            resource.prlimit(process, resource.RLIMIT_FSIZE, (4096, hard))
            for badge in (2, 3):
                status, body, _ = appliance.curl(BADGE % badge)
                self.assertEqual((status, body), (503, {"reason": "ServiceUnavailable"}))
            store = appliance.device("store")
            self.assertFalse(store["works"])
            self.assertTrue(store["problem"])
            self.assertEqual(appliance.report("state")["presentation"]["badge"], 1)
            doctor = appliance.command("doctor", check=False)
            self.assertEqual(doctor.returncode, 1, doctor.stdout)
            self.assertRegex(doctor.stdout, r"FAIL +store +")

            resource.prlimit(process, resource.RLIMIT_FSIZE, (hard, hard))
            self.assertEqual(appliance.curl(BADGE % 4)[0], 200)
            self.assertEqual(appliance.device("store"), {"name": "store", "works": True})
            self.assertEqual(appliance.report("state")["presentation"]["badge"], 4)
            self.assertEqual([line for line in appliance.errors if "store" in line][-1],
                             "deskbell: notice: the store works again")
