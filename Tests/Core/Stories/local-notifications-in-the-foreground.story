story: In the foreground the app is given what it scheduled, as it is given a push
rules: N2, L1, U8, F3

# A script plays it: what is given to it is done.
0s    given install timer sounds=bell; register timer badge sound alert
0s    launch timer
        lifecycle timer state=foreground
0s    schedule timer tea in=10s badge=1 alert="Tea" sound=bell
        scheduled timer P1 identifier=tea due=10s
10s   wait
        at 10s
        due timer P1 identifier=tea
        not-presented timer P1 reason=foreground rule=N2
        delivered timer P1 state=foreground
        completed timer P1 result=noData
# With a connection of its own.
11s   listen timer foreground
11s   schedule timer tea in=10s badge=2 alert="More tea" sound=bell
        scheduled timer P2 identifier=tea due=21s
21s   wait
        at 21s
        due timer P2 identifier=tea
        not-presented timer P2 reason=foreground rule=N2
        delivered timer P2 state=foreground
        > give timer P2 in the foreground: {"local":2}
21s   offered timer
        : P2, attempt 1, to complete by 51s
22s   complete timer P2
        completed timer P2 result=newData
# It may ask for presentation, and gets it as well.
23s   foreground timer badge alert
        foreground-presentation timer kinds=badge,alert
23s   schedule timer tea in=10s badge=3 alert="Shown tea" sound=bell
        scheduled timer P3 identifier=tea due=33s
33s   wait
        at 33s
        due timer P3 identifier=tea
        badge timer P3 number=3
        presented timer P3 style=banner listed=yes
        delivered timer P3 state=foreground
        > give timer P3 in the foreground: {"local":3}
        = badge 3, lamp blink since 33s, banner P3 Timer: "Shown tea" until 38s
34s   complete timer P3 result=noData
        completed timer P3 result=noData
# A repetition that was not completed is replaced by the next, and none has for ever.
40s   foreground timer
        at 38s
        = badge 3, lamp blink since 33s
        at 40s
        foreground-presentation timer kinds=none
40s   schedule timer round in=60s repeat alert="Round"
        scheduled timer P4 identifier=round due=1m40s
1m45s wait
        at 1m40s
        due timer P4 identifier=round
        not-presented timer P4 reason=foreground rule=N2
        delivered timer P4 state=foreground
        > give timer P4 in the foreground: {"local":4}
1m50s offered timer
        : P4, attempt 1, to complete by 2m10s
2m20s wait
        at 2m10s
        timed-out timer P4 reason=not-completed rule=U8
        lifecycle timer state=notRunning
        > stop timer
# Past its 30 seconds it is stopped; what falls due then is the system's to present.
3m    wait
        at 2m40s
        due timer P4 identifier=round
        presented timer P4 style=banner listed=yes
        = badge 3, lamp blink since 2m40s, banner P4 Timer: "Round" until 2m45s
        at 2m45s
        = badge 3, lamp blink since 2m40s
# Opened, and not there.
3m1s  launch timer
        lifecycle timer state=foreground
        seen timer count=2
        > stop the sound of P3
        > stop the sound of P4
        = badge 3
4m    wait
        at 3m40s
        due timer P4 identifier=round
        not-presented timer P4 reason=foreground rule=N2
        discarded timer P4 reason=not-listening rule=N2
