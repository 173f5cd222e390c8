#!/usr/bin/env bash
# Builds every target with libFuzzer and AddressSanitizer, and runs each, or the one that is named, for so many seconds.
set -euo pipefail
cd "$(dirname "$0")/.."
seconds="${1:-60}"
only="${2:-}"

# Code is built in another folder than the tests' and the product's, which a sanitizer would have built anew each time.
scratch=.build/fuzz
# SwiftPM keeps the two sanitizers as a set: in another order, which each process has of its own, all would be built anew.
export SWIFT_DETERMINISTIC_HASHING=1
DESKBELL_FUZZ=1 swift build -c release --scratch-path "$scratch" --product deskbell-fuzz \
  --sanitize fuzzer --sanitize address -Xswiftc -sanitize=fuzzer,address

# Swift's own account of a crash would come before the sanitizer's.
export SWIFT_BACKTRACE=enable=no
mkdir -p "$scratch/findings"
# A night's run is counted by the processor's time (Fuzz/README.md), as other programs run beside it.
TIMEFORMAT='%U %S'
total=0
failed=0
found=0
for folder in Fuzz/Corpus/*/; do
  target="$(basename "$folder")"
  [[ -z "$only" || "$only" == "$target" ]] || continue
  found=1
  # What it learns stays here, and is where the next run goes on.
  learnt="$scratch/learnt/$target"
  mkdir -p "$learnt"
  log="$scratch/findings/$target.log"
  # 50 MB at once are a finding, and so are 25 s: a second, the sanitizer's slowness, and a machine that does other
  # things besides. What takes more than one second is kept to be looked at.
  status=0
  { time DESKBELL_FUZZ_TARGET="$target" "$scratch/release/deskbell-fuzz" "$learnt" "$folder" \
    -max_total_time="$seconds" -timeout=25 -report_slow_units=1 -malloc_limit_mb=50 -rss_limit_mb=1024 \
    -artifact_prefix="$scratch/findings/$target-" -print_final_stats=1 >"$log" 2>&1; } 2>"$scratch/used" || status=$?
  used="$(awk '{ printf "%.0f", $1 + $2 }' "$scratch/used")"
  total=$((total + used))
  if [[ "$status" == 0 ]]; then
    runs="$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")"
    echo "$target: $runs inputs in $used s, $(find "$learnt" -type f | wc -l) of them kept, nothing found"
  else
    failed=1
    echo "$target: FOUND, see $log"
    grep -E '^(SUMMARY|artifact_prefix)|Fatal error|ERROR' "$log" | head -5 || true
  fi
done
if [[ "$found" == 0 ]]; then
  echo "there is no target '$only'; there are: $(ls Fuzz/Corpus | tr '\n' ' ')" >&2
  exit 2
fi
echo "$((total / 60)) minutes of processor"
exit "$failed"
