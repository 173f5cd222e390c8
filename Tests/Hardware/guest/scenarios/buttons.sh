# Buttons and the ring/silent switch, which bounce as real ones do; the motor; a line that another program uses.
board=raspberry-pi-4-buttons
view=5 close=6 silent=13 motor=27

# put LINE down|up: the contact is closed to ground, or open, where the chip's own resistor pulls the line up.
put() {
  case $2 in down) pull=pull-down ;; up) pull=pull-up ;; esac
  # A shell expands no pattern behind >.
  echo $pull >"$(echo /sys/devices/platform/gpio-sim.*/gpiochip*/sim_gpio$1/pull)"
}

# bounce LINE down|up: to there and back five times within some 6 ms.
bounce() {
  case $2 in down) other=up ;; up) other=down ;; esac
  for pause in 200 900 400 1300 600; do
    put $1 $2
    usleep $pause
    put $1 $other
    usleep 300
  done
  put $1 $2
}

# press LINE SECONDS
press() {
  mark "down $1"
  bounce $1 down
  sleep $2
  mark "up $1"
  bounce $1 up
  sleep 0.1
}

# The motor's line is another's at first.
chip $board
hold-line "$(ls /dev/gpiochip*)" $motor squatter >/tmp/held &
holder=$!
await 5 grep -q held /tmp/held || fail "the motor's line is not held"
mark "board $board"
serve $board
install_app
await 5 grep -q squatter "$out"/daemon-*.log || fail "the log does not name the program that holds the line"
deskbell state >"$out/state-busy"
kill $holder
mark released
await 10 sh -c "deskbell state | grep -q 'motor *works'" || fail "the motor is not used when its line is free"
mark regained
deskbell state >"$out/state-free"

since=$(last_event)
i=0
while [ $i -lt 5 ]; do
  press $close 0.1
  i=$((i + 1))
done
events "$since" >"$out/close.events"

since=$(last_event)
press $close 1.3
press $close 0.2
events "$since" >"$out/long.events"

since=$(last_event)
bounce $silent down
sleep 0.2
bounce $silent up
sleep 0.2
events "$since" >"$out/silent.events"

# The motor plays its pattern once. (No chip is taken away here: this kernel's simulated chips write into memory that is
# no longer theirs when they go while somebody listens for edges.)
mark "vibrate"
push --body Parcel --badge 3 --sound default
sleep 1
mark "vibrated"
clear_handset
end $board
