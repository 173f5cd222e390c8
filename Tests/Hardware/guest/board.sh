# What the scenarios share: simulated chips, the daemon, its client, and marks in the kernel's trace.
tracing=/sys/kernel/tracing
simulation=/sys/kernel/config/gpio-sim
# What the chip of the board's display does (kernel/display.c).
parameters=/sys/module/gpio_sim/parameters
app=com.example.bench
export DESKBELL_CONTROL=/run/deskbell.sock
cd /usr/share/deskbell

# A line of the trace, at the kernel's own time.
mark() { echo "$*" >$tracing/trace_marker; }

# To the console, for people who wait.
say() { echo "$(cut -d' ' -f1 /proc/uptime)   $*" >/dev/console; }

# The check of this scenario fails with these words.
fail() {
  echo "$*" >>"$out/failures"
  echo "failed: $*"
}

# await SECONDS COMMAND…: until it succeeds. Bounded: nobody outside would notice that the guest waits.
await() {
  tries=$(($1 * 20))
  shift
  while ! "$@" >/dev/null 2>&1; do
    tries=$((tries - 1))
    [ $tries -gt 0 ] || return 1
    sleep 0.05
  done
}

# chip BOARD: the chip that its board file asks for, with the lines that the file names. /guest/chips/BOARD says label
# and number of lines, then offset and name of each; /guest/displays/BOARD puts the display's chip at its lines.
chip() {
  mkdir -p "$simulation/$1/bank"
  {
    read -r label count
    echo "$count" >"$simulation/$1/bank/num_lines"
    echo "$label" >"$simulation/$1/bank/label"
    while read -r offset name; do
      mkdir "$simulation/$1/bank/line$offset"
      echo "$name" >"$simulation/$1/bank/line$offset/name"
    done
  } <"/guest/chips/$1"
  while read -r name value; do echo "$value" >$parameters/$name; done <"/guest/displays/$1"
  chip_live "$1"
}

# chip_live BOARD: the trace counts lines through all chips, so it is told where this one's begin.
chip_live() {
  echo 1 >"$simulation/$1/live"
  for class in /sys/class/gpio/gpiochip*; do
    mark "chip $(cat $class/label) $(cat $class/base) $(cat $class/ngpio)"
  done
}

chip_dead() {
  echo 0 >"$simulation/$1/live"
  mark gone
}

chip_remove() {
  chip_dead "$1"
  for line in "$simulation/$1"/bank/line*; do
    [ ! -e "$line" ] || rmdir "$line"
  done
  rmdir "$simulation/$1/bank" "$simulation/$1"
}

# serve BOARD [OPTION…]: the daemon, ready. $pcm names another device than the loop-back card itself.
serve() {
  board_file=$1
  shift
  deskbell serve --board "$board_file" "$@" --state /tmp/state --listen 127.0.0.1:2197 \
    --pcm "${pcm:-hw:Loopback,0}" \
    2>"$out/daemon-$$.log" &
  daemon=$!
  await 20 grep -q ' ready: ' "$out/daemon-$$.log" || fail "the daemon is not ready on board $board_file"
}

# quit: the daemon ends by itself; what it logged is kept.
quit() {
  kill $daemon
  wait $daemon || fail "the daemon ended with code $?"
  cat "$out/daemon-$$.log" >>"$out/daemon.log"
  rm "$out/daemon-$$.log"
}

# Everything since the first start, from sequence number $1 on.
events() { deskbell events --json --since "${1:-0}"; }
last_event() { events | tail -n 1 | sed 's/.*"sequence":\([0-9]*\).*/\1/'; }

push() { deskbell push $app "$@"; }

# The app, registered, and a provider that may push to it; once.
install_app() {
  [ ! -e /tmp/installed ] || return 0
  deskbell app install /guest/app && deskbell app register $app && push --badge 0 && touch /tmp/installed ||
    fail "the app is not installed"
}

# begin BOARD [OPTION…]: the chip, the daemon and the app; end BOARD: without them again.
begin() {
  chip "$1"
  mark "board $1"
  serve "$@"
  install_app
}
end() {
  quit
  mark "left $1"
  chip_remove "$1"
}

# Nothing unseen, no badge (rules B2, B3).
clear_handset() { push --badge 0; }

# alternate COUNT FIRST STEP [MORE]: as many pushes that light lamp and digits, each followed by one that clears both
# (rules B2, B3), a payload a line. MORE is a further member of aps.
alternate() {
  i=0
  while [ $i -lt "$1" ]; do
    echo "{\"aps\":{\"alert\":\"push $i\",\"badge\":$(($2 + i * $3))$4}}"
    echo '{"aps":{"badge":0}}'
    i=$((i + 1))
  done
}
