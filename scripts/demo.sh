#!/usr/bin/env bash
# The appliance on a simulated board: starts it, installs an app, rings it with our own provider and with curl, and
# shows what a person in front of the board would see. Ends with 1 where any step failed.
set -euo pipefail
cd "$(dirname "$0")/.."

deskbell=$PWD/.build/release/deskbell
app=com.example.mailroom
work=$(mktemp -d "${TMPDIR:-/tmp}/deskbell-demo.XXXXXX")
export DESKBELL_CONTROL=$work/control.sock XDG_CONFIG_HOME=$work/config
daemon=

finish() {
  status=$?
  trap - EXIT INT TERM
  [ -z "$daemon" ] || { kill "$daemon" 2>/dev/null && wait "$daemon" 2>/dev/null || true; }
  rm -rf "$work"
  if [ $status -ne 0 ]; then echo "== The demo failed (exit code $status)" >&2; fi
  exit $status
}
trap finish EXIT
trap 'exit 0' INT TERM

# On a terminal there is somebody who wants to see each step.
say() {
  [ ! -t 1 ] || sleep 2
  printf '\n== %s\n' "$*"
}
run() { printf '   $ %s\n' "${*@Q}" | sed "s|'$deskbell'|deskbell|; s|'\([A-Za-z0-9./-]*\)'|\1|g"; "$@"; }

# Waits for an event that comes after the one numbered $1 and matches all other arguments.
wait_for_event() {
  local since=$1 follower pattern line
  shift
  exec {stream}< <(exec timeout 30 "$deskbell" events --follow --json --since "$since")
  follower=$!
  while read -r line <&"$stream"; do
    for pattern in "$@"; do grep -q -- "$pattern" <<<"$line" || continue 2; done
    kill "$follower" 2>/dev/null || true
    exec {stream}<&-
    return 0
  done
  echo "the event never came: $*" >&2
  return 1
}
last_event() { "$deskbell" events --json | tail -n 1 | sed -E 's/.*"sequence":([0-9]+).*/\1/'; }

say "Starting the appliance on a simulated board"
"$deskbell" serve --board simulated --state "$work/state" --wav "$work/played" --listen 127.0.0.1:0 --panel 127.0.0.1:0 &
daemon=$!
for _ in $(seq 300); do
  [ -S "$DESKBELL_CONTROL" ] && break
  kill -0 "$daemon" 2>/dev/null || exit 1
  sleep 0.1
done

say "Installing the example app; registering it for badge, sound and alert"
run "$deskbell" app install examples/mailroom
run "$deskbell" app register "$app"

say "A push from our own provider, over HTTP/2 and TLS: it makes a key, and adds itself as provider 'local'"
mark=$(last_event)
run "$deskbell" push "$app" --title "Two letters" --body "They lie in the mailbox." --badge 2 --sound letter
wait_for_event "$mark" '"event":"display"' '"text":"   2"'
wait_for_event "$mark" '"event":"lamp"' '"lit":true'
wait_for_event "$mark" '"event":"sound-started"' '"name":"letter"'

say "The same with curl, and a third letter"
mark=$(last_event)
"$deskbell" ca >"$work/ca.pem"
curl_line=$("$deskbell" push "$app" --title "A third one" --badge 3 --sound default --curl --ca "$work/ca.pem")
printf '   $ %s\n' "$curl_line"
status=$(bash -c "$curl_line --silent --output /dev/null --write-out '%{http_code}'")
echo "   HTTP status $status"
[ "$status" = 200 ]
wait_for_event "$mark" '"event":"display"' '"text":"   3"'
wait_for_event "$mark" '"event":"sound-started"' '"name":"default"'

say "Opening the app: the lamp goes dark; then it clears its own badge"
mark=$(last_event)
run "$deskbell" app launch "$app"
run "$deskbell" app badge "$app" 0
wait_for_event "$mark" '"event":"display"' '"text":"    "'
wait_for_event "$mark" '"event":"lamp"' '"lit":false'
run "$deskbell" app background "$app"

say "And one that stays"
mark=$(last_event)
run "$deskbell" push "$app" --title "A parcel" --body "At the front door." --badge 12 --sound parcel --level time-sensitive
wait_for_event "$mark" '"event":"display"' '"text":"  12"'

say "What was played, as WAV files"
for file in "$work"/played/*.wav; do echo "   $(basename "$file")"; done

say "Now yours. Paste this into another terminal (its token is good for an hour):"
"$deskbell" push "$app" --title "Hello" --body "From curl" --badge 128 --sound stamp --curl --ca "$work/ca.pem"
if [ -t 1 ]; then
  say "The same in a browser: open this address, which works once"
  echo "   $("$deskbell" panel)"
  echo
  echo "Or use the commands, after: export DESKBELL_CONTROL=$DESKBELL_CONTROL PATH=$(dirname "$deskbell"):\$PATH"
  echo "The appliance stays up until Ctrl-C."
  wait "$daemon"
fi
