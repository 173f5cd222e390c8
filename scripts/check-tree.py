#!/usr/bin/env python3
"""Bounds that keep the sources readable: the length of a file, and what a class, an actor or a service takes to make.
And that the tests exist which SECURITY.md names.

Prints each file and line that is past a bound, and each test that is missing; exits with 1 where there is any.
"""
import pathlib
import re
import subprocess
import sys

LINES = 400
ARGUMENTS = 8
KIND = re.compile(r"^\s*(?:public |package |private |fileprivate |final )*(class|actor|struct|enum|extension|protocol) (\w+)(.*)", re.M)
INIT = re.compile(r"\binit\??(?:<[^>]*>)?\(")


def arguments(text: str, start: int) -> int:
    """How many parameters the list has that begins at `start`."""
    depth, count, is_empty = 1, 1, True
    for character in text[start:]:
        if character in "([{":
            depth += 1
        elif character in ")]}":
            depth -= 1
            if depth == 0:
                return 0 if is_empty else count
        elif character == "," and depth == 1:
            count += 1
        is_empty = is_empty and character.isspace()
    return count


def problems(path: pathlib.Path, text: str):
    lines = text.count("\n")
    if lines > LINES:
        yield f"{path}: {lines} lines, {LINES} at most: split it by noun"
    if path.parts[0] != "Sources":
        return
    for match in INIT.finditer(text):
        before = text[text.rfind("\n", 0, match.start()) + 1:match.start()]
        if "func" in before or "." in before or "//" in before or "=" in before:
            continue
        owner = [kind for kind in KIND.finditer(text, 0, match.start())]
        if not owner:
            continue
        kind, name, rest = owner[-1].groups()
        is_held = kind in ("class", "actor") or "Service" in name + rest
        count = arguments(text, match.end())
        if is_held and count > ARGUMENTS:
            line = text.count("\n", 0, match.start()) + 1
            yield f"{path}:{line}: {name} takes {count} things to make, {ARGUMENTS} at most: group them by noun"


def is_test(name: str) -> bool:
    """Whether there is `Module/TypeTests`, `Module/TypeTests/function` or a folder of that name below `Tests`."""
    path = pathlib.Path("Tests", name)
    owners = [path.parent.with_suffix(suffix) for suffix in (".swift", ".py")]
    return path.exists() or any(path.with_suffix(suffix).exists() for suffix in (".swift", ".py")) or any(
        re.search(rf"\b(func|def) {re.escape(path.name)}\(", owner.read_text()) for owner in owners if owner.exists())


def missing_tests(page: str):
    """Of the table of promises: its last column has the tests."""
    for line in pathlib.Path(page).read_text().partition("\n## Tests\n")[2].partition("\n## ")[0].splitlines():
        columns = line.split(" | ")
        for name in re.findall(r"`([^`]+)`", columns[-1]) if len(columns) > 1 and "/" in columns[-1] else []:
            if not is_test(name):
                yield f"{page}: there is no test '{name}' below Tests: name the one that keeps the promise"


def main() -> int:
    names = subprocess.check_output(["git", "ls-files", "*.swift"], text=True).split()
    found = [line for name in names for line in problems(pathlib.Path(name), pathlib.Path(name).read_text())]
    found += missing_tests("SECURITY.md")
    print("\n".join(found) if found else f"{len(names)} Swift files, none above {LINES} lines")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
