#!/usr/bin/env bash
# The unit tests and stories under the thread sanitizer and the address sanitizer, which looks for leaks too, each in a
# build of its own beside the one that is shipped, with its dependencies. One alone, and words for the tests, as in:
# Tests/Sanitizers/run.sh thread --filter Mailbox
set -euo pipefail
cd "$(dirname "$0")/../.."

sanitizers=(thread address)
case "${1:-}" in thread | address)
  sanitizers=("$1")
  shift
  ;;
esac

# Every report of the thread sanitizer fails the run, and the first does not hide the others; the first of the address
# sanitizer ends it, as nothing can be said of what comes after. Not through `swift test`: what is preloaded is for the
# tests alone.
for sanitizer in "${sanitizers[@]}"; do
  echo "== Under the $sanitizer sanitizer"
  build=".build/$sanitizer"
  swift build -c release --build-tests --sanitize="$sanitizer" --scratch-path "$build"
  case "$sanitizer" in
  thread)
    clang -O2 -Wall -Wextra -Werror -shared -fPIC Tests/Sanitizers/swift-mutex.c -o "$build/swift-mutex.so"
    options=(
      LD_PRELOAD="$PWD/$build/swift-mutex.so"
      TSAN_OPTIONS="halt_on_error=0 exitcode=66 suppressions=$PWD/Tests/Sanitizers/thread.supp"
    )
    ;;
  address)
    options=(
      ASAN_OPTIONS="detect_leaks=1 exitcode=66"
      LSAN_OPTIONS="suppressions=$PWD/Tests/Sanitizers/leaks.supp print_suppressions=0"
    )
    ;;
  esac
  run() {
    # Swift's own account of a crash would come before the sanitizer's.
    env "${options[@]}" SWIFT_BACKTRACE=enable=no \
      "$build/release/deskbellPackageTests.xctest" --testing-library swift-testing "$@"
  }
  if [ $# -gt 0 ]; then
    run "$@"
  else
    # Computations that take minutes here would keep the others' sockets waiting past their time-outs.
    run --skip ModelTests --skip RandomRunTests
    run --filter 'ModelTests|RandomRunTests'
  fi
done
