#!/usr/bin/env bash
# Runs the unit tests, or those that the arguments of `swift test` select. If they do not end in a quarter of an hour it
# says which have not, and what their threads do where there is a gdb, and fails: a test that hangs shows nothing.
set -euo pipefail
cd "$(dirname "$0")/.."
seconds="${DESKBELL_TEST_SECONDS:-900}"

log="$(mktemp)"
trap 'rm -f "$log"' EXIT

# Ours are built testable (Package.swift); asking for it here would build every dependency a second time.
# All tests at once would share two cores, and one that waits for an answer would meet its time limit.
SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH=16 stdbuf -oL \
  swift test -c release --disable-testable-imports --skip-build "$@" > >(tee "$log") 2>&1 &
tests=$!

for ((second = 0; second < seconds; second++)); do
  kill -0 "$tests" 2>/dev/null || break
  sleep 1
done
if ! kill -0 "$tests" 2>/dev/null; then
  wait "$tests" && exit
  code=$?
  # Again, at the end: above are thousands of lines.
  echo "== What failed:"
  grep -A 8 -E '^✘ .*(recorded an issue|failed after)' "$log" | grep -vE '^[✔◇➜]|^--$' || true
  exit "$code"
fi

program="$(pgrep --newest --parent "$tests" --full xctest || true)"
[ -z "$program" ] || kill -STOP "$program"
sleep 1
echo "== After $seconds s these tests are begun, and have not ended:"
python3 - "$log" <<'PYTHON'
import re
import sys

begun, ended = [], set()
for line in open(sys.argv[1], encoding="utf-8", errors="replace"):
    if found := re.match(r"◇ Test (?!case |run )(.+) started\.$", line):
        begun.append(found[1])
    elif found := re.match(r"\S Test (.+?)(?: with \d+ test cases?)? (?:passed|failed|skipped)", line):
        ended.add(found[1])
print("\n".join(name for name in begun if name not in ended))
PYTHON
if [ -n "$program" ] && command -v gdb >/dev/null; then
  echo "== What their threads do:"
  timeout 60 gdb --batch --pid "$program" --eval-command 'thread apply all backtrace 24' </dev/null 2>/dev/null || true
fi
pkill --signal KILL --parent "$tests" || true
kill -KILL "$tests" 2>/dev/null || true
exit 1
