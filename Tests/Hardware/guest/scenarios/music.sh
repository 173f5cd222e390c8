# Music makes room for a sound, as it is heard (rule A3): both are mixed by the devices of docs/asound.conf, which is the
# file that people copy. The music is on the left channel, and the sound on the right one.
board=raspberry-pi-4
pcm=default
cp asound.conf /etc/asound.conf
cat >/tmp/music.yaml <<END
board: $board
speaker:
  pcm: default
  duck: { card: "hw:0", element: Music, to: 20% }
END

chip $board
# The loop-back card takes nothing while nobody listens at its other end.
arecord --quiet -D hw:Loopback,1 -t raw -f S16_LE -r 44100 -c 2 /dev/null &
listener=$!
# The control is there once something has played through it. The program that makes it holds it as long as it plays.
aplay --quiet -D music -d 1 /guest/music.wav
amixer -D hw:0 sget Music >"$out/control" || fail "the music has no control"
serve $board --config /tmp/music.yaml
install_app
since=$(last_event)
kill $listener
wait $listener
arecord --quiet -D hw:Loopback,1 -t raw -f S16_LE -r 44100 -c 2 -d 9 "$out/captured.raw" &
recorder=$!
aplay --quiet -D music /guest/music.wav &
player=$!
sleep 2
push --body Listen --sound right
sleep 4
events "$since" >"$out/music.events"
deskbell state --json >"$out/state.json"
wait $recorder
kill $player
clear_handset
quit
rm /etc/asound.conf
chip_remove $board
