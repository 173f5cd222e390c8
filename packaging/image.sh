#!/usr/bin/env bash
# Makes an OCI image of a Debian package of ours, for the package's architecture: image.sh PACKAGE [--output DIR]
# In it are the package's program and files, the libraries that it needs from the same Debian, certificates of
# authorities, time zones and a shell; no package manager. Nothing of it is run here, so neither a daemon nor root is
# needed. The same package and the same Debian give the same bytes. Debian's packages are kept in
# .build/image-SUITE-ARCH: delete that folder for its newest security updates.
set -euo pipefail
cd "$(dirname "$0")/.."
usage() { echo "usage: $0 PACKAGE [--output DIR]" >&2; exit 2; }
[ $# -eq 1 ] || [ $# -eq 3 ] || usage
package=$1 output=.build/image
if [ $# -eq 3 ]; then
  [ "$2" = --output ] || usage
  output=$3
fi
[ -r "$package" ] || { echo "image.sh: there is no package $package: make deb" >&2; exit 1; }
export SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}
export LC_ALL=C TZ=UTC
umask 022

field() { dpkg-deb --field "$package" "$1"; }
# Not which Debian the package is for: an image brings its own.
version=$(field Version) arch=$(field Architecture)
version=${version%+deb*}
depends=$(field Depends)
# The Debian whose libraries it was linked with.
case $depends in *libgpiod3*) suite=trixie ;; *) suite=bookworm ;; esac
# Not systemd and udev: a container has neither. libmosquitto and libnats are opened by name.
mapfile -t libraries < <(sed -e 's/([^)]*)//g' -e 's/|[^,]*//g' <<<"$depends, $(field Recommends)" | tr ', ' '\n\n' |
  grep '^lib' | sort -u)
base=$PWD/.build/image-$suite-$arch
SECURITY=yes scripts/debian-root.sh "$suite" "$arch" "$base" base-files "${libraries[@]}" \
  'ca-certificates=/usr/share/ca-certificates/*,/usr/share/doc/*/copyright' \
  'tzdata=/usr/share/zoneinfo/*,/usr/share/doc/*/copyright' 'dash=/*bin/*sh,/usr/share/doc/*/copyright'

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
root=$work/root
cp -a "$base" "$root"
dpkg-deb --fsys-tarfile "$package" | tar --extract --keep-directory-symlink --directory "$root" \
  ./usr/bin ./usr/share/deskbell ./usr/share/doc/deskbell/copyright ./usr/share/doc/deskbell/sbom.cdx.json
# Of documentation, licences are all that goes into the image. Scanners read dpkg's list of packages.
rm -rf "$root"/.debian-root "$root"/usr/share/{man,info,lintian,perl5,locale} "$root"/usr/share/zoneinfo/{right,posix} \
  "$root"/var/lib/dpkg/{info,updates}
find "$root/usr/share/doc" -type f -not -name copyright -not -name sbom.cdx.json -delete
find "$root/usr/share/doc" -type d -empty -delete
sed -i 's/^Status: .*/Status: install ok installed/' "$root/var/lib/dpkg/status"
mkdir -p "$root"/etc/{deskbell,ssl/certs} "$root/var/lib/deskbell"
find "$root/usr/share/ca-certificates" -name '*.crt' -print0 | sort -z | xargs -0 cat \
  >"$root/etc/ssl/certs/ca-certificates.crt"
printf '%s\n' 'root:x:0:0:root:/root:/bin/sh' 'deskbell:x:2197:2197:Deskbell:/var/lib/deskbell:/bin/sh' \
  >"$root/etc/passwd"
printf '%s\n' 'root:x:0:' 'audio:x:29:deskbell' 'deskbell:x:2197:' >"$root/etc/group"
echo 'hosts: files dns' >"$root/etc/nsswitch.conf"
printf '%s\n' '127.0.0.1 localhost' '::1 localhost' >"$root/etc/hosts"
install --mode=644 packaging/image/deskbell.yaml "$root/etc/deskbell/"
install -D --mode=755 packaging/image/health "$root/usr/libexec/deskbell/health"

# The modes do not depend on who unpacked the packages.
chmod -R a-st,u=rwX,go=rX "$root"
chmod 1777 "$root/tmp" "$root/var/tmp"
chmod 700 "$root/root" "$root/var/lib/deskbell"

layer=$work/layer.tar
archive() { tar --format=posix --pax-option=delete=atime,delete=ctime,exthdr.name=%d/%f --sort=name --numeric-owner \
  --mtime="@$SOURCE_DATE_EPOCH" --directory "$root" --file "$layer" "$@"; }
archive --create --owner=0 --group=0 --exclude=./var/lib/deskbell .
archive --append --owner=2197 --group=2197 ./var/lib/deskbell
mkdir -p "$output"
packaging/oci.py --layer "$layer" --version "$version" --architecture "$arch" \
  --output "$output/deskbell-$version-$arch.oci.tar"
