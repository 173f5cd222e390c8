# One scenario after the other, in the order of /guest/plan, each in a shell of its own and with a folder of its own.
. /guest/board.sh

# Virtual time is cheap to waste: a scenario that waits for ever would do so for days.
limit_seconds=240

cp $tracing/events/gpio/gpio_value/format /out/gpio_value.format
cp $tracing/events/gpio/gpio_direction/format /out/gpio_direction.format
cp $tracing/events/ftrace/print/format /out/print.format
cat /sys/devices/system/clocksource/clocksource0/current_clocksource >/out/clocksource
uname -srv >/out/kernel
echo mono >$tracing/trace_clock
echo 65536 >$tracing/buffer_size_kb
echo 1 >$tracing/events/gpio/enable

while read -r name; do
  out=/out/$name
  mkdir -p "$out"
  echo "$(cut -d" " -f1 /proc/uptime) $name"
  echo "$name begins at $(cut -d' ' -f1 /proc/uptime)" >>/out/timetable
  (
    . "/guest/scenarios/$name.sh"
  ) >"$out/log" 2>&1 &
  scenario=$!
  (
    sleep $limit_seconds
    echo "not done after $limit_seconds s of the board's time" >>"$out/failures"
    kill -9 $scenario
  ) &
  watchdog=$!
  wait $scenario
  kill $watchdog
  # Whatever it left running must not be heard in the next.
  killall -q -9 deskbell arecord aplay curl scan-reference hold-line
  trace-pages >"$out/trace"
done </guest/plan
echo "end at $(cut -d' ' -f1 /proc/uptime)" >>/out/timetable
