#!/usr/bin/env bash
# Builds the program for arm64 on amd64, for Debian 13 and the Raspberry Pi OS of today. The compiler and its libraries
# for both architectures are Debian sid's, of one version; what the program links is Debian 13's for arm64, so that it
# runs there. All of it is unpacked into .build/arm64 (4.5 GB, a few minutes), once; nothing is installed.
# Prints the program and the folder with its libraries: build.sh → .build/arm64/deskbell .build/arm64/sysroot
set -euo pipefail
cd "$(dirname "$0")/../.."
folder=$PWD/.build/arm64
[ "$(dpkg --print-architecture)" = amd64 ] || { echo "build.sh: this builds on amd64; on arm64: make deb" >&2; exit 1; }

libraries=/usr/libexec/swift/lib
mkdir -p "$folder"
scripts/debian-root.sh sid amd64 "$folder/host" base-files bash coreutils libc6-dev g++ git swiftlang
scripts/debian-root.sh sid arm64 "$folder/swift" "swiftlang=$libraries/swift/*,$libraries/swift_static/*,$libraries/clang/*"
scripts/debian-root.sh trixie arm64 "$folder/sysroot" base-files libc6-dev libstdc++-14-dev libgpiod-dev \
  libasound2-dev libsndfile1-dev libsamplerate0-dev libsqlite3-dev libyaml-dev libexpat1-dev libebur128-dev \
  libsimdjson-dev libnghttp2-dev libmosquitto-dev
# Some of it the compiler looks for there.
for kind in swift swift_static; do ln -sfn "../../../swift$libraries/$kind" "$folder/sysroot/usr/lib/$kind"; done

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
      "sdkRootPath": "/deskbell/.build/arm64/sysroot",
      "swiftResourcesPath": "/deskbell/.build/arm64/swift$libraries/swift",
      "swiftStaticResourcesPath": "/deskbell/.build/arm64/swift$libraries/swift_static",
      "toolsetPaths": ["toolset.json"]
    }
  }
}
END
cat >"$sdk/arm64/toolset.json" <<'END'
{
  "schemaVersion": "1.0",
  "swiftCompiler": { "extraCLIOptions": ["-use-ld=lld"] },
  "linker": { "extraCLIOptions": ["--sysroot=/deskbell/.build/arm64/sysroot"] }
}
END

# The packages are fetched by the Swift of this system, which knows where from.
echo "== Building deskbell for arm64 (the first time takes 10 to 15 minutes on two cores)" >&2
swift package --scratch-path "$folder/build" resolve >&2

# In sid, with this project as /deskbell: what was compiled names its paths.
inside() {
  unshare --user --map-root-user --mount bash -euc '
    host=$0
    mkdir -p "$host/deskbell" "$host/tmp/home"
    mount --bind "$PWD" "$host/deskbell"
    mount --rbind /proc "$host/proc"
    mount --rbind /dev "$host/dev"
    exec chroot "$host" /usr/bin/env -i HOME=/tmp/home PATH=/usr/libexec/swift/bin:/usr/bin \
      PKG_CONFIG_SYSROOT_DIR="$1" PKG_CONFIG_PATH="$1/usr/lib/aarch64-linux-gnu/pkgconfig:$1/usr/share/pkgconfig" \
      "${@:2}"' "$folder/host" /deskbell/.build/arm64/sysroot "$@"
}
inside bash -euc 'cd /deskbell && exec swift build -c release --product deskbell --static-swift-stdlib \
  --swift-sdks-path .build/arm64/sdks --swift-sdk arm64 --scratch-path .build/arm64/build \
  --disable-automatic-resolution' >&2

ln -sf build/aarch64-unknown-linux-gnu/release/deskbell "$folder/deskbell"
echo "$folder/deskbell $folder/sysroot"
