#!/bin/bash
# What a person does with the package, and what befalls a board, one step after the other. Runs in the guest as root,
# once before and once after a reboot. Every wait has an end.
set -Eeuo pipefail
here=/run/package-test
kept=/var/lib/package-test
app=com.example.mailroom
led=sim_gpio17
export LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive TERM=dumb SYSTEMD_COLORS=0 SYSTEMD_URLIFY=0
mkdir -p "$kept"
# The console, wherever a failing command's output was to go.
exec 3>&1

step() { printf 'STEP %s\n' "$*"; }
note() { printf 'NOTE %s\n' "$*"; }
failed() {
  trap - ERR
  exec >&3 2>&1
  printf 'FAILED line %s: %s\n' "$1" "$2"
  systemctl --no-pager --full status 'deskbell*' || true
  journalctl --no-pager --boot --lines 60 --unit deskbell.service --unit deskbell.socket \
    --unit deskbell-gateway.service --unit nats || true
  echo END
  systemctl poweroff --force
  exit 1
}
trap 'failed "$LINENO" "$BASH_COMMAND"' ERR
# Asks until the command succeeds, 30 s at most.
soon() {
  local end=$((SECONDS + 30))
  while [ "$SECONDS" -lt "$end" ]; do
    if "$@" >/dev/null 2>&1; then return 0; fi
    sleep 0.1
  done
  echo "never came true: $*"
  return 1
}
same() { [ "$1" = "$2" ] || { printf 'expected: %s\nfound:    %s\n' "$2" "$1"; return 1; }; }

# Lines of a Raspberry Pi 4, so that the shipped board file is used as it is; and a sound card.
plug_in_board() {
  modprobe configfs
  mountpoint --quiet /sys/kernel/config || mount -t configfs none /sys/kernel/config
  insmod "/lib/modules/$(uname -r)/gpio-sim.ko"
  local chip=/sys/kernel/config/gpio-sim/board line
  mkdir -p "$chip/bank0"
  echo 58 >"$chip/bank0/num_lines"
  echo pinctrl-bcm2711 >"$chip/bank0/label"
  for line in 17 23 24; do
    mkdir "$chip/bank0/line$line"
    echo "GPIO$line" >"$chip/bank0/line$line/name"
  done
  echo 1 >"$chip/live"
  udevadm settle
  modprobe snd-aloop
}
is_lit() { grep -qx 1 /sys/devices/platform/gpio-sim.*/gpiochip*/$led/value; }
is_dark() { grep -qx 0 /sys/devices/platform/gpio-sim.*/gpiochip*/$led/value; }

# As the person at the board, who is in the group deskbell and is not root.
bell() { runuser --user person -- deskbell "$@"; }
# To the end of the events: a command that is cut off by grep has failed.
happened() { bell events --json | grep "$1" >/dev/null; }
# An app of that name with this program.
install_program() {
  mkdir -p "/run/$1/bin"
  printf 'id: com.example.%s\nname: %s\nbackground-modes: [remote-notification]\nhooks: { background: [bin/run] }\n' \
    "$1" "$1" >"/run/$1/app.yaml"
  install --mode=755 "$2" "/run/$1/bin/run"
  bell app install "/run/$1"
  bell app register "com.example.$1"
}
main_pid() { systemctl show --value --property MainPID deskbell.service; }
has_pid_other_than() { [ "$(main_pid)" != "$1" ] && [ "$(main_pid)" != 0 ] && systemctl is-active --quiet deskbell; }
held() { bell app list --json | sed -n '/"held"/,/}/s/.*"push" : "\(.*\)".*/\1/p'; }
# A push with that badge by a client that tries once; its answer's status.
curl_words=()
push_once() {
  "${curl_words[@]}" --data "{\"aps\":{\"badge\":$1}}" --silent --show-error --max-time 60 --output /dev/null \
    --write-out '%{http_code}'
}
# The command prints how curl would send it, quoted for a shell. Its payload makes place for ours.
learn_curl_words() {
  local words=() word skip=
  eval "words=($(bell push $app --badge 1 --curl --ca /home/person/ca.pem))"
  curl_words=()
  for word in "${words[@]}"; do
    if [ -n "$skip" ]; then skip=; elif [ "$word" = --data ]; then skip=yes; else curl_words+=("$word"); fi
  done
}

# All that a package could leave behind, on disk, in /run and in the tables of users and units.
traces() {
  find / -xdev \( -path /proc -o -path /sys -o -path "$here" -o -path "$kept" -o -path /tmp -o -path /root -o -path /home \
    -o -path /var/log -o -path /var/cache -o -path /var/lib/apt -o -path /var/lib/dpkg \
    -o -path /var/lib/systemd/random-seed \) -prune -o -printf '%p %y %m %u %g\n' | sort
  find /run -name '*deskbell*' | sort
  find /dev -name 'gpiochip*' -printf '%p %m %u %g\n' | sort
  getent passwd
  getent group
  getent shadow | cut -d: -f1
  systemctl list-units --all --plain --no-legend '*deskbell*' || true
  systemctl list-unit-files --no-legend '*deskbell*' || true
  dpkg-query --show --showformat='${Package} ${db:Status-Status}\n' | grep deskbell || true
}
purge_leaves_no_trace() {
  apt-get purge --yes --quiet=2 deskbell >/run/apt.log 2>&1
  udevadm settle
  traces >/run/traces
  diff "$kept/before" /run/traces
}

install_package() {
  apt-get install --yes --quiet=2 --no-install-recommends -o Dpkg::Options::=--force-confdef \
    -o Dpkg::Options::=--force-confold "$1" </dev/null >/run/apt.log 2>&1 || { cat /run/apt.log; return 1; }
}

# As docs/fleet.md has it, with a server, a gateway and a desk on one machine. The server's program is not Debian 12's.
join_fleet() {
  install "$here/nats-server" /run/nats-server
  (cd /root && deskbell fleet init --server one=127.0.0.1 >/run/fleet)
  install --directory --mode=700 /var/lib/nats /etc/nats /etc/deskbell/fleet /etc/deskbell/gateway
  (cd /root && deskbell fleet add reception && deskbell fleet add door --gateway) >>/run/fleet
  cp --recursive /root/fleet/nodes/one/. /etc/nats/
  systemd-run --quiet --unit nats /run/nats-server --config /etc/nats/nats-server.conf
  (cd /root && soon deskbell fleet init)
  cp --recursive /root/fleet/desks/reception/. /etc/deskbell/fleet/
  cp --recursive /root/fleet/gateways/door/. /etc/deskbell/gateway/
  echo "listen: '*:2199'" >>/etc/deskbell/gateway/gateway.yaml
  chown --recursive deskbell:deskbell /etc/deskbell/fleet /etc/deskbell/gateway
  cp /etc/deskbell/deskbell.yaml /run/alone.yaml
  cat /root/fleet/desks/reception/fleet.yaml >>/etc/deskbell/deskbell.yaml
  systemctl restart deskbell.service
  systemctl start deskbell-gateway.service
  same "$(systemctl is-active deskbell-gateway.service)" active
  soon sh -c "cd /root && deskbell fleet list | grep -q '^reception  alive '"
  soon sh -c "cd /root && deskbell fleet list | grep -q '^door  *ready '"
  install --mode=644 /var/lib/deskbell-gateway/tls/ca.pem /home/person/door.pem
}
# A push with that badge to the gateway; its answer's status.
push_by_gateway() {
  (bell push $app --title "Through the door" --badge "$1" --host localhost --port 2199 --ca /home/person/door.pem \
    --token "$(bell app token $app)" --retries 0 || true) | sed -n 's/^\([0-9]*\) .*/\1/p'
}
# The gateway's files stay, for the purge.
leave_fleet() {
  cp /run/alone.yaml /etc/deskbell/deskbell.yaml
  systemctl restart deskbell.service
  rm -r /var/lib/nats /etc/nats /root/fleet
}

# The person writes a board file at home, and runs the last line that this prints: on a terminal, where each question
# is answered by Enter.
own_board() {
  bell_at_home board new desk.yaml --with '{ like: raspberry-pi-4, board: Desk, lamp: 11, display: tm1637 }' >/run/new
  local line
  line=$(sed -n '$s/^  //p' /run/new)
  same "$line" "sudo deskbell setup --board desk.yaml"
  mkdir -p /run/bin
  printf '#!/bin/sh\nSUDO_USER=person SUDO_UID=%s SUDO_GID=%s exec "$@"\n' "$(id -u person)" "$(id -g person)" >/run/bin/sudo
  chmod 755 /run/bin/sudo
  (cd /home/person && umask 077 && printf '\n%.0s' $(seq 20) | PATH=/run/bin:$PATH script --quiet --return --command "$line" \
    /dev/null) >/run/setup || { cat /run/setup; return 1; }
  grep -q 'Copied /home/person/desk.yaml to /etc/deskbell/desk.yaml, where the service can read it.' /run/setup
  grep -q '^board: "/etc/deskbell/desk.yaml" ' /etc/deskbell/deskbell.yaml
  same "$(stat --format='%U %a' /etc/deskbell/desk.yaml)" "root 644"
  same "$(systemctl is-active deskbell.service)" active
  deskbell doctor >/run/doctor
  grep -q '^ok  *configuration ' /run/doctor
}
bell_at_home() { (cd /home/person && bell "$@"); }
# A board file that root reads and the service does not: setup puts the settings back, with which the service starts.
refused_board() {
  install --mode=600 /home/person/desk.yaml /srv/desk.yaml
  cp /etc/deskbell/deskbell.yaml /run/before.yaml
  if (cd /root && deskbell setup --board /srv/desk.yaml --force) >/run/refused 2>&1; then return 1; fi
  grep -q 'deskbell.service does not start with these settings' /run/refused
  grep -q 'the settings before are back' /run/refused
  diff /run/before.yaml /etc/deskbell/deskbell.yaml
  soon systemctl is-active --quiet deskbell.service
  rm /srv/desk.yaml
}

first_boot() {
  step "a board is plugged in"
  plug_in_board
  useradd --create-home person
  traces >"$kept/before"

  step "apt installs the package"
  install_package "$here/new.deb"
  same "$(systemctl is-active deskbell.service deskbell.socket deskbell-control.socket | sort -u)" active
  same "$(systemctl is-enabled deskbell.service deskbell.socket deskbell-control.socket | sort -u)" enabled
  # Not without its settings.
  same "$(systemctl is-enabled deskbell-gateway.service || true)" disabled
  systemctl start deskbell-gateway.service
  same "$(systemctl is-active deskbell-gateway.service || true)" inactive
  same "$(stat --format='%G %a' /dev/gpiochip0)" "deskbell 660"
  same "$(stat --format='%U %G %a' /run/deskbell/control.sock)" "deskbell deskbell 660"
  same "$(stat --format='%U %G %a' /var/lib/deskbell)" "deskbell deskbell 700"
  note "$(systemctl show --value --property StatusText deskbell)"
  note "$(systemd-analyze security --no-pager deskbell.service | tail -n 1)"

  step "who is not in the group may not use it"
  if bell state >/run/refused 2>&1; then return 1; fi
  grep -q "no permission to use /run/deskbell/control.sock" /run/refused
  usermod --append --groups deskbell person

  step "the board is set up: its file, an app, a provider; the doctor finds nothing"
  deskbell doctor >/run/doctor
  grep -q 'no app is installed' /run/doctor
  (cd /root && deskbell setup --board raspberry-pi-4 --force >/run/setup)
  deskbell check /etc/deskbell/deskbell.yaml
  same "$(systemctl is-active deskbell.service)" active
  deskbell doctor >/run/doctor
  if grep -E '^(note|FAIL) ' /run/doctor; then return 1; fi
  note "doctor: $(grep -c '^ok ' /run/doctor) times ok"
  note "$(systemctl show --value --property StatusText deskbell)"

  step "a board file of the person's own, with the next command as printed; and one that the service cannot read"
  own_board
  refused_board
  (cd /root && deskbell setup --board raspberry-pi-4 --force >/run/setup)

  step "a client pushes, the LED is lit, the sound is played"
  bell ca >/home/person/ca.pem
  is_dark
  bell push $app --title 'A parcel' --badge 12 --sound letter
  soon is_lit
  soon happened '"event":"sound-ended".*"reason":"finished"'
  learn_curl_words
  same "$(push_once 13)" 200

  step "a gateway in its sandbox: what is pushed there goes through a server and rings the board"
  join_fleet
  note "$(systemd-analyze security --no-pager deskbell-gateway.service | tail -n 1)"
  bell center --clear
  soon is_dark
  same "$(push_by_gateway 44)" 200
  soon sh -c "runuser --user person -- deskbell state --json | grep -q '\"badge\" : 44'"
  soon is_lit
  pid=$(systemctl show --value --property MainPID deskbell-gateway)
  systemctl reload deskbell-gateway.service
  same "$(systemctl show --value --property MainPID deskbell-gateway)" "$pid"
  note "$(systemctl show --value --property StatusText deskbell-gateway)"
  systemctl stop nats.service
  same "$(push_by_gateway 45)" 503
  systemctl stop deskbell-gateway.service
  same "$(systemctl show --value --property Result deskbell-gateway)" success
  leave_fleet

  step "in its sandbox: real-time priority is there, the rest of the system is not"
  install_program sandbox "$here/look"
  bell push com.example.sandbox --background
  soon happened '"app":"com.example.sandbox".*"event":"completed"'
  bell events --json | grep '"app":"com.example.sandbox".*"event":"completed"' | grep -q '"result":"newData"'
  bell app uninstall com.example.sandbox

  step "a program that eats memory is ended, the daemon goes on"
  printf '#!/bin/sh\nexec dd if=/dev/zero of=/dev/null bs=500M count=1\n' >/run/eat
  install_program greedy /run/eat
  pid=$(main_pid)
  bell push com.example.greedy --background
  soon happened '"app":"com.example.greedy".*"reason":"died"'
  same "$(push_once 15)" 200
  same "$(main_pid)" "$pid"
  bell app uninstall com.example.greedy

  step "kill -9: it is back, a push that came meanwhile is answered, a held update is still there"
  bell conditions low-power on
  bell push $app --background
  update=$(held)
  [ -n "$update" ]
  pid=$(main_pid)
  systemctl kill --kill-whom=main --signal=KILL deskbell.service
  same "$(push_once 14)" 200
  soon has_pid_other_than "$pid"
  same "$(systemctl show --value --property NRestarts deskbell)" 1
  same "$(held)" "$update"
  bell state --json | grep -q '"badge" : 14'
  soon is_lit

  step "nine crashes, each as soon as it is back: it is started again, and the socket stays open"
  for _ in $(seq 9); do
    pid=$(main_pid)
    systemctl kill --kill-whom=main --signal=KILL deskbell.service
    soon has_pid_other_than "$pid"
  done
  same "$(systemctl is-active deskbell.socket)" active
  same "$(push_once 16)" 200
  systemctl reset-failed deskbell.service

  step "restarts refuse no push: 20 of a client that never tries again"
  (for _ in 1 2 3; do systemctl restart deskbell.service; done) &
  for number in $(seq 20); do same "$(push_once "$((20 + number))")" 200; done
  wait $!
  bell state --json | grep -q '"badge" : 40'

  step "reload: the same process goes on"
  pid=$(main_pid)
  systemctl reload deskbell.service
  same "$(systemctl is-active deskbell.service)" active
  same "$(main_pid)" "$pid"

  step "watchdog: a daemon that hangs is ended and started again"
  mkdir -p /run/systemd/system/deskbell.service.d
  printf '[Service]\nWatchdogSec=4s\n' >/run/systemd/system/deskbell.service.d/watchdog.conf
  systemctl daemon-reload
  systemctl restart deskbell.service
  pid=$(main_pid)
  # Twice the time-out goes by, and it lives, because it said so.
  sleep 8
  same "$(main_pid)" "$pid"
  kill -STOP "$pid"
  soon has_pid_other_than "$pid"
  rm -r /run/systemd/system/deskbell.service.d
  systemctl daemon-reload
  systemctl restart deskbell.service
  same "$(held)" "$update"

  step "reboot"
  echo "$update" >"$kept/update"
  echo second >"$kept/stage"
  systemctl reboot
}

second_boot() {
  step "after the reboot the daemon runs before its board is there"
  update=$(cat "$kept/update")
  # Its start may still be under way.
  systemctl start deskbell.service
  plug_in_board
  soon is_lit
  same "$(held)" "$update"
  bell conditions --json | grep -A 1 '"key" : "low-power"' | grep -q '"value" : "on"'
  bell state --json | grep -q '"badge" : 40'
  bell events --json | grep '"event":"started"' | tail -n 1 | grep -q '"after":"board"'

  step "the held update goes to its app's program"
  bell conditions low-power off
  soon happened "\"event\":\"completed\".*$update\|$update.*\"event\":\"completed\""

  step "a backup, as docs/backup.md has it, while the daemon runs"
  deskbell backup /root/desk.backup >/run/backup.txt
  grep -q "^  apps .*$app" /run/backup.txt
  grep -q '^  settings .*/etc/deskbell/deskbell.yaml' /run/backup.txt
  same "$(stat --format=%a:%U /root/desk.backup)" 600:root
  bell app token $app >/run/token.txt
  bell ca >/run/ca.pem

  step "apt removes it: what is the person's stays"
  apt-get remove --yes --quiet=2 deskbell >/run/apt.log 2>&1
  [ -e /var/lib/deskbell/deskbell.sqlite ] && [ -e /etc/deskbell/deskbell.yaml ]
  [ ! -e /usr/bin/deskbell ]
  if curl --silent --insecure --max-time 5 https://localhost:2197/ >/dev/null; then return 1; fi
  soon is_dark

  step "apt purges it: not a trace"
  purge_leaves_no_trace

  step "installed anew, it brings back the backup: settings, apps, authority, badge"
  install_package "$here/new.deb"
  systemctl stop deskbell.service
  deskbell restore /root/desk.backup >/run/restore.txt
  systemctl start deskbell.service
  usermod --append --groups deskbell person
  grep -q '^board: "raspberry-pi-4" ' /etc/deskbell/deskbell.yaml
  same "$(find /var/lib/deskbell -not -user deskbell)" ""
  same "$(bell app token $app)" "$(cat /run/token.txt)"
  bell ca | diff /run/ca.pem -
  soon is_lit
  bell state --json | grep -q '"badge" : 40'
  rm -r /root/desk.backup
  purge_leaves_no_trace

  step "the release before with its database, and a configuration that was edited"
  printf '#!/bin/sh\nexit 101\n' >/usr/sbin/policy-rc.d
  chmod 755 /usr/sbin/policy-rc.d
  install_package "$here/old.deb"
  note "from $(dpkg-query --show --showformat='${Version}' deskbell)"
  rm /usr/sbin/policy-rc.d
  systemctl stop deskbell.service deskbell.socket deskbell-control.socket
  install -d --owner=deskbell --group=deskbell --mode=700 /var/lib/deskbell
  install --owner=deskbell --group=deskbell --mode=600 "$here/old.sqlite" /var/lib/deskbell/deskbell.sqlite
  # The package ships no settings since 0.7.2.
  echo 'board: raspberry-pi-4' >/etc/deskbell/deskbell.yaml
  usermod --append --groups deskbell person
  same "$(sqlite3 /var/lib/deskbell/deskbell.sqlite 'PRAGMA user_version')" 65555
  token=$(sqlite3 /var/lib/deskbell/deskbell.sqlite "SELECT lower(hex(token)) FROM app_state WHERE app = '$app'")
  # Once with the release before, so that the certificate authority is its own.
  systemctl start deskbell.service
  bell ca >/home/person/before.pem
  systemctl stop deskbell.service
  systemctl start deskbell.socket deskbell-control.socket

  step "apt upgrades it: state, settings and certificate authority are kept"
  install_package "$here/new.deb"
  soon systemctl is-active --quiet deskbell.service
  same "$(dpkg-query --show --showformat='${Version}' deskbell)" "$(dpkg-deb --field "$here/new.deb" Version)"
  grep -qx 'board: raspberry-pi-4' /etc/deskbell/deskbell.yaml
  [ "$(sqlite3 /var/lib/deskbell/deskbell.sqlite 'PRAGMA user_version')" -ge 65555 ]
  bell ca | diff /home/person/before.pem -
  same "$(bell app token $app)" "$token"
  same "$(bell settings $app style)" alert
  same "$(bell settings night-hours)" 21:00-07:00
  same "$(bell provider list --json | grep -c '"name"')" 5
  bell explain 00000000-0000-4000-8000-000000000001 | grep -q 'It rang'
  # The other app's badge changes with the local notifications that have fallen due since.
  same "$(sqlite3 /var/lib/deskbell/deskbell.sqlite "SELECT badge FROM app_state WHERE app = 'com.example.news'")" 2
  soon is_lit
  bell conditions offline off
  bell push com.example.news --badge 6
  bell events --json | tail -n 20 | grep -q '"app":"com.example.news".*"event":"badge".*"number":6'
  rm -f /etc/deskbell/deskbell.yaml.dpkg-dist

  step "purged again: not a trace"
  purge_leaves_no_trace

  echo PASSED
  echo END
  systemctl poweroff
}

"$(cat "$kept/stage" 2>/dev/null || echo first)_boot"
