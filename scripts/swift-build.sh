#!/usr/bin/env bash
# Builds for release. Each function, of dependencies too, has a section of its own, so that the linker can drop those that
# nothing calls, merge equal ones (3.4 MB of 33), and put those together that a push needs (packaging/function-order.txt).
#
#   scripts/swift-build.sh --build-tests
set -euo pipefail
exec swift build -c release -Xswiftc -Xfrontend -Xswiftc -function-sections -Xcc -ffunction-sections \
  -Xcxx -ffunction-sections "$@"
