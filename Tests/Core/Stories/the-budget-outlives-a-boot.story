story: What an app used of its budget is counted across restarts and boots
rules: U7, U9

0s    given install mail background; register mail alert
1s    push mail background
        lifecycle mail state=background
        delivered mail P1 state=background
        completed mail P1 result=noData
2s    push mail background
        delivered mail P2 state=background
        completed mail P2 result=noData
3s    push mail background
        delivered mail P3 state=background
        completed mail P3 result=noData
4s    push mail background
        held mail P4 reason=budget rule=U7
5s    restart
6s    held mail
        : P4 until 30d4s, due 1h1s
# After a boot the wall clock says how long it has been.
10m   boot
        lifecycle mail state=notRunning
10m   held mail
        : P4 until 30d4s, due 1h1s
10m   budget mail
        : 1s, 2s, 3s; free at 1h1s
59m   boot
59m   held mail
        : P4 until 30d4s, due 1h1s
1h1s  held mail
        at 1h1s
        lifecycle mail state=background
        delivered mail P4 state=background
        completed mail P4 result=noData
        : nothing
1h1s  budget mail
        : 2s, 3s, 1h1s; free at 1h2s
# Not where it cannot be believed: this board woke up an hour early, so the whole wait begins anew.
1h1m  push mail background
        delivered mail P5 state=background
        completed mail P5 result=noData
1h1m1s  push mail background
        delivered mail P6 state=background
        completed mail P6 result=noData
1h1m2s  push mail background
        held mail P7 reason=budget rule=U7
1h2m  budget mail
        : 1h1s, 1h1m, 1h1m1s; free at 2h1s
1h10m  clock -1h
1h10m  boot
        lifecycle mail state=notRunning
1h10m  budget mail
        : 1h10m, 1h10m, 1h10m; free at 2h10m
1h10m  held mail
        : P7 until 30d1h1m2s, due 2h10m
2h10m  held mail
        at 2h10m
        lifecycle mail state=background
        delivered mail P7 state=background
        completed mail P7 result=noData
        : nothing
# More than a year off is not believed either.
3h    push mail background
        delivered mail P8 state=background
        completed mail P8 result=noData
3h1s  push mail background
        delivered mail P9 state=background
        completed mail P9 result=noData
3h2s  push mail background
        held mail P10 reason=budget rule=U7
3h3s  push mail background expires=500d
        discarded mail P10 reason=replaced rule=U4 replacedBy=P11
        held mail P11 reason=budget rule=U7
3h4s  clock 366d
3h5s  boot
        lifecycle mail state=notRunning
3h6s  held mail
        : P11 until 500d2h3s, due 4h5s
4h5s  held mail
        at 4h5s
        lifecycle mail state=background
        delivered mail P11 state=background
        completed mail P11 result=noData
        : nothing
# While it runs the wall clock is of no account: nobody can set the uptime.
5h    push mail background
        delivered mail P12 state=background
        completed mail P12 result=noData
5h    push mail background
        delivered mail P13 state=background
        completed mail P13 result=noData
5h    push mail background
        held mail P14 reason=budget rule=U7
5h    push mail background
        discarded mail P14 reason=replaced rule=U4 replacedBy=P15
        held mail P15 reason=budget rule=U7
5h1m  clock 2h
        at 5h5s
        delivered mail P15 state=background
        completed mail P15 result=noData
5h2m  held mail
        : nothing
