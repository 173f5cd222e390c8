story: Of an uninstalled app only its token remains, gone, for 30 days
rules: R3

# Low power: background updates are held.
0s    condition low-power on
        condition condition=low-power on=yes
0s    install mail background lamp=heartbeat
        installed mail
0s    register mail badge sound alert
        registered mail kinds=badge,sound,alert
0s    set mail style alert
        setting mail key=style value=alert
0s    install news
        installed news
0s    register news badge
        registered news kinds=badge
1s    push mail badge=2 alert="One" content-available
        badge mail P1 number=2
        presented mail P1 style=alert listed=yes
        held mail P1 reason=low-power rule=U7
        = badge 2, lamp heartbeat since 1s, alert P1 Mail: "One" [Close, View]
2s    push news badge=40
        badge news P2 number=40
        = badge 42, lamp heartbeat since 1s, alert P1 Mail: "One" [Close, View]
2s    set handset badge-shows mail
        setting key=badge-shows value=mail
        = badge 2, lamp heartbeat since 1s, alert P1 Mail: "One" [Close, View]
3s    uninstall mail
        discarded mail P1 reason=uninstalled rule=R3
        setting key=badge-shows value=sum
        uninstalled mail
        > stop the sound of P1
        = badge 40
4s    center
        : empty
4s    held mail
        : nothing
4s    state mail
        : not installed
# The display's one app is gone, so it shows the sum again.
4s    settings
        : notifications=on
        : badge-shows=sum
        : vibrate-on-ring=on
        : vibrate-on-silent=on
        : fetch-mode=push
        : fetch-interval=15m
        : quiet-hours=off
        : night-hours=off
        : snooze=10m
        : lamp=off
        : default-sound=default
        : volume=100%
        : night-volume=same
        : summary=off
        : focus=off
5s    push mail token=T1 alert="Two"
        ! the app of that device token is no longer registered, since 3s
        refused mail P3 status=410 reason=Unregistered detail="the app of that device token is no longer registered"
6s    launch mail
        ! no app 'mail' is installed
6s    set handset badge-shows mail
        ! no app 'mail' is installed
29d23h59m  push mail token=T1 alert="The last of its 30 days"
        ! the app of that device token is no longer registered, since 3s
        refused mail P4 status=410 reason=Unregistered detail="the app of that device token is no longer registered"
30d2s  push mail token=T1 alert="A moment before"
        ! the app of that device token is no longer registered, since 3s
        refused mail P5 status=410 reason=Unregistered detail="the app of that device token is no longer registered"
30d3s  push mail token=T1 alert="Nobody knows it any more"
        ! no app has that device token
        refused mail P6 status=400 reason=BadDeviceToken detail="no app has that device token"
# Installed again it is a new app: nothing is left of the old one.
31d   install mail
        installed mail
31d   state mail
        : notRunning, not registered yet, T5, badge 0, no settings
31d   settings mail
        : allow-notifications=on
        : badge=on
        : sound=on
        : alert=on
        : style=banner
        : show-in-notification-center=on
        : time-sensitive=on
        : critical=off
        : volume=100%
        : default-sound=default
        : lamp=own
        : repeat=asked
        : repeat-every=1m
        : repeat-times=30
        : show-previews=always
        : badge-shows=sent
        : live-activities=on
        : frequent-updates=off
        : clear-on-launch=off
        : summary=off
