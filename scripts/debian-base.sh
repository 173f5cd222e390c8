#!/usr/bin/env bash
# A Debian with only what is essential, to unpack and chroot into: made once with debootstrap, which needs root. Prints
# the path of its archive.
#
#   scripts/debian-base.sh trixie
set -euo pipefail
cd "$(dirname "$0")/.."

suite=$1
base=$PWD/.build/debian-$suite.tar
if [ ! -e "$base" ]; then
  echo "== Making a Debian $suite, once" >&2
  mkdir -p .build
  work=$(mktemp -d)
  trap 'rm -rf --one-file-system "$work"' EXIT
  debootstrap --variant=minbase "$suite" "$work/root" "${DEBIAN_MIRROR:-http://deb.debian.org/debian}" >"$work/log" 2>&1 ||
    { tail -n 20 "$work/log" >&2; exit 1; }
  cp /etc/resolv.conf "$work/root/etc/"
  apt-config dump | grep -i '^Acquire::[a-z]*::Proxy' >"$work/root/etc/apt/apt.conf.d/proxy" || true
  # What is unpacked of it is deleted soon: nothing need be on the disk.
  echo force-unsafe-io >"$work/root/etc/dpkg/dpkg.cfg.d/unsafe-io"
  tar --create --numeric-owner --directory "$work/root" --file "$base.$$" .
  mv "$base.$$" "$base"
fi
echo "$base"
