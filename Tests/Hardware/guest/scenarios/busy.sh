# Another program has the lines first: that is said with its name, and once it lets go of them the badge is shown.
board=raspberry-pi-4-multiplexed
chip $board
mark "board $board"
scan-reference "$(ls /dev/gpiochip*)" sleep 200 800 5,6,12,13,16,19,20,21 22,23,24,25 >/dev/null &
other=$!
await 5 grep -q 1 "$simulation/$board/live"
serve $board
install_app
push --body Parcel --badge 42
deskbell state --json >"$out/state.json"
wait $other
mark free
sleep 10
mark looked
clear_handset
quit
mark "left $board"
chip_remove $board
