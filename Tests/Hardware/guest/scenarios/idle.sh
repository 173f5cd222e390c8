# With nothing lit and nothing due, no thread of the daemon wakes for a minute; on a board whose display is refreshed
# while it shows something.
board=raspberry-pi-4-multiplexed
begin $board
push --body Parcel --badge 42
clear_handset
# Connections of the clients are gone, the banner's time is over.
sleep 20

# switches: how often each thread left the CPU, of its own will or not.
switches() {
  for task in /proc/$daemon/task/*; do
    echo "$(cat $task/comm) $(awk '/ctxt_switches/ { sum += $2 } END { print sum }' $task/status)"
  done
}
switches >"$out/before"
mark begin
sleep 60
mark end
switches >"$out/after"
end $board
