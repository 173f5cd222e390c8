#!/usr/bin/env bash
# Makes a release of this commit in .build/dist/VERSION: the packages, what they consist of, OCI images of those for Debian
# 13, the wheel of pytest-deskbell, the documentation as a web site, release notes, checksums and an apt repository. Twice
# gives the same bytes, but for signatures.
#   dist.sh [--key KEY] [--url URL] [--output DIR] [--dirty] [--no-build]
# --key and --url are repository.sh's. --dirty also takes what is not committed, or a version that CHANGELOG.md calls "not
# released", and --no-build the programs that are built already; a release has neither. SD_CARD=1 in the environment also
# makes the image of an SD card.
set -euo pipefail
cd "$(dirname "$0")/.."

version=$(sed -n 's/.*static let version = "\(.*\)"/\1/p' Sources/Daemon/Composition/Daemon.swift)
output=.build/dist/$version
dirty= build=yes signing=()
while [ $# -gt 0 ]; do
  case "$1" in
    --key) signing+=("$1" "$2"); shift ;;
    --url) signing+=("$1" "$2"); export HOMEPAGE=${2%/apt}; shift ;;
    --output) output=$2; shift ;;
    --dirty) dirty=yes ;;
    --no-build) build= ;;
    *) echo "usage: $0 [--key KEY] [--url URL] [--output DIR] [--dirty] [--no-build]" >&2; exit 2 ;;
  esac
  shift
done
fail() { echo "dist.sh: $*" >&2; exit 1; }
[ -n "$dirty" ] || [ -z "$(git status --porcelain)" ] ||
  fail "there are changes that are not committed: commit them, or make dist DIRTY=1 (git status lists them)"
[ -n "$dirty" ] || grep -qx "## $version" CHANGELOG.md ||
  fail "the heading of $version in CHANGELOG.md is not '## $version': a release has no other words there, or make dist DIRTY=1"
notes=$(packaging/release-notes.sh "$version")
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
export SOURCE_DATE_EPOCH

# In this order, because help is printed by the first program, which runs on this system.
targets=(bookworm/12/amd64 trixie/13/amd64 trixie/13/arm64)
images=(trixie/13/amd64 trixie/13/arm64)
cards=(${SD_CARD:+trixie/13/arm64})
steps=$((${#targets[@]} * (1 ${build:++ 1}) + ${#images[@]} + ${#cards[@]} + 3)) step=0
timed() {
  step=$((step + 1))
  scripts/timed.sh $step $steps "$@"
}
rm -rf "$output"
for target in "${targets[@]}"; do
  IFS=/ read -r suite number arch <<<"$target"
  built=.build/$suite-$arch
  [ -z "$build" ] || timed "the program for Debian $number on $arch" packaging/build.sh "$suite" "$arch"
  timed "the package for Debian $number on $arch" packaging/deb.sh --arch "$arch" --binary "$built/deskbell" \
    --sysroot "$built/sysroot" --help-from .build/bookworm-amd64/deskbell --suffix "+deb$number" --output "$output"
  mkdir -p "$output/apt/pool/$suite"
  cp "$output"/deskbell_*+deb"$number"_"$arch".deb "$output/apt/pool/$suite/"
done
for target in "${images[@]}"; do
  IFS=/ read -r suite number arch <<<"$target"
  # With Debian's newest security updates.
  [ -z "$build" ] || rm -rf ".build/image-$suite-$arch"
  timed "the image for $arch" packaging/image.sh "$output/deskbell_$version+deb${number}_$arch.deb" --output "$output"
done
for target in "${cards[@]}"; do
  IFS=/ read -r suite number arch <<<"$target"
  [ -z "$build" ] || rm -f .build/sd-card-base.tar
  timed 'the image of an SD card' packaging/sd-card.sh "$output/deskbell_$version+deb${number}_$arch.deb" --output "$output"
done
timed 'the wheel of pytest-deskbell' packaging/wheel.sh --output "$output"
timed 'the documentation' packaging/site.sh --output "$output"
printf '%s\n' "$notes" >"$output/RELEASE-NOTES.md"
timed 'checksums, the apt repository, signatures' packaging/repository.sh "$output" "${signing[@]}"

echo "== Deskbell $version is in $output:"
(cd "$output" && ls -1sh --file-type)
case " ${signing[*]} " in
  *' --key '*) ;;
  *) echo "== A throwaway key signed it. For a release: make dist KEY=KEY (gpg --list-secret-keys)" ;;
esac
echo "== To try the repository: python3 -m http.server --directory $output/apt (docs/install.md; to serve it, copy apt/)"
