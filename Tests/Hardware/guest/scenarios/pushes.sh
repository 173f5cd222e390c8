# From a push to light, on each kind of display: many pushes on a connection that stays, as a provider has it, and one
# by curl.
run_board() {
  begin "$1"
  since=$(last_event)
  alternate "$2" 7 "$3" >/tmp/pushes.jsonl
  push /tmp/pushes.jsonl --rate 10/s || fail "the pushes to $1 ended with code $?"
  if [ "$1" = raspberry-pi-4 ]; then
    deskbell ca >/tmp/ca.pem
    push --body 'By curl' --badge 2008 --curl --ca /tmp/ca.pem |
      sed 's/^curl /curl --silent --show-error --write-out "HTTP %{http_version} %{http_code}\\n" /' >/tmp/curl.sh
    sh /tmp/curl.sh >"$out/curl" || fail "curl ended with code $?"
    sleep 0.2
    clear_handset
  fi
  events "$since" >"$out/$1.events"
  end "$1"
}

run_board raspberry-pi-4 120 83
for board in raspberry-pi-4-max7219 raspberry-pi-4-74hc595-static raspberry-pi-4-74hc595-multiplexed \
  raspberry-pi-4-multiplexed raspberry-pi-4-ht16k33 raspberry-pi-4-ht16k33-8 raspberry-pi-4-ht16k33-alphanumeric \
  raspberry-pi-4-tm1650 raspberry-pi-4-tm1638; do
  run_board $board 20 487
done
