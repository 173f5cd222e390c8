#!/bin/sh
# Debian 12 has libgpiod 1.6, Debian 13 and Raspberry Pi OS have 2.x, and their APIs share little but the name. This
# builds CGPIOBank and its probe against both, warnings as errors, and runs the probe where there is no chip: each
# has to answer the errors that the header promises. The 2.x packages are Debian 13's own, unpacked into a folder of this
# user.
#
#   scripts/check-libgpiod2.sh          one line a step; exit code 0 if all is well
#
# The folder is ${XDG_CACHE_HOME:-~/.cache}/deskbell/libgpiod2-ARCH. Remove it to fetch anew.
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
bank=$root/Sources/Devices/C/CGPIOBank
probe=$root/Tests/Devices/CGPIOBankTests/probe/probe.c
compiler=${CC:-}
warnings="-std=c11 -O1 -Wall -Wextra -Werror"

step() { printf '%s\n' "check-libgpiod: $*"; }
fail() {
  printf '%s\n' "check-libgpiod: error: $*" >&2
  exit 1
}

if [ -z "$compiler" ]; then
  for candidate in cc clang gcc; do
    if command -v "$candidate" >/dev/null; then
      compiler=$candidate
      break
    fi
  done
fi
[ -n "$compiler" ] || fail "no C compiler: install gcc or clang, or set CC"
command -v pkg-config >/dev/null || fail "pkg-config is missing: apt-get install pkg-config"

architecture=$(dpkg --print-architecture)
cache=${XDG_CACHE_HOME:-$HOME/.cache}/deskbell/libgpiod2-$architecture
unpacked=$cache/root
mkdir -p "$cache"
build=$(mktemp -d "${TMPDIR:-/tmp}/deskbell-libgpiod.XXXXXX")
trap 'rm -rf "$build"' EXIT

"$root/scripts/debian-root.sh" trixie "$architecture" "$unpacked" libgpiod-dev
step "Debian 13's packages are in $unpacked"

libraries=$(find "$unpacked/usr/lib" -name 'libgpiod.so' -printf '%h\n' | head -n 1)
[ -n "$libraries" ] || fail "libgpiod.so is not in $unpacked: remove $cache and run this again"
loader=$(find "$unpacked/usr/lib" "$unpacked/usr/lib64" \( -name 'ld-linux*.so.*' -o -name 'ld64.so.*' \) 2>/dev/null |
  head -n 1)
[ -n "$loader" ] || fail "the C library's loader is not in $unpacked: remove $cache and run this again"

# Debian 13's libgpiod wants that Debian's C library, which is older or newer than ours: linked without looking at
# its symbols' versions, run with its own loader.
step "building CGPIOBank and its probe against libgpiod 2"
# shellcheck disable=SC2086
"$compiler" $warnings -I"$unpacked/usr/include" -I"$bank/include" "$bank"/*.c "$probe" \
  -L"$libraries" -lgpiod -Wl,--allow-shlib-undefined -o "$build/probe2" || fail "it does not build against libgpiod 2"
step "running it"
"$loader" --library-path "$libraries" "$build/probe2" 2 || fail "the probe failed with libgpiod 2"

pkg-config --exists libgpiod || fail "the system's libgpiod is missing: apt-get install libgpiod-dev"
version=$(pkg-config --modversion libgpiod)
step "building CGPIOBank and its probe against the system's libgpiod $version"
# shellcheck disable=SC2046,SC2086
"$compiler" $warnings $(pkg-config --cflags libgpiod) -I"$bank/include" "$bank"/*.c "$probe" \
  $(pkg-config --libs libgpiod) -o "$build/probe" || fail "it does not build against libgpiod $version"
step "running it"
"$build/probe" "${version%%.*}" || fail "the probe failed with libgpiod $version"
step "done"
