"""Compares the same attacks on two versions, from the figures of two runs.

Usage: python -m Tests.Clients.hostile.compare OLD.json NEW.json
"""

import json
import sys
from types import SimpleNamespace

from Tests.Clients.hostile.report import by

HEAD = """| Attack | By | Provider p99 | on a new connection | Refused | Lost | Memory grew | Written | Ended after |
|---|---|---|---|---|---|---|---|---|"""


def rows(path):
    with open(path) as file:
        read = json.load(file)
    return read["version"], {(row["name"], row["who"]): row for row in read["attacks"]}


def cells(row):
    seconds = row["outcome"]["seconds"]
    return [f"{row['kept']['p99']:.0f} ms", f"{row['fresh']['longest']:.0f} ms", str(sum(row["refusals"].values())),
            ", ".join(row["lost"]) or "–", f"{row['grown']:.1f} MB", f"{row['written'] / 1e6:.1f} MB",
            "never" if seconds is None else f"{seconds:.1f} s"]


def compare(old_path, new_path):
    """Yields the lines of the table."""
    (old_version, old), (new_version, new) = rows(old_path), rows(new_path)
    yield f"Each column: {old_version} → {new_version}.\n"
    yield HEAD
    for key, row in new.items():
        # A feature missing in the older version cannot be attacked there.
        before = cells(old[key]) if key in old else ["not there"] * 7
        if key in old and old[key]["outcome"]["end"].startswith("failed"):
            before = ["not there"] * 7
        yield "| " + " | ".join([row["name"], by(SimpleNamespace(**row)), *(
            then if then == now else f"{then} → {now}" for then, now in zip(before, cells(row)))]) + " |"


if __name__ == "__main__":
    print(*compare(*sys.argv[1:3]), sep="\n")
