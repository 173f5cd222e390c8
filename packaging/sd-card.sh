#!/usr/bin/env bash
# Makes the image of an SD card of a Debian package of ours for arm64: sd-card.sh PACKAGE [--output DIR]
# In it is Debian 13 as mmdebstrap installs it, with the package, for a Raspberry Pi 3, 4 or Zero 2 W (docs/sd-card.md).
# It has three partitions: what the firmware reads, with deskbell.txt; the system, which is mounted read-only; and the
# state, which the first start makes as large as the card. It needs no root if subordinate users are set up
# (man mmdebstrap, --mode).
# The same package and the same Debian give the same bytes. DEBIAN_MIRROR is another mirror.
set -euo pipefail
cd "$(dirname "$0")/.."
usage() { echo "usage: $0 PACKAGE [--output DIR]" >&2; exit 2; }
[ $# -eq 1 ] || [ $# -eq 3 ] || usage
package=$1 output=.build/sd-card
if [ $# -eq 3 ]; then
  [ "$2" = --output ] || usage
  output=$3
fi
fail() { echo "sd-card.sh: $*" >&2; exit 1; }
log_and_fail() { fail "mmdebstrap failed, see $log: $(grep -m 1 '^E:' "$log")"; }
[ -r "$package" ] || fail "there is no package $package: make deb ARCH=arm64"
[ "$(dpkg-deb --field "$package" Architecture)" = arm64 ] || fail "$package is not for arm64"
[ "$(dpkg --print-architecture)" = arm64 ] || grep -qs enabled /proc/sys/fs/binfmt_misc/qemu-aarch64 ||
  fail "this system does not run programs for arm64: install qemu-user-static. Without systemd, then do as root:
  cat /usr/lib/binfmt.d/qemu-aarch64.conf >/proc/sys/fs/binfmt_misc/register"
export SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}
# libarchive reads names of files in UTF-8.
export LC_ALL=C.UTF-8 TZ=UTC
umask 022
version=$(dpkg-deb --field "$package" Version)
version=${version%+deb*}
mirror=${DEBIAN_MIRROR:-http://deb.debian.org/debian}
parts="main non-free-firmware"
log=$PWD/.build/sd-card.log
# In MiB. The first two have room for a second kernel, which an upgrade brings; empty space costs nothing in the .xz.
boot_size=256 root_size=1280 state_size=64

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/boot" "$work/state" "$output"
files=$work/files.tar
tar --create --file "$files" --sort=name --owner=0 --group=0 --mode=u=rwX,go=rX --mtime="@$SOURCE_DATE_EPOCH" \
  --directory packaging/sd-card/root .

# The system without the package, which stays in .build: remove it for Debian's newest security updates.
base=$PWD/.build/sd-card-base.tar
needed=$(sed -e 's/([^)]*)//g' -e 's/|[^,]*//g' <<<"$(dpkg-deb --field "$package" Depends),$(dpkg-deb --field "$package" \
  Recommends)" | tr -s ', ' '\n\n' | sort -u | xargs)
# shellcheck disable=SC2206
include=(systemd-sysv systemd-timesyncd systemd-resolved udev dbus kmod fdisk e2fsprogs dosfstools initramfs-tools zstd
  linux-image-arm64 raspi-firmware firmware-brcm80211 wireless-regdb wpasupplicant avahi-daemon openssh-server iproute2
  hostname libnss-myhostname tzdata $needed)
if [ "$(cat "$base.packages" 2>/dev/null)" != "$mirror ${include[*]}" ] || [ ! -e "$base" ]; then
  echo "== Installing Debian 13 for arm64 from $mirror (10 to 20 minutes)" >&2
  # Of the firmware, what these boards load. Documentation is on the web; licences stay.
  options=(--aptopt='APT::Install-Recommends "false"' --dpkgopt=force-confold)
  for path in /usr/share/man /usr/share/locale /usr/share/info /usr/share/doc /usr/lib/firmware/brcm \
    /usr/lib/firmware/cypress; do options+=("--dpkgopt=path-exclude=$path/*"); done
  for path in '/usr/share/doc/*/copyright' /usr/lib/firmware/brcm/brcmfmac434{30,55}-sdio'*' \
    /usr/lib/firmware/cypress/cyfmac434{30,55}-sdio'*'; do options+=("--dpkgopt=path-include=$path"); done
  {
    printf "deb $mirror %s $parts\n" trixie trixie-updates
    echo "deb ${mirror%/debian*}/debian-security trixie-security $parts"
  } | mmdebstrap --variant=apt --architectures=arm64 --include="$(IFS=,; echo "${include[*]}")" "${options[@]}" \
    --essential-hook="tar-in $files /" trixie "$work/base.tar" - >"$log" 2>&1 || log_and_fail
  mv "$work/base.tar" "$base"
  echo "$mirror ${include[*]}" >"$base.packages"
fi
echo "== Installing $package" >&2
mmdebstrap --variant=custom --architectures=arm64 --skip=update --setup-hook="tar-in $base /" \
  --customize-hook="tar-in $files /" --customize-hook="upload $package /tmp/deskbell.deb" \
  --customize-hook='upload packaging/sd-card/install /tmp/install' --customize-hook='chroot "$1" sh /tmp/install' \
  --customize-hook='rm "$1/tmp/install"' --customize-hook="copy-out /boot/firmware $work/boot" \
  --customize-hook='rm -r "$1"/boot/firmware/*' trixie "$work/root.tar" >"$log" 2>&1 || log_and_fail

# Debian 13's mke2fs fills a file system from an archive, with the archive's times. It is run without being installed.
tools=$PWD/.build/sd-card-tools
native=$(dpkg --print-architecture)
scripts/debian-root.sh trixie "$native" "$tools" base-files e2fsprogs libarchive13t64
file_system() {
  local label=$1 size=$2 from=$3 uuid
  uuid=$(sha256sum <<<"$label $version" | sed 's/\(.\{8\}\)\(....\)\(....\)\(....\)\(.\{12\}\).*/\1-\2-\3-\4-\5/')
  truncate --size "${size}M" "$work/$label"
  "$(echo "$tools"/usr/lib/*/ld-linux-*.so.*)" --library-path "$(echo "$tools"/usr/lib/*-linux-gnu)" \
    "$tools/usr/sbin/mke2fs" -q -t ext4 -m 1 -L "$label" -U "$uuid" -E "hash_seed=$uuid,root_owner=0:0" -d "$from" \
    "$work/$label"
}
echo "== Making the image" >&2
mkdir "$work"/state/{deskbell,settings,clock}
tar --create --file "$work/state.tar" --sort=name --owner=0 --group=0 --mtime="@$SOURCE_DATE_EPOCH" \
  --directory "$work/state" .
file_system deskbell-root $root_size "$work/root.tar"
file_system deskbell-state $state_size "$work/state.tar"

boot=$work/DESKBELL
packaging/sd-card/settings.sh >"$work/boot/firmware/deskbell.txt"
find "$work/boot" -exec touch --no-dereference --date="@$SOURCE_DATE_EPOCH" {} +
truncate --size "${boot_size}M" "$boot"
mkfs.vfat --invariant -F 32 -n DESKBELL -i "$(sha256sum <<<"$version" | cut -c 1-8)" "$boot" >/dev/null
(cd "$work/boot/firmware" && find . -mindepth 1 -maxdepth 1 -print0 | sort -z |
  xargs -0 -I{} mcopy -i "$boot" -s -m {} ::)

name=deskbell-$version-raspberry-pi.img
image=$work/$name
truncate --size $((4 + boot_size + root_size + state_size))M "$image"
sfdisk --quiet "$image" <<END
label: dos
label-id: 0x$(sha256sum <<<"$version" | cut -c 1-8)
start=4MiB, size=${boot_size}MiB, type=c, bootable
size=${root_size}MiB, type=83
size=${state_size}MiB, type=83
END
at=4
for part in "$boot" "$work/deskbell-root" "$work/deskbell-state"; do
  dd if="$part" of="$image" bs=1M seek=$at conv=notrunc,sparse status=none
  at=$((at + $(stat --format=%s "$part") / 1048576))
done

echo "== Compressing it" >&2
# The same bytes whatever the number of processors: blocks of a fixed size.
xz --threads=0 --block-size=64MiB -6 --stdout "$image" >"$output/$name.xz"
(cd "$output" && sha256sum "$name.xz" >"$name.xz.sha256")
echo "$output/$name.xz"
