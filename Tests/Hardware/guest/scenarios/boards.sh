# Every board file that is shipped finds its lines by their real labels, and shows after a start what the handset
# showed before its end (rule D4), without a push.
chip raspberry-pi-4
serve raspberry-pi-4
install_app
push --body Parcel --badge 12
quit
chip_remove raspberry-pi-4
trace-pages >/dev/null

for board in $(ls /guest/chips); do
  # Only a scenario's own.
  [ ! -e "/guest/boards/$board.yaml" ] || continue
  say "$board"
  chip "$board"
  mark "board $board"
  serve "$board"
  # The last device to be drawn is the display; a scanned one for some frames.
  sleep 0.1
  mark shown
  quit
  mark "left $board"
  chip_remove "$board"
done
chip raspberry-pi-4
serve raspberry-pi-4
clear_handset
quit
chip_remove raspberry-pi-4
