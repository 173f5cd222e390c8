#!/usr/bin/env bash
# Builds the package again from the same program, in another folder and with another umask, language and time zone, and
# compares the bytes:  reproduce.sh PACKAGE PROGRAM
set -euo pipefail
package=$(realpath "$1")
binary=$(realpath "$2")
cd "$(dirname "$0")/../.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export GIT_DIR=$PWD/.git GIT_WORK_TREE=$work/tree
umask 077
mkdir "$work/tree"
GIT_WORK_TREE=$PWD git ls-files -z | xargs -0 cp --parents --preserve=mode --target-directory="$work/tree"
ln -s "$PWD/.build" "$work/tree/.build"
cd "$work/tree"
LC_ALL=C.UTF-8 TZ=Asia/Tokyo packaging/deb.sh --binary "$binary" --output "$work/out" >/dev/null
cmp "$package" "$work/out/${package##*/}"
cmp "${package%.deb}.cdx.json" "$work/out/$(basename "${package%.deb}").cdx.json"
echo "== The package is the same byte for byte when it is built again"
