set +x
chip() {
  mkdir -p /sys/kernel/config/gpio-sim/$1/bank0
  cd /sys/kernel/config/gpio-sim/$1
  echo $3 > bank0/num_lines; echo $2 > bank0/label
  i=0; while [ $i -lt $3 ]; do mkdir bank0/line$i; echo GPIO$i > bank0/line$i/name; i=$((i+1)); done
  echo 1 > live
  cd /
}
chip pi4 pinctrl-bcm2711 58
chip pi3 pinctrl-bcm2835 54
cd /usr/share/deskbell
T=/sys/kernel/tracing
echo 65536 > $T/buffer_size_kb; echo mono > $T/trace_clock; echo 1 > $T/events/gpio/enable
export DESKBELL_CONTROL=/run/c.sock
for b in raspberry-pi-4 raspberry-pi-3; do
echo > $T/trace
deskbell serve --board $b --state /tmp/$b --listen 127.0.0.1:2197 --pcm hw:Loopback,0 2>/out/$b.log &
n=0; while ! grep -q ready: /out/$b.log; do sleep 0.1; n=$((n+1)); [ $n -gt 100 ] && { cat /out/$b.log; ps; break; }; done
deskbell app install examples/mailroom
deskbell app register com.example.mailroom
deskbell push com.example.mailroom --title Hello --badge 12
sleep 3
deskbell events --json > /out/$b.events
deskbell state
kill %1; wait
cat $T/trace > /out/$b.trace
done
