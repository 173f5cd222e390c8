# Buttons and the switch, with contacts that bounce as real ones do: closing and opening for some milliseconds before
# they rest. A press is one press.
board=raspberry-pi-4
{
  cat board-configs/$board.yaml
  echo 'buttons: { view: { line: GPIO26 }, close: { line: GPIO27 } }'
  echo 'switch: { ring-silent: { line: GPIO22 } }'
} >/tmp/buttons.yaml
chip $board
serve /tmp/buttons.yaml
install_app
since=$(last_event)
chips=$(echo /sys/devices/platform/gpio-sim.*/gpiochip*)

# pull LINE up|down: a contact closes to ground against the chip's own resistor.
pull() { echo "pull-$2" >"$chips/sim_gpio$1/pull"; }

# close_contact LINE and open_contact LINE: with some ten edges within 4 ms.
close_contact() {
  for pause in 300 100 700 50 400; do
    pull "$1" down
    usleep $pause
    pull "$1" up
  done
  pull "$1" down
}
open_contact() {
  for pause in 200 600 100; do
    pull "$1" up
    usleep $pause
    pull "$1" down
  done
  pull "$1" up
}
press() {
  mark "press $1"
  close_contact "$1"
  sleep "$2"
  open_contact "$1"
  sleep 0.2
}

for turn in 1 2 3 4 5; do
  press 26 0.08
  press 27 0.08
done
press 27 2
# Over before it has lasted: lightning, or a sleeve.
pull 26 down
usleep 2000
pull 26 up
sleep 0.2
for turn in 1 2 3; do
  close_contact 22
  sleep 0.2
  open_contact 22
  sleep 0.2
done
events "$since" >"$out/buttons.events"
quit
chip_remove $board
