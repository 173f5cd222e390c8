story: The person may choose what the lamp does for an app; otherwise the app or the level says it
rules: D1, S1

0s    given install mail; register mail badge sound alert
1s    push mail alert="By its level"
        presented mail P1 style=banner listed=yes
        = lamp blink since 1s, banner P1 Mail: "By its level" until 6s
2s    given set mail lamp heartbeat
        = lamp heartbeat since 2s, banner P1 Mail: "By its level" until 6s
3s    push mail alert="As it was chosen" level=time-sensitive
        presented mail P2 style=banner listed=yes
        = lamp heartbeat since 3s, banner P2 Mail: "As it was chosen" until 8s
4s    given set mail lamp own
        = lamp double since 4s, banner P2 Mail: "As it was chosen" until 8s
5s    set mail lamp disco
        ! setting 'lamp' cannot be 'disco': expected own, steady, blink, double, breathe, heartbeat, sos
