#!/usr/bin/env bash
# What the shipped binary may weigh and link. An ICU that sneaks in adds 45 MB to a board's memory card.
set -euo pipefail

binary=$1
limit_megabytes=33

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
strip -o "$work/deskbell" "$binary"
bytes=$(stat --format=%s "$work/deskbell")
megabytes=$(awk "BEGIN { printf \"%.1f\", $bytes / 1000000 }")

if nm --demangle "$binary" | grep -qE 'FoundationInternationalization|[^a-z]u(cal|loc|dat|num)_[a-z]+|_FoundationICU'; then
  echo "$binary links ICU: look for 'import Foundation' where FoundationEssentials would do" >&2
  exit 1
fi
if [ "$bytes" -gt $((limit_megabytes * 1000000)) ]; then
  echo "$binary: $megabytes MB stripped, more than $limit_megabytes MB" >&2
  exit 1
fi
echo "== Binary: $megabytes MB stripped, no ICU"
