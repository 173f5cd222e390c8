#!/usr/bin/env bash
# Makes the Debian package from a binary that is built already. The same commit gives the same package, byte for byte.
#
# A binary for another architecture comes with the folder that has its libraries, and help that can be run here:
#   packaging/deb.sh --arch arm64 --binary PATH --sysroot ROOT --help-from .build/release/deskbell
# HOMEPAGE is the address that the package names.
set -euo pipefail
cd "$(dirname "$0")/.."

arch=$(dpkg --print-architecture)
binary=.build/release/deskbell
help_from=
sysroot=
suffix=
version=$(sed -n 's/.*static let version = "\(.*\)"/\1/p' Sources/Daemon/Composition/Daemon.swift)
output=.build/package
# Who made the commit answers for its package, unless the environment names somebody as for Debian's own tools.
maintainer=${DEBEMAIL:-$(git log -1 --format='%an <%ae>')}
case $maintainer in *'<'*) ;; *) maintainer="${DEBFULLNAME:-Deskbell} <$maintainer>" ;; esac
while [ $# -gt 0 ]; do
  case "$1" in
    --arch) arch=$2 ;;
    --binary) binary=$2 ;;
    --help-from) help_from=$2 ;;
    --sysroot) sysroot=$(realpath "$2") ;;
    --suffix) suffix=$2 ;;
    --output) output=$2 ;;
    *)
      echo "usage: $0 [--arch ARCH] [--binary FILE] [--help-from FILE] [--sysroot DIR] [--suffix +debNN] [--output DIR]" >&2
      exit 2
      ;;
  esac
  shift 2
done
# Which Debian it is for, where there are several packages of one version.
package_version=$version$suffix
help_from=${help_from:-$binary}
for program in "$binary" "$help_from"; do
  [ -x "$program" ] || { echo "deb.sh: there is no program $program: build it first, make build" >&2; exit 1; }
done
export SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}
export LC_ALL=C TZ=UTC
umask 022

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
root=$work/root
put() { install -D --mode="$1" "$2" "$root/$3"; }

# The program. For another architecture, that one's tools.
if [ "$arch" = "$(dpkg --print-architecture)" ]; then strip=strip; else
  strip=$(dpkg-architecture --host-arch "$arch" --query DEB_HOST_GNU_TYPE 2>/dev/null)-strip
fi
put 755 "$binary" usr/bin/deskbell
"$strip" --strip-unneeded --remove-section=.comment --remove-section=.note "$root/usr/bin/deskbell"
# The linker's build ID is a hash of what was stripped, too: of names in the order in which the compiler worked. This one
# is of what is shipped. The section stays: without it, strip forgets which pages become read-only (RELRO).
build_id() {
  printf '\4\0\0\0\24\0\0\0\3\0\0\0GNU\0%b' "$(sed 's/../\\x&/g' <<<"$1")" >"$work/build-id"
  "${strip%strip}objcopy" --update-section .note.gnu.build-id="$work/build-id" "$root/usr/bin/deskbell"
}
build_id 0000000000000000000000000000000000000000
build_id "$(sha1sum "$root/usr/bin/deskbell" | cut -d ' ' -f 1)"

# What it reads.
for folder in Sounds board-configs Panel examples kits/python; do
  [ -d "$folder" ] || continue
  git ls-files -z "$folder" | while IFS= read -r -d '' file; do
    case $file in Sounds/*.py | Sounds/README.md | */.gitignore) continue ;; esac
    mode=644
    [ ! -x "$file" ] || mode=755
    put "$mode" "$file" "usr/share/deskbell/$file"
  done
done
# No settings file: what is the person's is not dpkg's to ask about. Setup writes it.
install -d --mode=755 "$root/etc/deskbell"
put 644 packaging/deskbell.avahi.service etc/avahi/services/deskbell.service
put 644 packaging/deskbell.sysusers usr/lib/sysusers.d/deskbell.conf
put 644 packaging/60-deskbell.rules lib/udev/rules.d/60-deskbell.rules
for unit in systemd/*.service systemd/*.socket; do put 644 "$unit" "lib/systemd/system/${unit##*/}"; done

# What it says of itself.
"$help_from" --experimental-dump-help >"$work/help.json"
python3 packaging/manpages.py "$work/help.json" "$version" "$root/usr/share/man/man1"
gzip --no-name --best "$root"/usr/share/man/man1/*
complete() {
  mkdir -p "$root/usr/share/${2%/*}"
  # Read by a shell that runs already: a line that names one is of no use.
  "$help_from" --generate-completion-script "$1" | sed '1{/^#!/d}' >"$root/usr/share/$2"
}
complete bash bash-completion/completions/deskbell
complete zsh zsh/vendor-completions/_deskbell
complete fish fish/vendor_completions.d/deskbell.fish

documents=usr/share/doc/deskbell
packaging/pages.py "$root"
put 644 packaging/deskbell.yaml "$documents/deskbell.yaml"
{
  printf 'deskbell (%s) stable; urgency=medium\n\n  * See CHANGES.md.gz.\n\n' "$package_version"
  printf ' -- %s  %s\n' "$maintainer" "$(date --date="@$SOURCE_DATE_EPOCH" --rfc-email)"
} | gzip --no-name --best >"$root/$documents/changelog.gz"
gzip --no-name --best <CHANGELOG.md >"$root/$documents/CHANGES.md.gz"
chmod 644 "$root/$documents"/*.gz
put 644 packaging/debian/lintian-overrides usr/share/lintian/overrides/deskbell
packaging/copyright.sh >"$root/$documents/copyright"
packaging/sbom.py --binary "$binary" --version "$package_version" --architecture "$arch" ${sysroot:+--sysroot "$sysroot"} \
  >"$root/$documents/sbom.cdx.json"

# Which libraries it needs, and which versions of them.
mkdir -p "$work/build/debian"
printf 'Source: deskbell\n\nPackage: deskbell\nArchitecture: any\n' >"$work/build/debian/control"
libraries=()
if [ -n "$sysroot" ]; then
  # What dpkg noted there, with the places where its files are seen from here.
  cp -r "$sysroot/var/lib/dpkg" "$work/dpkg"
  sed -i "s|^/|$sysroot/|" "$work"/dpkg/info/*.list
  libraries=(--admindir="$work/dpkg")
  for folder in "$sysroot"/usr/lib/*-linux-gnu "$sysroot"/lib/*-linux-gnu; do libraries+=(-l"$folder"); done
fi
depends=$(cd "$work/build" &&
  DEB_HOST_ARCH=$arch dpkg-shlibdeps "${libraries[@]}" -O "$root/usr/bin/deskbell" 2>"$work/shlibdeps.log" |
  sed -n 's/^shlibs:Depends=//p') || { cat "$work/shlibdeps.log" >&2; exit 1; }

# Opened by name and not linked; each version of it is another package. A board without a fleet does without.
libnats=$(grep --text --only-matching --max-count=1 'libnats\.so\.[0-9.]*[0-9]' "$root/usr/bin/deskbell" |
  head -n 1) || true
[ -n "$libnats" ] || { echo "deb.sh: $binary does not name the libnats that it opens" >&2; exit 1; }

mkdir "$root/DEBIAN"
for script in postinst prerm postrm; do put 755 "packaging/debian/$script" "DEBIAN/$script"; done
(cd "$root" && find etc -type f -printf '/%p\n' | sort) >"$root/DEBIAN/conffiles"
(cd "$root" && find . -path ./DEBIAN -prune -o -type f -printf '%P\0' | sort -z | xargs -0 md5sum) \
  >"$root/DEBIAN/md5sums"
# Counted as Debian's tools do: du also counts what a file system needs for a folder, which differs.
size=$(find "$root" -path "$root/DEBIAN" -prune -o -type f -printf '%s\n' -o -printf '1\n' |
  awk '{ sum += int(($1 + 1023) / 1024) } END { print sum }')
sed -e "s/@VERSION@/$package_version/" -e "s/@ARCHITECTURE@/$arch/" -e "s|@MAINTAINER@|$maintainer|" \
  -e "s|@HOMEPAGE@|${HOMEPAGE:-https://deskbell.example}|" -e "s/@INSTALLED_SIZE@/$size/" -e "s/@DEPENDS@/$depends/" -e "s/@LIBNATS@/${libnats/.so./}/" \
  packaging/debian/control >"$root/DEBIAN/control"
find "$root" -exec touch --no-dereference --date="@$SOURCE_DATE_EPOCH" {} +

mkdir -p "$output"
package=$output/deskbell_${package_version}_$arch.deb
# One thread: with more, how xz cuts what it compresses depends on the machine.
dpkg-deb --root-owner-group -Zxz --threads-max=1 --build "$root" "$package" >/dev/null
cp "$root/$documents/sbom.cdx.json" "${package%.deb}.cdx.json"
packaging/spdx.py <"$root/$documents/sbom.cdx.json" >"${package%.deb}.spdx.json"
echo "$package"
