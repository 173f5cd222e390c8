# One scenario after the other, in the order of /guest/plan, each in a shell of its own and with a folder of its own.
. /guest/board.sh

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
  ) >"$out/log" 2>&1
  # Whatever it left running must not be heard in the next.
  jobs -p | xargs -r kill -9 2>/dev/null
  trace-pages >"$out/trace"
done </guest/plan
echo "end at $(cut -d' ' -f1 /proc/uptime)" >>/out/timetable
