#!/usr/bin/env bash
# The unit tests and stories under the thread sanitizer, in a build of its own beside the one that is shipped, with its
# dependencies. Words go to the tests, as in: Tests/Sanitizers/run.sh --filter Mailbox
set -euo pipefail
cd "$(dirname "$0")/../.."

build=.build/thread
swift build -c release --build-tests --sanitize=thread --scratch-path "$build"
clang -O2 -Wall -Wextra -Werror -shared -fPIC Tests/Sanitizers/swift-mutex.c -o "$build/swift-mutex.so"

# Every report fails the run, and the first does not hide the others. Not through `swift test`: what is preloaded is for
# the tests alone.
LD_PRELOAD="$PWD/$build/swift-mutex.so" \
  TSAN_OPTIONS="halt_on_error=0 exitcode=66 suppressions=$PWD/Tests/Sanitizers/thread.supp" \
  "$build/release/deskbellPackageTests.xctest" --testing-library swift-testing "$@"
