#!/usr/bin/env bash
# Runs a command of packaging/ again in another folder, with another umask, language and time zone, and compares the bytes
# of all that it makes:  reproduce.sh [--whole] FOLDER COMMAND…
# COMMAND made FOLDER; it gets --output. Signatures, and what has the key in it, differ. With --whole it made all that is in
# FOLDER, and each file there must be made again.
set -euo pipefail
whole=
if [ "$1" = --whole ]; then
  whole=yes
  shift
fi
folder=$(realpath "$1")
shift
cd "$(dirname "$0")/../.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export GIT_DIR=$PWD/.git GIT_WORK_TREE=$work/tree
umask 077
mkdir "$work/tree"
GIT_WORK_TREE=$PWD git ls-files -z | xargs -0 cp --parents --no-dereference --preserve=mode --target-directory="$work/tree"
# What git does not have, and a package is made of.
ln -s "$PWD/.build" "$PWD/Package.resolved" "$work/tree/"
cd "$work/tree"
LC_ALL=C.UTF-8 TZ=Asia/Tokyo "$@" --output "$work/out" >/dev/null
cd "$work/out"
list() { find "$1" -type f -printf '%P\n' | LC_ALL=C sort; }
list . >"$work/made"
if [ -n "$whole" ]; then
  list "$folder" >"$work/before"
  diff "$work/before" "$work/made" || { echo "reproduce.sh: not the same files are made again (<: only before)" >&2; exit 1; }
fi
while IFS= read -r file; do
  case $file in
    *.asc | */InRelease | */Release.gpg | *.sources) [ -s "$folder/$file" ] ;;
    *) cmp "$folder/$file" "$file" ;;
  esac
done <"$work/made"
echo "== The same byte for byte when it is made again: $(wc -l <"$work/made") files"
