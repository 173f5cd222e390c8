# Displays whose chips cease to answer while badges come, and answer again; and the keys of one.

# badge NUMBER: a push, drawn.
badge() {
  push --body Parcel --badge $1
  sleep 0.2
}

# key NUMBER: pressed for a moment.
key() {
  echo $((1 << $1 - 1)) >$parameters/keys
  sleep 0.2
  echo 0 >$parameters/keys
  sleep 0.2
}

# silence BOARD PARAMETER VALUE: with this value some chip of the display does not answer (kernel/display.c).
silence() {
  begin "$1"
  since=$(last_event)
  badge 12
  deskbell state >"$out/$1.before"
  value=$(cat "$parameters/$2")
  mark "silent $1"
  echo "$3" >"$parameters/$2"
  badge 34
  badge 56
  # Without an answer the daemon must not take a key for pressed.
  key 2
  deskbell state >"$out/$1.silent"
  mark "answers $1"
  echo "$value" >"$parameters/$2"
  badge 78
  deskbell state >"$out/$1.after"
  events "$since" >"$out/$1.events"
  clear_handset
  end "$1"
}

silence raspberry-pi-4 supply N
silence raspberry-pi-4-ht16k33 supply N
silence raspberry-pi-4-ht16k33-8 addresses 1
silence raspberry-pi-4-ht16k33-alphanumeric supply N
silence raspberry-pi-4-tm1650 supply N
silence raspberry-pi-4-tm1638 supply N

# Close and View, each of an alert. View opens the app, and the next scenario needs it in the background.
begin raspberry-pi-4-tm1638
deskbell settings $app style alert || fail "the style is refused"
since=$(last_event)
badge 12
key 2
badge 34
key 1
deskbell app background $app
events "$since" >"$out/keys.events"
deskbell settings $app style banner
clear_handset
end raspberry-pi-4-tm1638
