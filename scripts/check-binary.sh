#!/usr/bin/env bash
# The limits of the shipped binary: its size, and which libraries it links. ICU alone would add 45 MB.
set -euo pipefail

binary=$1
# 0.8.1 has 29.8 MB, 0.9.0 with its test bench 29.9, 0.10.0 with the handset of 2026 31.2.
limit_megabytes=31.5

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
strip -o "$work/deskbell" "$binary"
bytes=$(stat --format=%s "$work/deskbell")
megabytes=$(awk "BEGIN { printf \"%.1f\", $bytes / 1000000 }")

if nm --demangle "$binary" | grep -qE 'FoundationInternationalization|[^a-z]u(cal|loc|dat|num)_[a-z]+|_FoundationICU'; then
  echo "$binary links ICU: look for 'import Foundation' where FoundationEssentials would do" >&2
  exit 1
fi
if ldd "$binary" | grep -E 'libnats|libmosquitto'; then
  echo "$binary links what only some need; they are opened when they are used (CNATS, CMosquitto)" >&2
  exit 1
fi
if awk "BEGIN { exit !($bytes > $limit_megabytes * 1000000) }"; then
  echo "$binary: $megabytes MB stripped, more than $limit_megabytes MB" >&2
  exit 1
fi
echo "== Binary: $megabytes MB stripped, no ICU, no libnats"
