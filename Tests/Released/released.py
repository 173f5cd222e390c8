"""The folders of released versions. Every later version reads them, for ever.

`database.sql` is a database after a scene that fills every table and column but those in `EMPTY`, which the recorder
checks; `inputs.jsonl` has the recorded inputs of the scene, and `events.jsonl` the events that the release replayed from
them; `reports.jsonl` has the answers of its commands on that database after a restart, one a line.

Recorded are 0.7.3, 0.8.1 and 1.0.0. Those of 0.7.3 and 0.8.1 were recorded before the recorder checked that: their scene
left some tables and columns empty, which `test_released.py` names.
"""

import contextlib
import json
import sqlite3
from pathlib import Path

HERE = Path(__file__).resolve().parent
# The size of a page, and its bytes at the end that have the checksum.
PAGE, RESERVED = 4096, 8


# The tables and columns that the scene cannot fill, with the reason.
EMPTY = {
    "stream_position": "only a desk of a fleet has a position in a stream; Tests/Fleet kills and restarts desks",
}


def releases():
    """Returns the folder of each release, the oldest first; fails if there is none."""
    folders = [path.parent for path in HERE.glob("*/database.sql")]
    assert folders, f"{HERE} has no release"
    return sorted(folders, key=lambda folder: [int(number) for number in folder.name.split(".")])


def is_released(version):
    """Returns true unless the changelog says that the version is not released."""
    return f"\n## {version} (not released)\n" not in (HERE.parents[1] / "CHANGELOG.md").read_text()


def stored_reports(release):
    """Returns the answers of the release by their commands."""
    lines = (release / "reports.jsonl").read_text().splitlines()
    return {line["command"]: line["answer"] for line in map(json.loads, lines)}


def loaded(script):
    """Returns the database that the script makes, in memory."""
    database = sqlite3.connect(":memory:")
    database.executescript(script)
    return database


def empty(script):
    """Returns the tables without a row, and the columns, as `table.column`, that have in every row their default, or NULL
    if there is none: a program that does not read them would not be found."""
    with contextlib.closing(loaded(script)) as database:
        found = []
        for (table,) in database.execute("SELECT name FROM sqlite_schema WHERE type = 'table'").fetchall():
            if not database.execute(f"SELECT count(*) FROM {table}").fetchone()[0]:
                found.append(table)
                continue
            for _, column, _, _, default, _ in database.execute(f"PRAGMA table_info({table})").fetchall():
                filled = f"SELECT count(*) FROM {table} WHERE {column} IS NOT NULL AND {column} IS NOT {default or 'NULL'}"
                if not database.execute(filled).fetchone()[0]:
                    found.append(f"{table}.{column}")
        return found


def next_event(script):
    """Returns the number of the first event that the release had not stored."""
    with contextlib.closing(loaded(script)) as database:
        return database.execute("SELECT max(next_event) FROM handset").fetchone()[0]


def unfinished(script):
    """Returns what the power cut interrupted, and what the next start goes on with by itself: each as the events of which
    one ends it, and its push. An app that was connected gets its pushes when it connects again."""
    with contextlib.closing(loaded(script)) as database:
        programs = database.execute(
            "SELECT push FROM offered JOIN app_state USING (handset, app) WHERE NOT listens").fetchall()
        tables = {table for (table,) in database.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")}
        extensions = database.execute("SELECT request FROM extending").fetchall() if "extending" in tables else []
    return [*((("completed", "timed-out"), push.lower()) for (push,) in programs),
            *((("extended",), json.loads(request)["id"].lower()) for (request,) in extensions)]


def dump(path):
    """Returns the database as SQL. Python's own dump leaves out the pragmas that make it ours."""
    database = sqlite3.connect(path)
    # As on every machine but the recording one, the board has booted since.
    database.execute("UPDATE meta SET value = '00000000-0000-0000-0000-000000000000' WHERE key = 'boot-id'")
    pragmas = [f"PRAGMA {name} = {database.execute(f'PRAGMA {name}').fetchone()[0]};"
               for name in ("application_id", "user_version")]
    lines = list(database.iterdump())
    database.rollback()
    database.close()
    return "\n".join([*pragmas, "PRAGMA journal_mode = WAL;", *lines]) + "\n"


def restore(release, path):
    """Makes the database of the release."""
    restore_script((release / "database.sql").read_text(), path)


def restore_script(script, path):
    lay_out(path)
    database = sqlite3.connect(path)
    database.executescript(script)
    database.close()
    path.chmod(0o600)


def lay_out(path):
    """Makes an empty database with room for checksums in each page, for which Python has no call: a page without one is
    accepted, and gets one when it is written."""
    database = sqlite3.connect(path)
    database.execute(f"PRAGMA page_size = {PAGE}")
    database.execute("PRAGMA auto_vacuum = INCREMENTAL")
    # This writes the first page.
    database.execute("PRAGMA user_version = 0")
    database.close()
    page = bytearray(path.read_bytes())
    assert len(page) == PAGE, len(page)
    # The header's number of reserved bytes, and where the empty page's content begins [SQLite, Database File Format].
    page[20] = RESERVED
    page[105:107] = (PAGE - RESERVED).to_bytes(2, "big")
    path.write_bytes(page)
