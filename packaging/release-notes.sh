#!/usr/bin/env bash
# Prints what CHANGELOG.md says of a version:  release-notes.sh VERSION
set -euo pipefail
cd "$(dirname "$0")/.."
notes=$(awk -v version="$1" '/^## / { within = $2 == version; next } within' CHANGELOG.md)
[ -n "$notes" ] || { echo "release-notes.sh: CHANGELOG.md has no section '## $1' with text: write it first" >&2; exit 1; }
sed '/./,$!d' <<<"$notes"
