#!/bin/sh
# Debian 12 has libgpiod 1.6, Debian 13 and Raspberry Pi OS have 2.x, and their APIs share little but the name. This
# builds CGPIOBank and its probe against both, warnings as errors, and runs the probe where there is no chip: each
# has to answer the errors that the header promises. The 2.x packages are Debian 13's own, fetched with an apt whose
# configuration, lists and cache are in a folder of this user; the system's apt is only asked which mirror it uses.
#
#   scripts/check-libgpiod2.sh          one line a step; exit code 0 if all is well
#
# The folder is ${XDG_CACHE_HOME:-~/.cache}/deskbell/libgpiod2-ARCH. Remove it to fetch anew.
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
bank=$root/Sources/CGPIOBank
probe=$root/Tests/CGPIOBankTests/probe/probe.c
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
for tool in apt-get dpkg dpkg-deb pkg-config; do
  command -v "$tool" >/dev/null || fail "$tool is missing: this check runs on Debian with pkg-config installed"
done

architecture=$(dpkg --print-architecture)
cache=${XDG_CACHE_HOME:-$HOME/.cache}/deskbell/libgpiod2-$architecture
unpacked=$cache/root
log=$cache/apt.log
mkdir -p "$cache"
build=$(mktemp -d "${TMPDIR:-/tmp}/deskbell-libgpiod.XXXXXX")
trap 'rm -rf "$build"' EXIT

# The first Debian archive that this system's apt reads packages from.
mirror() {
  apt-get indextargets --format '$(SITE) $(ORIGIN) $(CODENAME)' 'Identifier: Packages' 2>/dev/null |
    awk '$2 == "Debian" && $1 !~ /security/ { print $1; exit }'
}

# The same from the files, for a system that never ran apt-get update.
mirror_from_files() {
  for file in /etc/apt/sources.list /etc/apt/sources.list.d/*.list /etc/apt/sources.list.d/*.sources; do
    [ -r "$file" ] || continue
    sed -n -e 's/^deb  *\(\[[^]]*\] *\)\{0,1\}\(http[^ ]*\).*/\2/p' -e 's/^URIs: *\(http[^ ]*\).*/\1/p' "$file"
  done | grep '/debian/*$' | head -n 1
}

# Our own apt: nothing of the system's is read but the keyring and the proxy settings, nothing of it is written.
ours() {
  {
    printf 'Dir "%s/apt/";\n' "$cache"
    printf 'Dir::Etc "%s/apt/etc/";\n' "$cache"
    printf 'Dir::State "%s/apt/state/";\n' "$cache"
    printf 'Dir::State::status "%s/apt/state/status";\n' "$cache"
    printf 'Dir::Cache "%s/apt/cache/";\n' "$cache"
    printf 'APT::Architecture "%s";\nAPT::Architectures { "%s"; };\n' "$architecture" "$architecture"
    printf 'APT::Sandbox::User "";\nAcquire::Languages "none";\nAcquire::Retries "2";\n'
    apt-config dump 2>/dev/null | grep -i '^Acquire::[a-z]*::Proxy' || true
  } >"$cache/apt/apt.conf"
  APT_CONFIG=$cache/apt/apt.conf "$@"
}

# Why our apt failed, in its own words.
reason() { grep -m 1 -E '^[EW]:' "$log" || echo "see $log"; }

fetch() {
  uri=$(mirror)
  [ -n "$uri" ] || uri=$(mirror_from_files)
  [ -n "$uri" ] || fail "no Debian mirror in /etc/apt: add one there, then run this again"
  keyring=/usr/share/keyrings/debian-archive-keyring.gpg
  [ -r "$keyring" ] || fail "$keyring is missing: apt-get install debian-archive-keyring"

  rm -rf "$cache/apt" "$unpacked" "$unpacked.new"
  mkdir -p "$cache/apt/etc/apt.conf.d" "$cache/apt/etc/preferences.d" "$cache/apt/etc/sources.list.d" \
    "$cache/apt/etc/trusted.gpg.d" "$cache/apt/state/lists/partial" "$cache/apt/cache/archives/partial" "$unpacked.new"
  : >"$cache/apt/state/status"
  echo "deb [signed-by=$keyring] $uri trixie main" >"$cache/apt/etc/sources.list"

  step "fetching libgpiod-dev, libgpiod3 and libc6 of Debian 13 ($architecture) from $uri"
  ours apt-get -q update >"$log" 2>&1 ||
    fail "no package lists from $uri (no network?): $(reason)"
  # apt-get update only warns where nothing could be reached.
  if ! ours apt-cache show libgpiod3 >/dev/null 2>&1; then
    fail "no package lists from $uri (no network?): $(reason)"
  fi
  (cd "$cache/apt/cache/archives" && ours apt-get -q download libgpiod-dev libgpiod3 libc6) >>"$log" 2>&1 ||
    fail "the packages cannot be downloaded from $uri: $(reason)"
  for package in "$cache"/apt/cache/archives/*.deb; do
    dpkg-deb -x "$package" "$unpacked.new" || fail "$package cannot be unpacked: remove $cache and run this again"
  done
  # Complete or absent: a run that was interrupted leaves no half of it.
  mv "$unpacked.new" "$unpacked"
  rm -rf "$cache/apt"
}

if [ -d "$unpacked" ]; then
  step "Debian 13's packages are in $cache"
else
  fetch
fi

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
