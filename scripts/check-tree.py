#!/usr/bin/env python3
"""Bounds that keep the sources readable: the length of a file, and what a class, an actor or a service takes to make.

Prints each file and line that is past one; exits with 1 where there is any.
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


def main() -> int:
    names = subprocess.check_output(["git", "ls-files", "*.swift"], text=True).split()
    found = [line for name in names for line in problems(pathlib.Path(name), pathlib.Path(name).read_text())]
    print("\n".join(found) if found else f"{len(names)} Swift files, none above {LINES} lines")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
