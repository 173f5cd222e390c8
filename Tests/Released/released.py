"""The folders of released versions. Every later version reads them, for ever.

`database.sql` is a database after a scene that fills every table; `inputs.jsonl` has the recorded inputs of the scene,
and `events.jsonl` the events that the release replayed from them; `reports.jsonl` has the answers of its commands on
that database after a restart, one a line.
"""

import json
import sqlite3
from pathlib import Path

HERE = Path(__file__).resolve().parent
# The size of a page, and its bytes at the end that have the checksum.
PAGE, RESERVED = 4096, 8


def releases():
    """Returns the folder of each release, the oldest first; fails if there is none."""
    folders = [path.parent for path in HERE.glob("*/database.sql")]
    assert folders, f"{HERE} has no release"
    return sorted(folders, key=lambda folder: [int(number) for number in folder.name.split(".")])


def stored_reports(release):
    """Returns the answers of the release by their commands."""
    lines = (release / "reports.jsonl").read_text().splitlines()
    return {line["command"]: line["answer"] for line in map(json.loads, lines)}


def pushes(reports):
    """Returns the identifiers of the scene's pushes in their order."""
    return [command.split()[1] for command in reports if command.startswith("explain ")]


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
