#!/usr/bin/env bash
# A million malformed payloads, and property lists, against the release binary: what is resident must not grow.
set -euo pipefail
cd "$(dirname "$0")/.."
scripts/install-packages.sh test bench
scripts/python-environment.sh .build/clients Tests/Clients/requirements.txt
export DESKBELL="${DESKBELL:-$PWD/.build/release/deskbell}"
PYTHONDONTWRITEBYTECODE=1 exec .build/clients/bin/python -m Benchmarks.malformed "$@"
