story: The lamp is dark with nothing unseen and shows the most urgent level that is, the newest first
rules: D1, N10

0s    given install mail; register mail alert; install news lamp=heartbeat; register news alert
1s    push mail alert="Passive" level=passive
        presented mail P1 style=banner listed=yes
        = banner P1 Mail: "Passive" until 6s
10s   push mail alert="Active"
        at 6s
        = dark
        at 10s
        presented mail P2 style=banner listed=yes
        = lamp blink since 10s, banner P2 Mail: "Active" until 15s
20s   push mail alert="Time-sensitive" level=time-sensitive
        at 15s
        = lamp blink since 10s
        at 20s
        presented mail P3 style=banner listed=yes
        = lamp double since 20s, banner P3 Mail: "Time-sensitive" until 25s
30s   push mail alert="Critical" level=critical
        at 25s
        = lamp double since 20s
        at 30s
        presented mail P4 style=banner listed=yes
        = lamp sos since 30s, banner P4 Mail: "Critical" until 35s
40s   push mail alert="Active again"
        at 35s
        = lamp sos since 30s
        at 40s
        presented mail P5 style=banner listed=yes
        = lamp sos since 30s, banner P5 Mail: "Active again" until 45s
50s   push mail alert="Critical again" level=critical
        at 45s
        = lamp sos since 30s
        at 50s
        presented mail P6 style=banner listed=yes
        = lamp sos since 50s, banner P6 Mail: "Critical again" until 55s
# Back to an older one with the same pattern: the light goes on as it was.
60s   clear P6
        at 55s
        = lamp sos since 50s
        at 1m
        cleared mail reason=by-person rule=N10 count=1
        > stop the sound of P6
70s   clear P4
        cleared mail reason=by-person rule=N10 count=1
        > stop the sound of P4
        = lamp double since 1m10s
80s   push news alert="Its own pattern"
        presented news P7 style=banner listed=yes
        = lamp double since 1m10s, banner P7 News: "Its own pattern" until 1m25s
90s   push news alert="Its own, for every level" level=critical
        at 1m25s
        = lamp double since 1m10s
        at 1m30s
        presented news P8 style=banner listed=yes
        = lamp heartbeat since 1m30s, banner P8 News: "Its own, for every level" until 1m35s
100s  launch news
        at 1m35s
        = lamp heartbeat since 1m30s
        at 1m40s
        lifecycle news state=foreground
        seen news count=2
        > stop the sound of P7
        > stop the sound of P8
        = lamp double since 1m40s
110s  clear mail
        cleared mail reason=by-person rule=N10 count=4
        > stop the sound of P1
        > stop the sound of P2
        > stop the sound of P3
        > stop the sound of P5
        = dark
# A passive one lights nothing, also with a pattern of its own.
120s  background news
        lifecycle news state=background
121s  push news alert="Quiet" level=passive
        presented news P9 style=banner listed=yes
        = banner P9 News: "Quiet" until 2m6s
122s  center
        : P7 News: "Its own pattern"
        : P8 News: "Its own, for every level"
        : P9 News: "Quiet" unseen
# A new bundle brings a new pattern.
130s  push news alert="Loud"
        at 2m6s
        = dark
        at 2m10s
        presented news P10 style=banner listed=yes
        = lamp heartbeat since 2m10s, banner P10 News: "Loud" until 2m15s
140s  install news lamp=double
        at 2m15s
        = lamp heartbeat since 2m10s
        at 2m20s
        installed news
        = lamp double since 2m20s
150s  given install news
        = lamp blink since 2m30s
