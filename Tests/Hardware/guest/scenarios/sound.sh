# From a push to the first sample, and every sample of a sound, as the other end of a loop-back card hears them; on a
# board that has a display to refresh meanwhile.
board=raspberry-pi-4-multiplexed
begin $board
since=$(last_event)
alternate 20 1 1 ',"sound":"tick"' >/tmp/ticks.jsonl

# 1 s before, 7 of the long sound, 20 of ticks, 3 of the one that is silenced, and what clients need.
arecord --quiet -D hw:Loopback,1 -t raw -f S16_LE -r 44100 -c 2 -d 38 "$out/captured.raw" &
recorder=$!
sleep 1
cp /proc/asound/card0/pcm1c/sub0/status "$out/capture-status"
push --body Measured --badge 5 --sound measured
sleep 6
push --badge 0
sleep 1
push /tmp/ticks.jsonl --rate 2/s || fail "the pushes ended with code $?"
sleep 1
# Silenced while it plays (rules A4, D2).
push --body Stopped --badge 9 --sound measured
sleep 1.5
deskbell press close
sleep 1
events "$since" >"$out/sound.events"
wait $recorder
end $board
