# Music makes room for a sound (rule A3): a control of a card that has a mixer goes down and comes back, also after the
# daemon was killed while it was down.
insmod /modules/snd-dummy.ko
board=raspberry-pi-4
cat >/tmp/ducking.yaml <<END
board: $board
speaker:
  pcm: hw:Loopback,0
  duck: { card: "hw:Dummy", element: Master, to: 20% }
END
# level: of both channels.
level() { amixer -D hw:Dummy sget Master | sed -n 's/.*Front [LR][a-z]*:[^0-9-]*\(-*[0-9]*\).*/\1/p' | tr '\n' ' '; }
note() { echo "$1 $(level)" >>"$out/levels"; }

amixer --quiet -D hw:Dummy sset Master 80,70
chip $board
# The loop-back card takes nothing while nobody listens at its other end.
arecord --quiet -D hw:Loopback,1 -t raw -f S16_LE -r 44100 -c 2 -d 60 /dev/null &
serve $board --config /tmp/ducking.yaml
install_app
note before
push --body Measured --sound measured
sleep 1
note during
sleep 6
note after
push --body Measured --sound measured
sleep 1
note again
kill -9 $daemon
wait $daemon
note killed
serve $board --config /tmp/ducking.yaml
sleep 1
note started
clear_handset
quit
killall -q arecord
chip_remove $board
