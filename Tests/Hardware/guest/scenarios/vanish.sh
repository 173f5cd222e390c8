# A chip is taken away while lamp and digits are lit, and given back.
for board in raspberry-pi-4 raspberry-pi-4-multiplexed; do
  chip $board
  mark "board $board"
  serve $board
  install_app
  push --body Parcel --badge 42
  sleep 1
  mark "away $board"
  chip_dead $board
  sleep 3
  mark "back $board"
  chip_live $board
  sleep 3
  mark "looked $board"
  events 0 >"$out/$board.events"
  deskbell state --json >"$out/$board.state"
  clear_handset
  quit
  mark "left $board"
  chip_remove $board
done
