#!/usr/bin/env bash
# The web panel of the release binary in headless Chromium, in a virtual environment of its own. Pictures of what it
# looked like go to .build/panel.
set -euo pipefail
cd "$(dirname "$0")/../.."

environment=.build/panel-tests
scripts/python-environment.sh "$environment" Tests/Panel/requirements.txt
"$environment/bin/pip" install --quiet --disable-pip-version-check --no-deps --requirement Tests/Panel/axe.txt
export DESKBELL="${DESKBELL:-$PWD/.build/release/deskbell}" PYTHONDONTWRITEBYTECODE=1
mkdir -p .build/panel
exec "$environment/bin/python" -m unittest discover --start-directory Tests/Panel --top-level-directory . "$@"
