story: Each choice for an app changes what is there at once
rules: S1, F3

0s    install mail sounds=letter
        installed mail
0s    register mail badge sound alert
        registered mail kinds=badge,sound,alert
0s    settings mail
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
# A banner goes by itself; listed, it stays unseen.
1s    push mail alert="A banner" badge=1 sound=letter
        badge mail P1 number=1
        presented mail P1 style=banner listed=yes sound=letter vibration=pulse
        > play mail's letter for P1
        = badge 1, lamp blink since 1s, banner P1 Mail: "A banner" until 6s
2s    set mail show-in-notification-center off
        setting mail key=show-in-notification-center value=off
        cleared mail reason=not-allowed rule=S1 count=1
        = badge 1, banner P1 Mail: "A banner" until 6s
3s    push mail alert="A banner, not listed"
        presented mail P2 style=banner listed=no
        = badge 1, banner P2 Mail: "A banner, not listed" until 8s
4s    center
        : empty
9s    set mail style alert
        at 8s
        = badge 1
        at 9s
        setting mail key=style value=alert
10s   push mail alert="An alert, not listed"
        presented mail P3 style=alert listed=no
        = badge 1, alert P3 Mail: "An alert, not listed" [Close, View]
11s   set mail show-in-notification-center on
        setting mail key=show-in-notification-center value=on
12s   push mail alert="An alert, listed"
        presented mail P4 style=alert listed=yes
        = badge 1, lamp blink since 12s, alert P4 Mail: "An alert, listed" [Close, View] over 1
# Alerts off takes the alerts that wait, and what is listed.
13s   set mail alert off
        setting mail key=alert value=off
        cleared mail reason=not-allowed rule=S1 count=2
        > stop the sound of P3
        > stop the sound of P4
        = badge 1
14s   center
        : empty
15s   push mail alert="Only heard" sound=letter
        presented mail P5 style=none listed=no sound=letter vibration=pulse
        > play mail's letter for P5
16s   set mail sound off
        setting mail key=sound value=off
17s   push mail alert="Nothing left" sound=letter
        not-presented mail P6 reason=switched-off rule=S1
18s   set mail style none
        setting mail key=style value=none
19s   set mail alert on
        setting mail key=alert value=on
20s   push mail alert="Style none: listed only"
        presented mail P7 style=none listed=yes
        = badge 1, lamp blink since 20s
21s   set mail show-in-notification-center off
        setting mail key=show-in-notification-center value=off
        cleared mail reason=not-allowed rule=S1 count=1
        = badge 1
# Nowhere to be seen: an event says why.
22s   push mail alert="Nowhere"
        not-presented mail P8 reason=switched-off rule=S1
23s   push mail alert="Nowhere" sound=letter
        not-presented mail P9 reason=switched-off rule=S1
24s   push mail badge=9 alert="The badge alone"
        badge mail P10 number=9
        = badge 9
25s   set mail style loud
        ! setting 'style' cannot be 'loud': expected none, banner, alert
26s   set mail badge yes
        ! setting 'badge' cannot be 'yes': expected on, off
27s   set nobody badge on
        ! no app 'nobody' is installed
27s   settings mail
        : allow-notifications=on
        : badge=on
        : sound=off
        : alert=on
        : style=none
        : show-in-notification-center=off
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
