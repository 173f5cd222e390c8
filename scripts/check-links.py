#!/usr/bin/env python3
"""Checks that each link of each Markdown page leads to a file of the project, and to a heading in it. For external
links only the form is checked; nothing is fetched.

Prints each link that fails, as PAGE:LINE; exits with 1 if there are any.
"""
import re
import subprocess
import sys
from pathlib import Path
from urllib.parse import unquote, urlsplit

ROOT = Path(__file__).resolve().parents[1]
CODE = re.compile(r"`[^`\n]*`")
LINK = re.compile(r"\]\(<?([^()\s>]*(?:\([^()\s]*\)[^()\s]*)*)>?(?:\s+\"[^\"]*\")?\)")
FENCE = re.compile(r"^\s*(```|~~~)")


def lines(page):
    """Yields the lines outside of code, with their numbers."""
    fence = None
    for number, line in enumerate(page.read_text().splitlines(), 1):
        if found := FENCE.match(line):
            fence = None if fence == found[1] else fence or found[1]
        elif fence is None:
            yield number, line


def anchors(page):
    """Returns GitHub's anchors of headings: a repeated one has a number."""
    found = set()
    for _, line in lines(page):
        if heading := re.match(r"#{1,6} +(.*?) *#*$", line):
            words = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading[1]).lower()
            slug = base = re.sub(r"[^\w\- ]", "", words).replace(" ", "-")
            count = 0
            while slug in found:
                count += 1
                slug = f"{base}-{count}"
            found.add(slug)
    return found


def problem(page, target, files):
    """Returns the problem of a link on that page; None if there is none."""
    parts = urlsplit(target)
    if parts.scheme:
        good = parts.scheme in ("https", "http") and re.fullmatch(r"[\w.-]+\.[a-z]{2,}(:\d+)?", parts.netloc)
        return None if good or parts.scheme == "mailto" else "is no address"
    path = (page.parent / unquote(parts.path)).resolve() if parts.path else page
    if not path.is_relative_to(ROOT):
        return "leaves the project"
    name = str(path.relative_to(ROOT))
    if name not in files and not any(file.startswith(f"{name}/") for file in files) and path != ROOT:
        return "leads to no file of the project"
    if parts.fragment and path.suffix == ".md" and unquote(parts.fragment) not in anchors(path):
        return "leads to no heading"
    return None


def main():
    files = set(subprocess.check_output(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"], cwd=ROOT, text=True).splitlines())
    count, wrong = 0, []
    for page in sorted(ROOT / file for file in files if file.endswith(".md") and (ROOT / file).exists()):
        for number, line in lines(page):
            for target in LINK.findall(CODE.sub("", line)):
                count += 1
                if reason := problem(page, target, files):
                    wrong.append(f"{page.relative_to(ROOT)}:{number}: {target} {reason}")
    print("\n".join(wrong) if wrong else f"{count} links, all lead somewhere")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
