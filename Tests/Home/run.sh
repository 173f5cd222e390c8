#!/usr/bin/env bash
# Runs the release binary against a real Home Assistant and aiontfy, each in a virtual environment of its own (600 MB).
set -euo pipefail
cd "$(dirname "$0")/../.."

# The newest core for Debian 13's Python, and the newest aiontfy: they need different versions of it.
scripts/debian13-python.sh .build/home Tests/Home/homeassistant.txt
scripts/debian13-python.sh .build/aiontfy Tests/Home/aiontfy.txt

export DESKBELL="${DESKBELL:-$PWD/.build/release/deskbell}" PYTHONDONTWRITEBYTECODE=1
status=0
# Each in a process of its own: Home Assistant looks at its environment once.
for test in home/test_home_assistant home/test_home_ntfy aiontfy/test_aiontfy; do
  ".build/${test%/*}/bin/python" -m unittest "Tests.Home.${test#*/}" "$@" || status=$?
done
exit "$status"
