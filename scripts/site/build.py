#!/usr/bin/env python3
"""The documentation as a static site in .build/site/html: README, docs/, and files linked there, by mkdocs-material.

Pages keep their places in the project, so their links stay valid. The menu is the index in docs/README.md. mkdocs runs
in an environment of its own; a broken link is an error.
"""
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from urllib.parse import unquote, urlsplit

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "scripts/site"
SITE = ROOT / ".build/site"
PAGES = SITE / "pages"
INDEX = "docs/README.md"

spec = importlib.util.spec_from_file_location("check_links", ROOT / "scripts/check-links.py")
links = importlib.util.module_from_spec(spec)
sys.dont_write_bytecode = True
spec.loader.exec_module(links)


def targets(page):
    """Yields the files and folders of the project that a page links to."""
    for _, line in links.lines(page):
        for target in links.LINK.findall(links.CODE.sub("", line)):
            parts = urlsplit(target)
            if not parts.scheme and parts.path:
                yield (page.parent / unquote(parts.path)).resolve()


def linked():
    """Returns README, docs/, and all files that links from there reach."""
    found, ahead = set(), [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]
    while ahead:
        path = ahead.pop()
        # mkdocs reports a missing file with the page that links to it.
        if path not in found and path.exists():
            found.add(path)
            if path.suffix == ".md":
                ahead += targets(path)
            elif path.is_dir() and (path / "README.md").exists():
                ahead.append(path / "README.md")
    return found


def page_text(page):
    """Returns the page with the differences between GitHub and mkdocs adapted: links to folders, and numbered lists."""

    def of(match):
        parts = urlsplit(match[1])
        path = (page.parent / unquote(parts.path)).resolve()
        if parts.scheme or not parts.path or not path.is_dir():
            return match[0]
        return f"]({parts.path.rstrip('/')}/{'README.md' if (path / 'README.md').exists() else 'index.md'})"

    lines, in_item, in_code = [], False, False
    for line in page.read_text().splitlines():
        in_code ^= bool(links.FENCE.match(line))
        if re.match(r"\d+\. ", line):
            if in_item and lines[-1].startswith(" "):
                lines.append("")
            in_item = True
        elif line and not line.startswith("   "):
            in_item = False
        if in_item and line.startswith("   ") and not line.startswith("    "):
            line = " " + line
        if not in_code:
            line = links.LINK.sub(of, line)
            # On a phone a drawing is small, so it can be opened alone.
            line = re.sub(r"^!\[([^\]]*)\]\(([^)]*)\)$", r"[![\1](\2)](\2)", line)
        lines.append(line)
    return "\n".join(lines) + "\n"


def stage():
    shutil.rmtree(PAGES, ignore_errors=True)
    for path in sorted(linked() | {ROOT / "Panel/bell.svg"}):
        copy = PAGES / path.relative_to(ROOT)
        if path.is_dir():
            if not (path / "README.md").exists():
                copy.mkdir(parents=True, exist_ok=True)
                names = subprocess.check_output(["git", "ls-files", "."], cwd=path, text=True).splitlines()
                listed = "\n".join(f"- `{name}`" for name in names)
                (copy / "index.md").write_text(f"# {path.relative_to(ROOT)}\n\nA folder of the project:\n\n{listed}\n")
            continue
        copy.parent.mkdir(parents=True, exist_ok=True)
        if path.suffix == ".md":
            copy.write_text(page_text(path))
        else:
            shutil.copy(path, copy)
    shutil.copy(SOURCE / "site.css", PAGES)


def menu():
    """Returns the tables of the index, a section for each heading."""
    found = [{"Home": "README.md"}, {"Documentation": INDEX}]
    section = "Start"
    for _, line in links.lines(ROOT / INDEX):
        if heading := re.match(r"## (.*)", line):
            section = heading[1]
        for name, target in re.findall(r"\[([^\]]+)\]\(([^)#]+\.md)\)", line) if line.startswith("|") else []:
            entry = {name[0].upper() + name[1:]: os.path.relpath(ROOT / "docs" / target, ROOT)}
            if not isinstance(found[-1].get(section), list):
                found.append({section: []})
            found[-1][section].append(entry)
    return found


def main():
    subprocess.run([ROOT / "scripts/python-environment.sh", SITE / "venv", SOURCE / "requirements.txt"], check=True)
    stage()
    own = {"docs_dir": str(PAGES), "site_dir": str(SITE / "html"), "nav": menu()}
    settings = SITE / "mkdocs.yml"
    settings.write_text((SOURCE / "mkdocs.yml").read_text() + "".join(
        f"{key}: {json.dumps(value, ensure_ascii=False)}\n" for key, value in own.items()))
    # Without --quiet: messages that are not printed do not count as errors.
    done = subprocess.run(
        [SITE / "venv/bin/mkdocs", "build", "--strict", "--clean", "--config-file", settings], capture_output=True,
        text=True)
    if done.returncode != 0:
        print(done.stdout + done.stderr, file=sys.stderr)
    else:
        print(f"{(SITE / 'html').relative_to(ROOT)}/index.html")
    return done.returncode


if __name__ == "__main__":
    sys.exit(main())
