#!/usr/bin/env bash
# Records docs/tour anew from the real program: `deskbell demo` in a terminal, and the panel in Chromium.
set -euo pipefail
cd "$(dirname "$0")/../.."

environment=.build/tour
scripts/python-environment.sh "$environment" scripts/tour/requirements.txt
export DESKBELL="${DESKBELL:-$PWD/.build/release/deskbell}" PYTHONDONTWRITEBYTECODE=1
mkdir -p docs/tour
echo "== The terminal (a minute and a half)"
"$environment/bin/python" scripts/tour/terminal.py docs/tour
# termtosvg draws a picture that moves without scripts, as pages that embed pictures require.
"$environment/bin/termtosvg" render docs/tour/demo.cast docs/tour/demo.svg \
  --template window_frame --max-frame-duration 2500 --loop-delay 3000 >/dev/null
echo "== The panel"
"$environment/bin/python" -m Tests.Panel.tour docs/tour
size=$(cat docs/tour/* | wc -c)
[ "$size" -le 1500000 ] || { echo "docs/tour has $size bytes: 1,500,000 at most" >&2; exit 1; }
echo "docs/tour: $size bytes"
