story: A push of priority 1 is treated as passive, in low power or not
rules: Q1, N9, D1

0s    given install mail; register mail badge sound alert; set mail critical on
1s    push mail alert="Whenever" badge=1 sound=default priority=1 level=time-sensitive
        badge mail P1 number=1
        presented mail P1 style=banner listed=yes silenced=passive rule=N9
        = badge 1, banner P1 Mail: "Whenever" until 6s
1s    explain P1
        : R4 the token is the app's
        : F1 the handset is online: it arrives
        : R1 the app is registered
        : U2 it is a notification for the person
        : B1 its number is the app's badge
        : Q1 its priority is 1: it is treated as passive
        : S2 notifications are on
        : S1 notifications are allowed for the app
        : S6 the app registered for every kind in it
        : N1 the app is not in the foreground: the system presents it
        : S1 it is listed in Notification Center
        : N3 a banner shows it for a few seconds
        : N9 a passive notification makes no sound
        : D1 the lamp does not show it
7s    push mail alert="Not even critical" sound=default volume=1 level=critical priority=1
        at 6s
        = badge 1
        at 7s
        presented mail P2 style=banner listed=yes silenced=passive rule=N9
        = badge 1, banner P2 Mail: "Not even critical" until 12s
13s   push mail alert="Usual" sound=default
        at 12s
        = badge 1
        at 13s
        presented mail P3 style=banner listed=yes sound=default vibration=pulse
        > play the default sound for P3
        = badge 1, lamp blink since 13s, banner P3 Mail: "Usual" until 18s
