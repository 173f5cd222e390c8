#!/usr/bin/env python3
"""Puts the pages into the root of a package: README, SECURITY and docs, beside links to what else they name.

A link to a file that the package does not have, such as a source, becomes its text. `pages.py ROOT`, where ROOT has
usr/share/deskbell already.
"""

import os
import re
import subprocess
import sys
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[1]
SHARED, DOCUMENTS = Path("usr/share/deskbell"), Path("usr/share/doc/deskbell")
# Both lead to the pages, and to what they name, whichever of the two folders a reader begins in.
SYMLINKS = {DOCUMENTS / name: f"../../deskbell/{name}" for name in ("Panel", "board-configs", "examples", "kits")}
SYMLINKS |= {SHARED / name: f"../doc/deskbell/{name}" for name in ("README.md", "SECURITY.md", "docs")}
FENCE = re.compile(r"^\s*(```|~~~)")
# `![words](place)` and `[words](place)`; the words of the second may be an image that stays.
LINK = re.compile(r"!?\[((?:!\[[^\[\]]*\]\([^()\s]*\)|[^\[\]])*)\]\(([^()\s]*)\)")


def is_elsewhere(link):
    return re.match(r"[a-z]+:|#|$", link) is not None


def leads(page, link):
    """Returns true if the link of a page leads to a file or a folder, as a browser goes: by the words of the path."""
    return os.path.exists(os.path.normpath(page.parent / link.split("#")[0]))


def links(text):
    """Yields the links of a text outside of code, images first."""
    is_code = False
    for line in text.splitlines():
        if FENCE.match(line):
            is_code = not is_code
        elif not is_code:
            line = re.sub(r"`[^`\n]*`", "", line)
            yield from re.findall(r"\]\(([^()\s]*)\)", line)
            yield from re.findall(r'(?:src|srcset|href)="([^"]*)"', line)


def without_dead_links(page, text):
    lines, is_code = [], False
    for line in text.split("\n"):
        if FENCE.match(line):
            is_code = not is_code
        while not is_code:
            kept = LINK.sub(
                lambda found: found[0] if is_elsewhere(found[2]) or leads(page, found[2]) else found[1], line)
            if kept == line:
                break
            line = kept
        lines.append(line)
    return "\n".join(lines)


def pages(root):
    """Yields each page once, by the path that it is installed at."""
    for folder in (DOCUMENTS, SHARED):
        yield from sorted((root / folder).rglob("*.md"))


def main(root):
    listed = subprocess.run(
        ["git", "ls-files", "README.md", "SECURITY.md", "docs"], cwd=PROJECT, check=True, stdout=subprocess.PIPE,
        text=True).stdout.split("\n")
    for name in filter(None, listed):
        if not name.endswith(".py"):
            target = root / DOCUMENTS / name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes((PROJECT / name).read_bytes())
            target.chmod(0o644)
    for place, target in SYMLINKS.items():
        (root / place).symlink_to(target)
    for page in pages(root):
        text = page.read_text()
        kept = without_dead_links(page, text)
        if kept != text:
            page.write_text(kept)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
