#!/usr/bin/env bash
# Runs the release binary against a real Home Assistant and aiontfy, each in a virtual environment of its own (600 MB).
set -euo pipefail
cd "$(dirname "$0")/../.."

# Home Assistant 2025.4.4 is the newest for Python 3.13.0; aiontfy needs 3.12.
python=""
for candidate in "${PYTHON:-}" python3.13 "$HOME"/.pyenv/versions/3.13.*/bin/python; do
  if "$candidate" -c 'import sys; sys.exit(sys.version_info[:2] != (3, 13))' 2>/dev/null; then
    python="$candidate"
    break
  fi
done
if [[ -z "$python" ]]; then
  echo "Home Assistant needs Python 3.13, and there is no python3.13: name one with PYTHON=PATH" >&2
  exit 2
fi

# What the two need of the same libraries differs.
export PYTHON=$python
scripts/python-environment.sh .build/home Tests/Home/homeassistant.txt
scripts/python-environment.sh .build/aiontfy Tests/Home/aiontfy.txt

export DESKBELL="${DESKBELL:-$PWD/.build/release/deskbell}" PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=Tests/Clients
status=0
.build/home/bin/python -m unittest discover --start-directory Tests/Home --pattern 'test_home*.py' "$@" || status=$?
.build/aiontfy/bin/python -m unittest discover --start-directory Tests/Home --pattern 'test_aiontfy.py' "$@" || status=$?
exit "$status"
