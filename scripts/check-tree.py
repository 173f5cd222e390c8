#!/usr/bin/env python3
"""Checks bounds that keep the sources readable: the length of a function, and the parameters of a class, an actor or a
service. Also that the tests named in SECURITY.md exist and are never skipped.

Prints each file and line beyond a bound, and each test that is missing or may be skipped; exits with 1 if there are
any.
"""
import pathlib
import re
import subprocess
import sys

LINES = 70
TESTS = pathlib.Path("Tests")
ARGUMENTS = 8
KIND = re.compile(r"^\s*(?:public |package |private |fileprivate |final )*(class|actor|struct|enum|extension|protocol) (\w+)(.*)", re.M)
SKIPS = re.compile(r"\.enabled\(|\.disabled\(|skipTest|skipIf|skipUnless|SkipTest|withKnownIssue|expectedFailure")
FUNCTION = re.compile(r"^( *)(?:@[^\n]* )?(?:[a-z]+(?:\([a-z]+\))? )*(func [^\s(]+|init\b[?!]?|deinit|subscript)", re.M)
INIT = re.compile(r"\binit\??(?:<[^>]*>)?\(")


def arguments(text: str, start: int) -> int:
    """Returns the number of parameters in the list that begins at `start`."""
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


def long_functions(text: str):
    """Yields line, name and length of each function beyond the bound: from its keyword to the first line that is its
    closing brace, by the indentation. A function in one line, or without a body, ends before any such line."""
    lines = text.splitlines()
    for match in FUNCTION.finditer(text):
        indent, name = match.groups()
        start = text.count("\n", 0, match.start())
        for end in range(start + 1, len(lines)):
            line = lines[end]
            if line.startswith(indent + "}"):
                if end - start + 1 > LINES:
                    yield start + 1, name, end - start + 1
                break
            # Something else begins at the same depth: the function had one line. Its parameters may end there.
            if line.strip() and not line.startswith(indent + " ") and not re.match(r" *(?:[)>{#]|where\b|\"\"\")", line):
                break


def problems(path: pathlib.Path, text: str):
    for line, name, length in long_functions(text):
        yield f"{path}:{line}: '{name}' has {length} lines, {LINES} at most: split it by noun"
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


def texts_of(name: str) -> list[str]:
    """Returns the source of `Module/TypeTests`, `Module/TypeTests/function` with attributes, or a folder, in `Tests` or one of its rooms."""
    module = name.partition("/")[0]
    path = next((room / name for room in [TESTS, *TESTS.iterdir()] if (room / module).is_dir()), TESTS / name)
    files = [path.with_suffix(suffix) for suffix in (".swift", ".py")] + sorted(path.rglob("*.py"))
    texts = [file.read_text() for file in files if file.exists()]
    for owner in (path.parent.with_suffix(suffix) for suffix in (".swift", ".py")):
        text = owner.read_text() if owner.exists() else ""
        if function := re.search(rf"\b(func|def) {re.escape(path.name)}\(", text):
            # From the end of the previous function to the beginning of the next.
            begin = max(text.rfind(end, 0, function.start()) for end in ("\n  }\n", "\n\n"))
            end = re.search(r"\n( *)(@Test|func|def|private func)\b", text[function.end():])
            texts.append(text[max(begin, 0):function.end() + end.start() if end else len(text)])
    return texts


def doubtful_tests(page: str):
    """Yields the problems of the tests in the last column of the table of promises."""
    for line in pathlib.Path(page).read_text().partition("\n## Tests\n")[2].partition("\n## ")[0].splitlines():
        columns = line.split(" | ")
        for name in re.findall(r"`([^`]+)`", columns[-1]) if len(columns) > 1 and "/" in columns[-1] else []:
            texts = texts_of(name)
            if not texts:
                yield f"{page}: there is no test '{name}' below Tests: name the one that keeps the promise"
            if any(map(SKIPS.search, texts)):
                yield f"{page}: the test '{name}' may be skipped, and the promise with it: let it run everywhere"


def main() -> int:
    names = subprocess.check_output(["git", "ls-files", "*.swift"], text=True).split()
    found = [line for name in names for line in problems(pathlib.Path(name), pathlib.Path(name).read_text())]
    found += doubtful_tests("SECURITY.md")
    print("\n".join(found) if found else f"{len(names)} Swift files, no function above {LINES} lines")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
