#!/usr/bin/env bash
# The package's copyright file: ours, and the licences of everything that is linked into the program, from the sources
# that it was built from.
set -euo pipefail
cd "$(dirname "$0")/.."

cat packaging/debian/copyright
# Only the tests link swift-nio-http2.
find -L .build/checkouts -type f \( -name 'LICENSE*' -o -name 'NOTICE*' \) -not -path '*/Tests/*' \
  -not -path '*/IntegrationTests/*' -not -path '*/Benchmarks/*' -not -path '*/.git/*' \
  -not -path '*/swift-nio-http2/*' | sort |
  while IFS= read -r file; do
    # The same text every time: Debian has it.
    case $(head -n 8 "$file") in *"Apache License"*"Version 2.0"*) common=yes ;; *) common= ;; esac
    printf '\nFiles: %s/*\n' "$(dirname "${file#.build/checkouts/}")"
    printf 'Copyright: as %s says\n' "$(basename "$file")"
    if [ -n "$common" ]; then
      printf 'License: Apache-2.0 with Swift runtime library exception\n'
      printf ' On Debian systems the text of the Apache License, Version 2.0, is in\n'
      printf ' /usr/share/common-licenses/Apache-2.0.\n'
    else
      printf 'License: %s-%s\n' "$(dirname "${file#.build/checkouts/}" | tr '/ ' '--')" "$(basename "$file" | tr ' ' -)"
      # A field goes on in lines that begin with a space; an empty one has a full stop.
      sed -e 's/[[:space:]]*$//' -e 's/^$/./' -e 's/^/ /' "$file"
    fi
  done
