# A tea timer of a minute on the digits of three kinds of display: a Live Activity counts by itself, so it costs two pushes.
tea=com.example.tea

# tea_token NAME: a token of the app, by its name in the report.
tea_token() { deskbell app activities $tea --json | sed -n "s/.*\"$1\" *: *\"\([0-9a-f]*\)\".*/\1/p"; }

# tea_push TOKEN EVENT [MORE]: MORE are further members of aps.
tea_push() {
  echo "{\"aps\":{\"timestamp\":$(date +%s),\"event\":\"$2\",\"content-state\":{\"ready\":$ready}$3}}" >/tmp/tea.json
  deskbell push $tea --push-type liveactivity --token "$1" --payload /tmp/tea.json ||
    fail "the push $2 ended with code $?"
}

run_board() {
  begin "$1"
  deskbell app install examples/activities/countdown/app && deskbell app register $tea || fail "no tea timer"
  since=$(last_event)
  ready=$(($(date +%s) + 61))
  echo $ready >"$out/$1.ready"
  tea_push "$(tea_token startToken)" start ',"attributes-type":"Tea","attributes":{},"alert":{"title":"Tea"}'
  sleep 62
  tea_push "$(tea_token token)" end ",\"dismissal-date\":$(date +%s)"
  sleep 0.2
  events "$since" >"$out/$1.events"
  clear_handset
  end "$1"
}

run_board raspberry-pi-4
run_board raspberry-pi-4-max7219
run_board raspberry-pi-4-multiplexed
