#!/usr/bin/env bash
# Makes deskbell-VERSION-site.tar.gz, the documentation as a web site. The same commit gives the same bytes.
#   site.sh [--output DIR]
set -euo pipefail
cd "$(dirname "$0")/.."
output=.build/dist
[ "${1:-}" != --output ] || output=$2
version=$(sed -n 's/.*static let version = "\(.*\)"/\1/p' Sources/Daemon/Composition/Daemon.swift)
mkdir -p "$output"
export SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}
scripts/site/build.py
tar --create --sort=name --owner=0 --group=0 --numeric-owner --mode=u=rwX,go=rX --mtime="@$SOURCE_DATE_EPOCH" \
  --directory .build/site/html . | gzip --no-name -9 >"$output/deskbell-$version-site.tar.gz"
