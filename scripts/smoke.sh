#!/usr/bin/env bash
# Tries what has changed since BASE, which is where the branch left main, else HEAD: its format, the unit tests of its
# modules in a release build, and one push by curl to the daemon on a simulated board.
set -euo pipefail
cd "$(dirname "$0")/.."

base="${BASE:-$(git merge-base HEAD main 2>/dev/null || git rev-parse HEAD)}"
mapfile -t changed < <(
  { git diff --name-only --diff-filter=d "$base" -- && git ls-files --others --exclude-standard; } | sort -u
)
mapfile -t swift < <(printf '%s\n' "${changed[@]}" | grep '\.swift$')
if [ ${#swift[@]} -gt 0 ]; then
  echo "== Format of ${#swift[@]} files"
  swift format lint --strict "${swift[@]}"
fi

# The test targets of the changed modules. A module without tests of its own has those of the modules that import it.
targets="$(
  python3 - "${changed[@]}" <<'PYTHON'
import pathlib
import re
import subprocess
import sys

package = pathlib.Path("Package.swift").read_text()
folders = {f"Sources/{folder}": name for name, folder in re.findall(r'\bmodule\(\s*"(\w+)", in: "([^"]+)"', package)}
folders |= {f"Sources/{room}/C/{name}": name
            for name, room in re.findall(r'\b(?:cModule|systemLibrary)\(\s*"(\w+)", in: "([^"]+)"', package)}
folders |= {f"Tests/{room}/{name}Tests": f"{name}Tests"
            for name, room in re.findall(r'\btests\(\s*"(\w+)", in: "([^"]+)"', package)}
folders |= {folder: name for name, folder in re.findall(r'\bname: "(\w+)",[^)]*?\bpath: "([^"\\]+)"', package)}
names = set(folders.values())


def target_of(path):
    parents = [str(parent) for parent in pathlib.PurePath(path).parents]
    return next((folders[parent] for parent in parents if parent in folders), None)


def tests_of(target):
    if target is None or target.endswith("Tests"):
        return {target}
    if f"{target}Tests" in names:
        return {f"{target}Tests"}
    using = subprocess.run(["git", "grep", "-lE", rf"^(@testable )?import {target}$", "--", "*.swift"],
                           capture_output=True, text=True).stdout.split()
    users = {target_of(path) for path in using} - {target}
    return {f"{user}Tests" if f"{user}Tests" in names else user for user in users if user}


found = set().union(*(tests_of(target) for target in {target_of(path) for path in sys.argv[1:]}))
print("|".join(sorted(name for name in found if name and name.endswith("Tests"))))
PYTHON
)"

echo "== Building deskbell and its tests"
scripts/swift-build.sh --build-tests
if [ -n "$targets" ]; then
  echo "== Unit tests: ${targets//|/, }"
  DESKBELL_MODEL_OPERATIONS="${DESKBELL_MODEL_OPERATIONS:-20000}" scripts/unit-tests.sh --filter "($targets)\."
fi

echo "== A push by curl"
scripts/python-environment.sh .build/clients Tests/Clients/requirements.txt
DESKBELL="$PWD/.build/release/deskbell" PYTHONDONTWRITEBYTECODE=1 .build/clients/bin/python -m unittest \
  Tests.Clients.test_apns.CurlTests -k test_a_good_push_rings
