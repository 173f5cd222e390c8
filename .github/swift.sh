#!/usr/bin/env bash
# Installs a release of Swift for Debian in /opt/swift, with swift.org's signature checked:  swift.sh VERSION
# It is a folder of its own because packaging/build.sh puts the compiler into the roots of other Debian releases. Swift has
# images of Debian 12 only, and Debian 13's own compiler is 6.0: the toolchain for Debian 12 runs on both.
set -euo pipefail
release=swift-$1-RELEASE
address=https://download.swift.org/${release,,}/debian12/$release/$release-debian12.tar.gz
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
curl --fail --silent --show-error --remote-name-all "$address" "$address.sig"
curl --fail --silent --show-error https://www.swift.org/keys/all-keys.asc | gpg --batch --quiet --import
gpg --batch --verify "$release-debian12.tar.gz.sig" "$release-debian12.tar.gz"
mkdir /opt/swift
tar --extract --file "$release-debian12.tar.gz" --directory /opt/swift --strip-components 1
echo /opt/swift/usr/bin >>"$GITHUB_PATH"
