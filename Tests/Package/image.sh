#!/usr/bin/env bash
# Makes the guest's disk: a small Debian with systemd as its first process, the libraries that the package needs, and
# the modules of the kernel that the virtual board boots, gpio-sim among them. Made once, kept, and never written to:
# a run works on a snapshot. Prints the folder with kernel, initramfs and disk.
set -euo pipefail
cd "$(dirname "$0")/../.."
cache=$PWD/.build/package
suite=bookworm
# What the package depends on comes from the package; the rest is what the steps use.
tools=systemd,systemd-sysv,udev,kmod,procps,curl,sqlite3,init-system-helpers,libnats3.4
libraries=$1
mirror=${DEBIAN_MIRROR:-http://deb.debian.org/debian}

kernel=$(Tests/Hardware/kernel.sh)
# Behind it is which state of kernel.sh made it.
version=${kernel##*/linux-}
version=${version%-*}
key=$(cat "$0" <(echo "$version $libraries $mirror") | sha256sum | cut -c1-12)
folder=$cache/guest-$key
if [ -e "$folder/ready" ]; then echo "$folder"; exit 0; fi
if [ "$(id -u)" -ne 0 ]; then
  echo "image.sh: debootstrap needs root: run make test-package as root" >&2
  exit 1
fi

rm -rf "$cache"/guest-*
mkdir -p "$folder/packages" "$cache/debootstrap"
root=$folder/root
echo "== Making a Debian $suite for the guest" >&2
debootstrap --variant=minbase --cache-dir="$cache/debootstrap" --include="$tools,$libraries" "$suite" "$root" "$mirror" \
  >"$folder/debootstrap.log" 2>&1 || { tail -n 20 "$folder/debootstrap.log" >&2; exit 1; }
rm -rf "$root"/var/cache/apt/archives/*.deb "$root"/var/lib/apt/lists/*

abi=$(apt-cache depends linux-image-amd64 | awk '/Depends: linux-image-/ { sub("linux-image-", "", $2); print $2; exit }')
(cd "$folder/packages" && apt-get download --quiet=2 -o APT::Sandbox::User=root "linux-image-$abi=$version" >&2)
dpkg-deb --fsys-tarfile "$folder"/packages/linux-image-*.deb |
  tar --extract --directory "$root" ./lib/modules --wildcards --exclude='*/drivers/net/*' --exclude='*/drivers/gpu/*' \
    --exclude='*/drivers/media/*' --exclude='*/drivers/infiniband/*' --exclude='*/net/*' --exclude='*/drivers/usb/*' \
    --exclude='*/drivers/scsi/*' --exclude='*/drivers/staging/*'
cp "$kernel/modules/gpio-sim.ko" "$root/lib/modules/$abi/"
depmod --basedir "$root" "$abi"

# No log-in prompt, no updates, nothing that waits for a network: only what the package is about.
echo board >"$root/etc/hostname"
printf '127.0.0.1 localhost board\n::1 localhost\n' >"$root/etc/hosts"
for unit in serial-getty@ttyS0.service getty@tty1.service apt-daily.timer apt-daily-upgrade.timer e2scrub_all.timer \
  fstrim.timer dpkg-db-backup.timer systemd-pstore.service; do
  ln -sf /dev/null "$root/etc/systemd/system/$unit"
done
install -D --mode=644 Tests/Package/guest/package-test.service "$root/etc/systemd/system/package-test.service"
install -d "$root/etc/systemd/system/multi-user.target.wants"
ln -s ../package-test.service "$root/etc/systemd/system/multi-user.target.wants/package-test.service"
# JetStream promises its streams 1 GB, and three quarters of what is free.
truncate --size=4G "$folder/disk.ext4"
mke2fs -q -t ext4 -d "$root" "$folder/disk.ext4"

# The first process of all: finds the disk, and leaves.
start=$folder/start
mkdir -p "$start/bin" "$start/modules" "$start/dev" "$start/proc" "$start/disk"
cp "$kernel/busybox" "$start/bin/"
cp "$kernel"/modules/virtio*.ko "$start/modules/"
for module in crc16 libcrc32c crc32c_generic mbcache jbd2 ext4; do
  find "$root/lib/modules/$abi" -name "$module.ko" -exec cp {} "$start/modules/" \;
done
cp Tests/Package/guest/init "$start/init"
chmod 755 "$start/init"
(cd "$start" && find . | LC_ALL=C sort | cpio --quiet --reproducible --create --format=newc --owner=0:0) \
  >"$folder/initramfs.cpio"
ln -s "$kernel/vmlinux" "$folder/vmlinux"
rm -rf "$root" "$start" "$folder/packages"
touch "$folder/ready"
echo "$folder"
