# A chip is taken away while lamp and digits are lit, and given back.
for board in raspberry-pi-4 raspberry-pi-4-multiplexed; do
  begin $board
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
  end $board
done
