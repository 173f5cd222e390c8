# Ten thousand frames of a bare display, 200 a second: first while pushes change the number, then left to itself. What
# the scanning costs is read off beside a C loop that does nothing else, both while the kernel traces nothing.
board=raspberry-pi-4-multiplexed
sed 's/frames-per-second: .*/frames-per-second: 200/' board-configs/displays/multiplexed.yaml >/tmp/scan.yaml
begin $board --display /tmp/scan.yaml
since=$(last_event)
i=0
while [ $i -lt 40 ]; do
  echo "{\"aps\":{\"badge\":$((1111 + i * 211))}}"
  i=$((i + 1))
done >/tmp/scan.jsonl
push --badge 1234
mark busy
push /tmp/scan.jsonl --rate 5/s || fail "the pushes ended with code $?"
mark quiet
sleep 43
mark done
events "$since" >"$out/scan.events"
deskbell state --json >"$out/state.json"

# used: nanoseconds of CPU of each of the daemon's threads.
used() {
  for task in /proc/$daemon/task/*; do
    echo "$(cat $task/comm) $(cut -d' ' -f1 $task/schedstat)"
  done
}
sleep 1
echo 0 >$tracing/events/gpio/enable
used >"$out/used-before"
cut -d' ' -f1 /proc/uptime >>"$out/used-before"
sleep 10
used >"$out/used-after"
cut -d' ' -f1 /proc/uptime >>"$out/used-after"
clear_handset
quit
for pause in spin sleep; do
  scan-reference "$(ls /dev/gpiochip*)" $pause 200 2000 5,6,12,13,16,19,20,21 22,23,24,25 >"$out/reference-$pause" ||
    fail "the reference ended with code $?"
done
echo 1 >$tracing/events/gpio/enable
chip_remove $board
