# Lamps of several colours, each colour once; and a buzzer that gets its tone from a line.
for board in lights-rgb lights-blinkt; do
  chip $board
  mark "board $board"
  serve /guest/boards/$board.yaml
  install_app
  for colour in red orange yellow green cyan blue purple white; do
    deskbell settings lamp steady-$colour || fail "steady-$colour is refused"
    sleep 0.2
    mark "light $colour"
  done
  deskbell settings lamp off
  sleep 0.2
  mark "light off"
  if [ $board = lights-rgb ]; then
    mark beep
    push --body Parcel --sound default
    sleep 1
    mark beeped
    clear_handset
  fi
  end $board
done
