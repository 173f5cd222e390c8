#!/usr/bin/env bash
# Signs a release: makes an apt repository's files of the packages in FOLDER/apt/pool/SUITE, and SHA256SUMS of the files
# in FOLDER.
#   repository.sh FOLDER [--key KEY] [--url URL]
# KEY is a key in the caller's GnuPG, as `gpg --list-secret-keys` names it. Without it a throwaway key signs, which is
# good for a test only. URL is where FOLDER/apt will be served. All but the signatures, the key and SUITE.sources, which
# has the key, depends on the packages and SOURCE_DATE_EPOCH only.
set -euo pipefail

folder=$(realpath "$1")
shift
key= url=https://deskbell.example/apt
while [ $# -gt 0 ]; do
  case "$1" in
    --key) key=$2 ;;
    --url) url=$2 ;;
    *) echo "usage: $0 FOLDER [--key KEY] [--url URL]" >&2; exit 2 ;;
  esac
  shift 2
done
: "${SOURCE_DATE_EPOCH:?is not set: it is the time of the release}"
export LC_ALL=C
umask 022
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

if [ -z "$key" ]; then
  export GNUPGHOME=$work
  trap 'gpgconf --kill all; rm -rf "$work"' EXIT
  gpg --batch --quiet --passphrase '' --quick-generate-key 'Deskbell, a throwaway key' ed25519 sign never 2>"$work/log" ||
    { cat "$work/log" >&2; exit 1; }
  key=$(gpg --no-auto-check-trustdb --with-colons --list-secret-keys | awk -F: '$1 == "fpr" { print $10; exit }')
fi
sign() { gpg --batch --yes --quiet --trust-model always --local-user "$key" "$@"; }
public=$folder/deskbell-key.asc
gpg --batch --armor --export-options export-minimal --export "$key" >"$public" 2>/dev/null
[ -s "$public" ] || { echo "repository.sh: GnuPG has no key '$key': see gpg --list-secret-keys" >&2; exit 1; }

cd "$folder"
find . -maxdepth 1 -type f -not -name 'SHA256SUMS*' -not -name deskbell-key.asc -printf '%P\0' | sort -z |
  xargs -0 sha256sum >SHA256SUMS
sign --armor --detach-sign --output SHA256SUMS.asc SHA256SUMS

cd apt
rm -rf dists
for pool in pool/*/; do
  suite=$(basename "$pool")
  architectures=$(for package in "$pool"*.deb; do dpkg-deb --field "$package" Architecture; done | sort -u | xargs)
  for arch in $architectures; do
    index=dists/$suite/main/binary-$arch
    mkdir -p "$index"
    apt-ftparchive -o APT::FTPArchive::MD5=no -o APT::FTPArchive::SHA1=no --arch "$arch" packages "$pool" \
      >"$index/Packages"
    xz --keep --threads=1 "$index/Packages"
  done
  fields=(Origin=Deskbell Label=Deskbell "Suite=$suite" "Codename=$suite" "Architectures=$architectures" Components=main
    "Description=Deskbell for Debian $suite")
  # apt-ftparchive writes the time of now.
  apt-ftparchive -o APT::FTPArchive::MD5=no -o APT::FTPArchive::SHA1=no \
    "${fields[@]/#/-oAPT::FTPArchive::Release::}" release "dists/$suite" |
    sed "s/^Date: .*/Date: $(date --utc --date="@$SOURCE_DATE_EPOCH" '+%a, %d %b %Y %H:%M:%S +0000')/" >"$work/Release"
  cp "$work/Release" "dists/$suite/Release"
  sign --clear-sign --output "dists/$suite/InRelease" "dists/$suite/Release"
  sign --armor --detach-sign --output "dists/$suite/Release.gpg" "dists/$suite/Release"
  # With the key in it, so that one file is all that a machine needs.
  printf 'Types: deb\nURIs: %s\nSuites: %s\nComponents: main\nSigned-By:\n%s\n' "$url" "$suite" \
    "$(sed -e 's/^$/./' -e 's/^/ /' "$public")" >"$suite.sources"
done
