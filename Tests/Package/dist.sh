#!/usr/bin/env bash
# What `make dist` made: the same again in another folder, as lintian and SPDX's own library want it, and installed by apt
# from its repository in a Debian 12 and a Debian 13 without a compiler. Each step is printed with its time.
set -euo pipefail
cd "$(dirname "$0")/../.."
version=$(sed -n 's/.*static let version = "\(.*\)"/\1/p' Sources/Daemon/Composition/Daemon.swift)
dist=$PWD/.build/dist/$version
fail() { echo "dist.sh: $*" >&2; exit 1; }
[ -e "$dist/SHA256SUMS" ] || fail "there is no $dist: run make dist"
[ "$(id -u)" -eq 0 ] || fail "a Debian of its own needs root: run make test-dist as root"
say() { printf '%4s s  %s\n' $SECONDS "$*"; }

work=$(mktemp -d)
server=
finish() {
  [ -z "$server" ] || kill "$server"
  rm -rf --one-file-system "$work"
}
trap finish EXIT

# What it was made with.
if [ -e "$dist/deskbell-$version-raspberry-pi.img.xz" ]; then
  export SD_CARD=1
  scripts/install-packages.sh sd-card
fi
Tests/Package/reproduce.sh --whole "$dist" packaging/dist.sh --no-build --dirty
say "the checksums, and lintian"
(cd "$dist" && sha256sum --check --quiet --strict SHA256SUMS)
lintian --fail-on error,warning --allow-root "$dist"/*.deb
say "SPDX"
spdx=.build/spdx
scripts/python-environment.sh $spdx Tests/Package/spdx.txt
for bill in "$dist"/*.spdx.json; do $spdx/bin/pyspdxtools --infile "$bill"; done

mkfifo "$work/port"
python3 -u -c '
import functools, http.server, sys
class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=sys.argv[1]))
print(server.server_port)
server.serve_forever()' "$dist/apt" >"$work/port" &
server=$!
read -r port <"$work/port"

# The same package as if it were an older one, which had a settings file: that the real older ones are upgraded is what
# run.py --old shows.
older() {
  dpkg-deb --raw-extract "$1" "$work/older"
  echo '# board: raspberry-pi-4' >"$work/older/etc/deskbell/deskbell.yaml"
  echo /etc/deskbell/deskbell.yaml >>"$work/older/DEBIAN/conffiles"
  sed -i 's/^Version: .*/Version: 0.1.0/' "$work/older/DEBIAN/control"
  dpkg-deb --root-owner-group -Zgzip -z1 --build "$work/older" "$2" >/dev/null
  rm -r "$work/older"
}

for debian in bookworm/12 trixie/13; do
  suite=${debian%/*} number=${debian#*/}
  base=$(scripts/debian-base.sh "$suite")
  root=$work/$suite
  mkdir "$root"
  tar --extract --numeric-owner --directory "$root" --file "$base"
  package=$dist/deskbell_$version+deb${number}_amd64.deb
  cp "$package" "$root/root/new.deb"
  older "$package" "$root/root/older.deb"
  sed "s|^URIs: .*|URIs: http://127.0.0.1:$port|" "$dist/apt/$suite.sources" >"$root/etc/apt/sources.list.d/deskbell.sources"
  cp Tests/Package/guest/apt.sh "$root/root/"
  say "Debian $number"
  unshare --mount --pid --fork --kill-child bash -euc '
    mount -t proc proc "$1/proc"
    mount --rbind /dev "$1/dev"
    exec chroot "$1" /usr/bin/env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin \
      DEBIAN_FRONTEND=noninteractive LC_ALL=C bash /root/apt.sh "$2"' - "$root" "$version+deb$number"
done
dpkg --compare-versions "$version+deb12" lt "$version+deb13" || fail "Debian 13's package does not replace Debian 12's"
say "passed"
