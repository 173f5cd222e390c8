story: Three deliveries in any 60 minutes for each app; what comes over that is held, the newest of it
rules: U7, U4, U6, U10, U2

0s    given install mail background; register mail alert; install news background; register news alert
10s   push mail background
        lifecycle mail state=background
        delivered mail P1 state=background
        completed mail P1 result=noData
11s   push mail alert="For the person too" content-available
        presented mail P2 style=banner listed=yes
        delivered mail P2 state=background
        completed mail P2 result=noData
        = lamp blink since 11s, banner P2 Mail: "For the person too" until 16s
20m   push mail background
        at 16s
        = lamp blink since 11s
        at 20m
        delivered mail P3 state=background
        completed mail P3 result=noData
20m   budget mail
        : 10s, 11s, 20m; free at 1h10s
# Spent. Five pushes: one is held, and four say what took their place.
21m   push mail background
        held mail P4 reason=budget rule=U7
22m   push mail background
        discarded mail P4 reason=replaced rule=U4 replacedBy=P5
        held mail P5 reason=budget rule=U7
23m   push mail background
        discarded mail P5 reason=replaced rule=U4 replacedBy=P6
        held mail P6 reason=budget rule=U7
24m   push mail background
        discarded mail P6 reason=replaced rule=U4 replacedBy=P7
        held mail P7 reason=budget rule=U7
25m   push mail background
        discarded mail P7 reason=replaced rule=U4 replacedBy=P8
        held mail P8 reason=budget rule=U7
25m   held mail
        : P8 until 30d25m, due 1h10s
# Each app has a budget of its own.
26m   push news background
        lifecycle news state=background
        delivered news P9 state=background
        completed news P9 result=noData
# An hour after the first of the three, and not before.
59m59s999ms  held mail
        : P8 until 30d25m, due 1h10s
1h11s  held mail
        at 1h10s
        delivered mail P8 state=background
        completed mail P8 result=noData
        at 1h11s
        : nothing
1h12s  budget mail
        : 11s, 20m, 1h10s; free at 1h11s
1h12s  push mail background
        delivered mail P10 state=background
        completed mail P10 result=noData
1h13s  push mail background
        held mail P11 reason=budget rule=U7
1h13s  held mail
        : P11 until 30d1h13s, due 1h20m
# Launching delivers it, and costs nothing; so does what comes in the foreground.
1h14s  launch mail
        lifecycle mail state=foreground
        seen mail count=1
        delivered mail P11 state=foreground
        completed mail P11 result=noData
        > stop the sound of P2
        = dark
1h15s  push mail background
        delivered mail P12 state=foreground
        completed mail P12 result=noData
1h16s  budget mail
        : 20m, 1h10s, 1h12s; free at 1h20m
1h17s  background mail
        lifecycle mail state=background
1h18s  push mail background
        held mail P13 reason=budget rule=U7
1h20m1s  held mail
        at 1h20m
        delivered mail P13 state=background
        completed mail P13 result=noData
        at 1h20m1s
        : nothing
