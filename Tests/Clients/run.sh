#!/usr/bin/env bash
# Runs the release binary against clients that we did not write, in a virtual environment of their own.
set -euo pipefail
cd "$(dirname "$0")/../.."

environment=.build/clients
scripts/python-environment.sh "$environment" Tests/Clients/requirements.txt
export DESKBELL="${DESKBELL:-$PWD/.build/release/deskbell}"
export PYTHONDONTWRITEBYTECODE=1
tests() { "$environment/bin/python" -m unittest discover --start-directory Tests/Clients --pattern "$@"; }

# What waits for real time waits beside the others, and is read after them.
tests 'slow_*.py' "$@" >"$environment/slow.log" 2>&1 &
slow=$!
status=0
tests 'test_*.py' "$@" || status=$?
wait "$slow" || status=$?
cat "$environment/slow.log"
exit "$status"
