#!/usr/bin/env bash
# Runs what is built with Debian 13's SQLite, which reads the database in other pieces than Debian 12's. Its packages are
# unpacked into a folder of this user; its own loader and C library run the program.
#
#   scripts/debian13-sqlite.sh tests     the store's unit tests
#   scripts/debian13-sqlite.sh program   makes .build/debian13/deskbell, a release binary that uses it:
#                                        DESKBELL=$PWD/.build/debian13/deskbell make torture
#
# The folder is ${XDG_CACHE_HOME:-~/.cache}/deskbell/sqlite-trixie-ARCH. Remove it to fetch anew.
set -euo pipefail
cd "$(dirname "$0")/.."

architecture=$(dpkg --print-architecture)
root=${XDG_CACHE_HOME:-$HOME/.cache}/deskbell/sqlite-trixie-$architecture
mkdir -p "$(dirname "$root")"
scripts/debian-root.sh trixie "$architecture" "$root" libsqlite3-0
libraries=$(dirname "$(find "$root/usr/lib" -name libsqlite3.so.0 | head -n 1)")
loader=$(find "$root/usr/lib" "$root/usr/lib64" -name 'ld-linux*.so.*' 2>/dev/null | head -n 1)

# Copies a program of the release build, so that it runs with that SQLite and starts itself by /proc/self/exe.
prepare() {
  mkdir -p .build/debian13
  cp ".build/release/$1" ".build/debian13/$1"
  patchelf --set-interpreter "$loader" --set-rpath "$libraries:$(patchelf --print-rpath ".build/release/$1")" \
    ".build/debian13/$1"
  # Another SQLite would pass without a word.
  "$loader" --list ".build/debian13/$1" | grep -F "libsqlite3.so.0 => $libraries/" >/dev/null && return
  echo "debian13-sqlite.sh: .build/debian13/$1 does not load the SQLite in $libraries" >&2
  exit 1
}

case "${1:-}" in
  tests)
    prepare deskbellPackageTests.xctest
    log=$(mktemp)
    trap 'rm -f "$log" .build/debian13/deskbellPackageTests.xctest' EXIT
    .build/debian13/deskbellPackageTests.xctest --testing-library swift-testing --filter HandsetStoreTests >"$log" 2>&1 || {
      grep -vE 'started\.$|passed after' "$log"
      exit 1
    }
    tail -n 1 "$log"
    ;;
  program) prepare deskbell ;;
  *)
    echo "usage: $0 tests|program" >&2
    exit 2
    ;;
esac
