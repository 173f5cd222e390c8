#!/usr/bin/env bash
# Runs the release binary against clients that we did not write. -k name for some tests.
set -euo pipefail
cd "$(dirname "$0")/../.."
exec scripts/python-tests.sh Tests/Clients -- "$@"
