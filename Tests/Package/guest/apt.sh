#!/bin/bash
# In a Debian with the sources of the repository: installs, upgrades, uses, removes and purges the package. The root has
# /root/new.deb and /root/older.deb, the package with a lower version:  apt.sh VERSION
set -euo pipefail
version=$1
step() { echo "        $*"; }
fail() { echo "apt.sh: $*" >&2; exit 1; }
apt() { apt-get --quiet=2 --no-install-recommends --yes "$@" >/tmp/apt.log 2>&1 || { cat /tmp/apt.log >&2; fail "apt-get $*"; }; }
is() { [ "$1" = "$2" ] || fail "expected '$2', found '$1'"; }
installed() { dpkg-query --show --showformat='${Version} ${db:Status-Status}' deskbell; }
# What a package may leave, and what apt and dpkg themselves write.
files() {
  find / -xdev \( -path /proc -o -path /dev -o -path /sys -o -path /tmp -o -path /root -o -path /var/lib/apt \
    -o -path /var/lib/dpkg -o -path /var/cache -o -path /var/log -o -path /run \) -prune -o -print | sort
  cut -d: -f1 /etc/passwd /etc/group
}

# The daemon rings a simulated board, for which a push waits until it is ready.
use() {
  is "$(deskbell --version)" "${version%+*}"
  local state
  state=$(mktemp -d)
  export DESKBELL_CONTROL=$state/control.sock
  mkfifo "$state/log"
  deskbell serve --board simulated --state "$state" --listen 127.0.0.1:0 --panel off \
    --wav "$state/played" 2>"$state/log" >/dev/null &
  local daemon=$!
  exec 3<"$state/log"
  local line
  while read -r line <&3; do
    case $line in *ready:*) break ;; *error*) fail "$line" ;; esac
  done
  cat <&3 >/dev/null &
  deskbell app install mailroom >/dev/null
  deskbell push com.example.mailroom --title 'A parcel' --sound letter --must-ring >/dev/null ||
    fail "the push did not ring"
  kill "$daemon"
  wait "$daemon" || fail "the daemon ended with $?"
  exec 3<&-
  rm -r "$state"
}

# As a person sees it who has just installed the package.
demo() {
  local began first='' line
  began=$(date +%s%3N)
  while IFS= read -r line <&4; do
    case $line in *sound-started*) first=${first:-$(($(date +%s%3N) - began))} ;; esac
  done 4< <(deskbell demo </dev/null 2>&1)
  wait $! || fail "deskbell demo ended with $?: $line"
  step "deskbell demo: the first ring after $first ms, all six scenes after $(($(date +%s%3N) - began)) ms"
}

apt update
! command -v gcc clang swift || fail "this Debian has a compiler"
# What the package needs stays when it goes: first that, so that the comparison is about the package alone.
# shellcheck disable=SC2046
apt install $(dpkg-deb --field /root/new.deb Depends | tr ',' '\n' | sed -e 's/^ *//' -e 's/[ |].*//')
files >/tmp/before

step "apt install ./deskbell.deb says what to do next, and a push rings"
apt install /root/new.deb
grep -q '^  sudo deskbell setup ' /tmp/apt.log || fail "it does not say what to do next"
[ ! -e /etc/deskbell/deskbell.yaml ] || fail "it has a settings file"
is "$(installed)" "$version installed"
demo
use
apt purge deskbell

step "a settings file that nobody changed goes with the upgrade"
apt install /root/older.deb
[ -e /etc/deskbell/deskbell.yaml ] || fail "the older package has no settings file"
apt install /root/new.deb
[ ! -e /etc/deskbell/deskbell.yaml ] || fail "it is there still"
apt purge deskbell

step "apt upgrade from 0.1.0, from the repository"
apt install /root/older.deb
is "$(installed)" "0.1.0 installed"
echo '# changed' >>/etc/deskbell/deskbell.yaml
apt update
grep -q '^[WE]:' /tmp/apt.log && { cat /tmp/apt.log >&2; fail "apt-get update"; }
apt upgrade
is "$(installed)" "$version installed"
is "$(tail -n 1 /etc/deskbell/deskbell.yaml)" '# changed'
apt-cache policy deskbell | grep -q "http://127.0.0.1:[0-9]* $(. /etc/os-release && echo "$VERSION_CODENAME")/main" ||
  fail "it did not come from the repository"
use

step "apt remove keeps the settings"
apt remove deskbell
is "$(tail -n 1 /etc/deskbell/deskbell.yaml)" '# changed'
[ ! -e /usr/bin/deskbell ] || fail "the program is there still"

step "apt install deskbell, from the repository; apt purge leaves nothing"
apt install deskbell
is "$(installed)" "$version installed"
apt purge deskbell
files >/tmp/after
diff /tmp/before /tmp/after || fail "it left something"
