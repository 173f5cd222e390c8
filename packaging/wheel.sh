#!/usr/bin/env bash
# Makes the wheel of pytest-deskbell, kits/python, for `pip install`. The same commit gives the same bytes.
#   wheel.sh [--output DIR]
set -euo pipefail
cd "$(dirname "$0")/.."
output=.build/dist
[ "${1:-}" != --output ] || output=$2
mkdir -p "$output"
output=$(realpath "$output")
export SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}
scripts/python-environment.sh .build/wheel packaging/wheel.txt
python=$PWD/.build/wheel/bin/python
cd kits/python
"$python" -m hatchling build --target wheel --directory "$output"
