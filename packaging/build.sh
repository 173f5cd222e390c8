#!/usr/bin/env bash
# Builds the program for a Debian release and an architecture, on amd64:  build.sh SUITE ARCH
# The project is /deskbell there, wherever it lies here, and the libraries are that release's, whatever this system has.
# So a build elsewhere gives the same program. All of it is unpacked into .build/SUITE-ARCH, once; nothing is installed.
#
# For amd64 the compiler is this system's. For arm64 it is Debian sid's, which has the same version for both
# architectures: its libraries for arm64 are in a folder of their own (4.5 GB in all).
# Results: .build/SUITE-ARCH/deskbell, and the folder .build/SUITE-ARCH/sysroot with the libraries that it links.
set -euo pipefail
cd "$(dirname "$0")/.."
[ $# -eq 2 ] || { echo "usage: $0 SUITE ARCH" >&2; exit 2; }
suite=$1 arch=$2
[ "$(dpkg --print-architecture)" = amd64 ] || { echo "build.sh: this builds on amd64; elsewhere: make deb" >&2; exit 1; }
folder=$PWD/.build/$suite-$arch
inside=/deskbell/.build/$suite-$arch
mkdir -p "$folder"

libraries="libc6-dev libgpiod-dev libasound2-dev libsndfile1-dev libsamplerate0-dev libsqlite3-dev libyaml-dev
  libexpat1-dev libebur128-dev libsimdjson-dev libnghttp2-dev libmosquitto-dev libnats-dev libqrencode-dev"
case $arch in
  amd64)
    # With what the compiler itself loads. It is mounted where the build finds the same path everywhere.
    # shellcheck disable=SC2086
    scripts/debian-root.sh "$suite" amd64 "$folder/sysroot" base-files bash coreutils g++ git pkg-config libcurl4 \
      libncurses6 libuuid1 libxml2 zlib1g $libraries
    root=$folder/sysroot tools=/opt/swift/usr/bin
    toolchain=$(dirname "$(dirname "$(realpath "$(command -v swift)")")")
    # Its folder is put into the other Debian's root, in front of the programs there.
    [ "$toolchain" != /usr ] || {
      echo "build.sh: Swift is in /usr, with this Debian's own programs: unpack it into a folder such as /opt/swift" >&2
      exit 1
    }
    options=()
    environment=()
    ;;
  arm64)
    root=$folder/host tools=/usr/libexec/swift/bin
    toolchain=
    swift=/usr/libexec/swift/lib
    scripts/debian-root.sh sid amd64 "$root" base-files bash coreutils libc6-dev g++ git swiftlang
    scripts/debian-root.sh sid arm64 "$folder/swift" "swiftlang=$swift/swift/*,$swift/swift_static/*,$swift/clang/*"
    # shellcheck disable=SC2086
    scripts/debian-root.sh "$suite" arm64 "$folder/sysroot" base-files libstdc++-14-dev $libraries
    # Some of it the compiler looks for there.
    for kind in swift swift_static; do ln -sfn "../../../swift$swift/$kind" "$folder/sysroot/usr/lib/$kind"; done

    # What SwiftPM calls a Swift SDK.
    sdk=$folder/sdks/arm64.artifactbundle
    mkdir -p "$sdk/arm64"
    cat >"$sdk/info.json" <<'END'
{
  "schemaVersion": "1.0",
  "artifacts": {
    "arm64": { "type": "swiftSDK", "version": "1.0", "variants": [{ "path": "arm64" }] }
  }
}
END
    cat >"$sdk/arm64/swift-sdk.json" <<END
{
  "schemaVersion": "4.0",
  "targetTriples": {
    "aarch64-unknown-linux-gnu": {
      "sdkRootPath": "$inside/sysroot",
      "swiftResourcesPath": "$inside/swift$swift/swift",
      "swiftStaticResourcesPath": "$inside/swift$swift/swift_static",
      "toolsetPaths": ["toolset.json"]
    }
  }
}
END
    cat >"$sdk/arm64/toolset.json" <<END
{
  "schemaVersion": "1.0",
  "swiftCompiler": { "extraCLIOptions": ["-use-ld=lld"] },
  "linker": { "extraCLIOptions": ["--sysroot=$inside/sysroot"] }
}
END
    options=(--static-swift-stdlib --swift-sdks-path "$inside/sdks" --swift-sdk arm64)
    environment=("PKG_CONFIG_SYSROOT_DIR=$inside/sysroot"
      "PKG_CONFIG_PATH=$inside/sysroot/usr/lib/aarch64-linux-gnu/pkgconfig:$inside/sysroot/usr/share/pkgconfig")
    ;;
  *) echo "build.sh: there is no $arch: amd64 or arm64" >&2; exit 2 ;;
esac

# The packages are fetched by the Swift of this system, which knows where from. The licences are read from .build.
echo "== Building deskbell for Debian $suite on $arch (the first time takes 10 to 15 minutes on two cores)" >&2
swift package resolve >&2
swift package --scratch-path "$folder/build" resolve >&2

# The compiler's order of things must depend neither on random seeds of its hashes nor on where its memory is.
unshare --user --map-root-user --mount bash -euc '
  root=$0 toolchain=$1
  shift
  mkdir -p "$root/deskbell" "$root/opt/swift/usr" "$root/tmp/home"
  mount --bind "$PWD" "$root/deskbell"
  [ -z "$toolchain" ] || mount --bind "$toolchain" "$root/opt/swift/usr"
  mount --rbind /proc "$root/proc"
  mount --rbind /dev "$root/dev"
  shift
  exec setarch --addr-no-randomize chroot "$root" /usr/bin/env -i HOME=/tmp/home SWIFT_DETERMINISTIC_HASHING=1 "$@"' \
  "$root" "$toolchain" -- "PATH=$tools:/usr/bin:/bin" "${environment[@]}" bash -euc 'cd /deskbell && exec "$@"' -- \
  scripts/swift-build.sh --product deskbell "${options[@]}" --scratch-path "$inside/build" \
  --disable-automatic-resolution >&2

case $arch in amd64) triple=x86_64-unknown-linux-gnu ;; arm64) triple=aarch64-unknown-linux-gnu ;; esac
ln -sfn "build/$triple/release/deskbell" "$folder/deskbell"
