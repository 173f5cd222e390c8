#!/usr/bin/env bash
# Measures the release binary beside others in the same run: absolute figures say more of the machine than of the program.
# Arguments are those of bench.py; without any, everything is measured.
set -euo pipefail
cd "$(dirname "$0")/.."
scripts/install-packages.sh test bench
scripts/python-environment.sh .build/clients Tests/Clients/requirements.txt
export DESKBELL="${DESKBELL:-$PWD/.build/release/deskbell}" PYTHONDONTWRITEBYTECODE=1
status=0
.build/clients/bin/python -m Benchmarks.bench "$@" || status=$?
[ $# -eq 0 ] || exit "$status"
.build/clients/bin/python -m Benchmarks.payloads || status=$?
.build/clients/bin/python -m Benchmarks.handsets || status=$?
exit "$status"
