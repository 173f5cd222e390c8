story: A push shows only the kinds that its app registered for
rules: S6, S4

0s    install mail sounds=letter
        installed mail
0s    register mail badge
        registered mail kinds=badge
1s    push mail badge=1 alert="Not shown" sound=letter
        badge mail P1 number=1
        = badge 1
2s    push mail alert="Not shown" sound=letter
        not-presented mail P2 reason=not-registered-for rule=S6
3s    center
        : empty
4s    register mail sound
        registered mail kinds=sound
        = dark
5s    push mail badge=2 alert="Not shown" sound=letter
        badge mail P3 number=2
        presented mail P3 style=none listed=no sound=letter vibration=pulse
        > play mail's letter for P3
6s    register mail alert
        registered mail kinds=alert
7s    push mail badge=3 alert="Shown" sound=letter
        badge mail P4 number=3
        presented mail P4 style=banner listed=yes
        = lamp blink since 7s, banner P4 Mail: "Shown" until 12s
8s    push mail badge=4 sound=letter
        badge mail P5 number=4
        not-presented mail P5 reason=not-registered-for rule=S6
9s    register mail badge alert
        registered mail kinds=badge,alert
        = badge 4, lamp blink since 7s, banner P4 Mail: "Shown" until 12s
# What it no longer registers for goes.
10s   register mail badge
        registered mail kinds=badge
        cleared mail reason=not-allowed rule=S1 count=1
        > stop the sound of P4
        = badge 4
11s   center
        : empty
12s   register mail
        registered mail kinds=none
        = dark
13s   push mail badge=5 alert="Not shown" sound=letter
        badge mail P6 number=5
        not-presented mail P6 reason=not-registered-for rule=S6
14s   state mail
        : notRunning, registered for nothing, T1, badge 5, icon 0
