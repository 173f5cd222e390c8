#!/usr/bin/env bash
# Says what a step is, runs it, and says how long it took:
#   scripts/timed.sh 2 3 'Building deskbell' swift build
set -euo pipefail
step=$1 steps=$2 words=$3
shift 3
printf '== Step %s of %s: %s\n' "$step" "$steps" "$words"
began=$SECONDS
status=0
"$@" || status=$?
if [ $status -ne 0 ]; then
  printf '== Step %s of %s failed after %s s (exit code %s)\n' "$step" "$steps" $((SECONDS - began)) $status >&2
  exit $status
fi
printf '== Step %s of %s took %s s\n' "$step" "$steps" $((SECONDS - began))
