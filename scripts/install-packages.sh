#!/usr/bin/env bash
# Installs the Debian packages that are missing for what is named, as listed below. Says what it does, asks for nothing, and
# does nothing where nothing is missing.
set -euo pipefail

packages=()
for purpose in "$@"; do
  case "$purpose" in
    build)
      packages+=(pkg-config libgpiod-dev libasound2-dev libsndfile1-dev libsamplerate0-dev libsqlite3-dev libyaml-dev
        libexpat1-dev libebur128-dev libsimdjson-dev libnghttp2-dev libmosquitto-dev libnats-dev
        libqrencode-dev) ;;
    test) packages+=(curl nghttp2-client python3 python3-venv binutils systemd faketime gcc libc6-dev util-linux
        libmosquitto1 mosquitto patchelf iproute2 valgrind libcurl4-openssl-dev) ;;
    panel) packages+=(chromium chromium-driver fonts-dejavu-core python3 python3-venv) ;;
    demo) packages+=(curl) ;;
    site) packages+=(python3 python3-venv git) ;;
    hardware) packages+=(qemu-system-x86 cpio alsa-utils curl gcc libc6-dev make python3 binutils xz-utils) ;;
    package) packages+=(dpkg-dev binutils python3 xz-utils) ;;
    package-arm64) packages+=(binutils-aarch64-linux-gnu dpkg-dev util-linux) ;;
    dist) packages+=(apt-utils gpg gpg-agent gpgconf git python3 python3-venv xz-utils) ;;
    test-dist) packages+=(debootstrap lintian python3 python3-venv) ;;
    test-fleet) packages+=(debootstrap iproute2 openssh-client e2fsprogs) ;;
    test-boards) packages+=(python3 python3-libfdt) ;;
    test-arm64) packages+=(qemu-user-static qemu-system-arm cpio xz-utils binutils python3) ;;
    sd-card) packages+=(mmdebstrap arch-test qemu-user-static uidmap dosfstools mtools fdisk xz-utils) ;;
    test-sd-card) packages+=(curl openssh-client e2fsprogs dosfstools mtools fdisk xz-utils) ;;
    test-package)
      packages+=(debootstrap qemu-system-x86 cpio e2fsprogs kmod python3 gcc make libelf1 xz-utils lintian) ;;
    test-image) packages+=(umoci skopeo crun podman slirp4netns uidmap docker.io docker-compose mosquitto
        mosquitto-clients curl file iproute2 openssl python3 python3-venv) ;;
    bench) packages+=(nghttp2-server golang-go golang-github-mattn-go-sqlite3-dev gcc libc6-dev) ;;
    test-home) packages+=(python3-pip) ;;
    test-restarts) packages+=(nodejs golang-go default-jdk-headless curl) ;;
    profile) packages+=(linux-perf) ;;
    *)
      echo "usage: $0 KIND …, of build, test, panel, hardware, demo, site, package, package-arm64, dist, test-package," \
        "test-arm64, sd-card, test-sd-card, test-boards, test-dist, test-image, test-fleet, test-home, test-restarts," \
        "bench, profile" >&2
      exit 2
      ;;
  esac
done

if ! command -v swift >/dev/null; then
  echo "There is no Swift toolchain on the PATH: install 6.2 or later from https://www.swift.org/install/linux/" >&2
  exit 1
fi

missing=()
for package in "${packages[@]}"; do
  if ! dpkg-query --show --showformat='${db:Status-Status}\n' "$package" 2>/dev/null | grep -qx installed; then
    missing+=("$package")
  fi
done
[ ${#missing[@]} -eq 0 ] && exit 0

as_root=()
if [ "$(id -u)" -ne 0 ]; then
  if ! command -v sudo >/dev/null; then
    echo "Missing Debian packages: ${missing[*]}" >&2
    echo "Install them as root: apt-get install ${missing[*]}" >&2
    exit 1
  fi
  as_root=(sudo)
fi

echo "== Installing Debian packages: ${missing[*]}"
install() {
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install --yes --quiet=2 --no-install-recommends \
    "${missing[@]}"
}
# The package lists may be absent or old: then they are fetched, and it is tried once more.
install >/dev/null 2>&1 || { "${as_root[@]}" apt-get update --quiet=2 && install >/dev/null; }
