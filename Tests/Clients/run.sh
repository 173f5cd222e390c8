#!/usr/bin/env bash
# Runs the release binary against clients that we did not write, in a virtual environment of their own.
set -euo pipefail
cd "$(dirname "$0")/../.."

environment=.build/clients
if ! cmp -s Tests/Clients/requirements.txt "$environment/requirements.txt"; then
  echo "== Installing client libraries: $(tr '\n' ' ' <Tests/Clients/requirements.txt)"
  rm -rf "$environment"
  python3 -m venv "$environment"
  "$environment/bin/pip" install --quiet --disable-pip-version-check --requirement Tests/Clients/requirements.txt
  cp Tests/Clients/requirements.txt "$environment/requirements.txt"
fi
export DESKBELL="${DESKBELL:-$PWD/.build/release/deskbell}"
PYTHONDONTWRITEBYTECODE=1 "$environment/bin/python" -m unittest discover --start-directory Tests/Clients "$@"
