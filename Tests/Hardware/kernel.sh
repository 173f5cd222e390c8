#!/usr/bin/env bash
# Makes what the virtual board boots, from Debian's own packages: the kernel, its modules for sound and disk, and
# gpio-sim, which Debian does not build. Kernel and headers are one version, and so are source and tools unless Debian has
# replaced them by a newer one of the series already, before the signed kernel. apt checks what it fetches against
# Debian's signatures; nothing is installed. Prints the folder, which later runs find ready.
set -euo pipefail
display=$(cd "$(dirname "$0")" && pwd)/kernel/display.c
cache=${DESKBELL_HARDWARE_CACHE:-$(cd "$(dirname "$0")/../.." && pwd)/.build/hardware}

# As CI finds itself: as root, and with no package lists.
if [ "$(id -u)" -eq 0 ] && ! apt-cache show linux-image-amd64 >/dev/null 2>&1; then apt-get update --quiet=2 >&2; fi

abi=$(apt-cache depends linux-image-amd64 2>/dev/null | awk '/Depends: linux-image-/ { sub("linux-image-", "", $2); print $2; exit }')
version=$(apt-cache policy "linux-image-$abi" | awk '/Candidate:/ { print $2 }')
if [ -z "$abi" ] || [ -z "$version" ]; then
  echo "kernel.sh: apt knows no linux-image-amd64; run 'apt-get update' on a Debian 12 for amd64" >&2
  exit 1
fi
series=$(echo "$abi" | cut -d. -f1,2)
# What another state of these files made is not what this one wants.
folder=$cache/linux-$version-$(cat "$0" "$display" | sha256sum | cut -c1-8)
if [ -e "$folder/ready" ]; then echo "$folder"; exit 0; fi

echo "== Fetching Debian's kernel $version, its headers and source" >&2
rm -rf "$folder"
mkdir -p "$folder/packages" "$folder/root" "$folder/source" "$folder/gpio-sim" "$folder/modules"
(
  cd "$folder/packages"
  packages=("linux-image-$abi=$version" busybox-static)
  for package in "linux-headers-$abi" "linux-headers-${abi%-amd64}-common" "linux-kbuild-$series" "linux-source-$series" \
    linux-compiler-gcc-12-x86; do
    if apt-cache madison "$package" | grep -q " $version "; then package+="=$version"; fi
    packages+=("$package")
  done
  apt-get download --quiet=2 -o APT::Sandbox::User=root "${packages[@]}" >&2
)
for package in "$folder"/packages/*.deb; do
  case $package in *linux-source*) ;; *) dpkg-deb --extract "$package" "$folder/root" ;; esac
done

echo "== Building gpio-sim against them" >&2
dpkg-deb --fsys-tarfile "$folder/packages/linux-source-$series"_*.deb |
  tar --extract --to-stdout "./usr/src/linux-source-$series.tar.xz" |
  tar --extract --xz --directory "$folder/source" --strip-components=1 \
    "linux-source-$series/drivers/gpio/gpio-sim.c" "linux-source-$series/drivers/gpio/gpiolib.h" \
    "linux-source-$series/kernel/irq/irq_sim.c" "linux-source-$series/scripts/extract-vmlinux"
# The simulated interrupts are left out of Debian's kernel too, so they become a part of the module; the one function
# of theirs that the kernel keeps to itself has an exported twin.
cp "$folder/source/drivers/gpio/gpio-sim.c" "$folder/gpio-sim/chip.c"
cp "$folder/source/drivers/gpio/gpiolib.h" "$folder/gpio-sim/"
sed -e 's/irq_to_desc(\([^)]*\))/irq_data_to_desc(irq_get_irq_data(\1))/' \
  -e 's/#include <linux\/irq.h>/&\n#include <linux\/irqdesc.h>/' \
  "$folder/source/kernel/irq/irq_sim.c" >"$folder/gpio-sim/irq_sim.c"
# The chip of a display is between the kernel and gpio-sim: it takes the place of the function that adds a simulated chip.
cp "$display" "$folder/gpio-sim/"
cat >"$folder/gpio-sim/Kbuild" <<'END'
obj-m := gpio-sim.o
gpio-sim-objs := chip.o irq_sim.o display.o
CFLAGS_chip.o := -Ddevm_gpiochip_add_data_with_key=add_with_display
CFLAGS_display.o := -Werror
END
sed -i "s|/usr/src|$folder/root/usr/src|" "$folder/root/usr/src/linux-headers-$abi/Makefile"
make --silent --directory "$folder/root/usr/src/linux-headers-$abi" M="$folder/gpio-sim" modules >"$folder/gpio-sim.log" \
  2>&1 || { cat "$folder/gpio-sim.log" >&2; exit 1; }

cp "$folder/gpio-sim/gpio-sim.ko" "$folder/modules/"
for module in configfs snd snd-timer snd-pcm snd-aloop snd-dummy soundcore virtio virtio_ring virtio_pci_legacy_dev \
  virtio_pci_modern_dev virtio_pci virtio_blk; do
  find "$folder/root/lib/modules/$abi" -name "$module.ko" -exec cp {} "$folder/modules/" \;
done
# Uncompressed it boots in a third of the time: the guest has no fast way to unpack it.
bash "$folder/source/scripts/extract-vmlinux" "$folder/root/boot/vmlinuz-$abi" >"$folder/vmlinux"
cp "$folder/root/bin/busybox" "$folder/busybox"
rm -rf "$folder/root" "$folder/source" "$folder/packages" "$folder/gpio-sim"
touch "$folder/ready"
echo "$folder"
