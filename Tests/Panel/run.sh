#!/usr/bin/env bash
# The web panel of the release binary in headless Chromium, in a virtual environment of its own. Pictures of what it
# looked like go to .build/panel.
set -euo pipefail
cd "$(dirname "$0")/../.."

environment=.build/panel-tests
if ! cmp -s Tests/Panel/requirements.txt "$environment/requirements.txt"; then
  echo "== Installing what drives the browser: $(tr '\n' ' ' <Tests/Panel/requirements.txt)"
  rm -rf "$environment"
  python3 -m venv "$environment"
  "$environment/bin/pip" install --quiet --disable-pip-version-check --requirement Tests/Panel/requirements.txt
  cp Tests/Panel/requirements.txt "$environment/requirements.txt"
fi
export DESKBELL="${DESKBELL:-$PWD/.build/release/deskbell}"
export PYTHONDONTWRITEBYTECODE=1 PYTHONPATH="$PWD/Tests/Clients"
mkdir -p .build/panel
exec "$environment/bin/python" -m unittest discover --start-directory Tests/Panel --pattern 'test_*.py' "$@"
