#!/usr/bin/env bash
# Prints the card's deskbell.txt: the text beside this script with the names of all displays, and with the line ends that
# editors of Windows want.
set -euo pipefail
export LC_ALL=C
cd "$(dirname "$0")/../.."
displays=$(for file in board-configs/displays/*.yaml; do basename "$file" .yaml; done | paste --serial --delimiters=, |
  sed 's/,/, /g' | fold --spaces --width=110 | sed -e 's/^/# /' -e 's/ *$//')
while IFS= read -r line; do
  [ "$line" != '# DISPLAYS' ] || line=$displays
  printf '%s\n' "$line"
done <packaging/sd-card/deskbell.txt | sed 's/$/\r/'
