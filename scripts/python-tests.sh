#!/usr/bin/env bash
# Runs Python's unit tests in the environment of Tests/Clients, JOBS modules at a time (three): most of their time they wait
# for processes. Says of each module how many tests ran in how many seconds, and of one that failed all that it said.
#
#   scripts/python-tests.sh FOLDER … [-- OPTIONS OF unittest]     -- -k name for some
set -euo pipefail
cd "$(dirname "$0")/.."

folders=()
while [ $# -gt 0 ] && [ "$1" != -- ]; do
  folders+=("$1")
  shift
done
[ $# -eq 0 ] || shift
scripts/python-environment.sh .build/clients Tests/Clients/requirements.txt
export DESKBELL="${DESKBELL:-$PWD/.build/release/deskbell}" PYTHONDONTWRITEBYTECODE=1

run_module() {
  local module=$1 name=${1%.py} log status=0
  shift
  log=$(mktemp)
  .build/clients/bin/python -m unittest "${name//\//.}" "$@" >"$log" 2>&1 || status=$?
  if [ "$status" -eq 0 ]; then
    echo "$module: $(grep '^Ran ' "$log"), $(tail -n 1 "$log")"
  else
    echo "$module: FAILED"
    cat "$log"
  fi
  rm -f "$log"
  return "$status"
}
export -f run_module

failed=0
# The largest first, so that none is left alone at the end.
for folder in "${folders[@]}"; do printf '%s\n' "$folder"/slow_*.py "$folder"/test_*.py; done |
  while read -r module; do if [ -e "$module" ]; then echo "$module"; fi; done | xargs ls -S |
  xargs -P "${JOBS:-3}" -I{} bash -c 'run_module "$@"' - {} "$@" || failed=1
# Those that measure times have the machine to themselves.
for folder in "${folders[@]}"; do
  for module in "$folder"/alone_*.py; do
    [ ! -e "$module" ] || run_module "$module" "$@" || failed=1
  done
done
exit "$failed"
