story: Offline and the fetch mode share the slots, and what waits survives a restart
rules: F1, F4, S3, N8, R3, U5

0s    given install mail background; register mail badge alert; install news background; register news badge alert
0s    given set handset fetch-mode fetch
# Offline nothing can be fetched, neither by somebody nor by an app that is opened.
1m    given condition offline on
2m    push mail alert="Offline" collapse=c
        kept mail P1 reason=offline rule=F1
3m    fetch all
        ! the handset is offline and can fetch nothing; what waits stays in the service
3m    fetch game
        ! no app 'game' is installed
3m    press view long
        ! the handset is offline and can fetch nothing; what waits stays in the service
4m    launch mail
        lifecycle mail state=foreground
4m    kept mail
        : P1 until 30d2m
5m    background mail
        lifecycle mail state=background
# Online again it waits for the interval; one that ended meanwhile is made up for.
6m    condition offline off
        condition condition=offline on=no
6m    kept mail
        : P1 until 30d2m, fetched at 15m
7m    given condition offline on
20m   push news alert="After an interval"
        kept news P2 reason=offline rule=F1
21m   condition offline off
        condition condition=offline on=no
        fetched reason=fetch-interval rule=F4 count=2
        arrived mail P1
        presented mail P1 style=banner listed=yes
        arrived news P2
        presented news P2 style=banner listed=yes
        = lamp blink since 21m, banner P2 News: "After an interval" until 21m5s
# By hand, being online again delivers nothing.
30m   given set handset fetch-mode manual; condition offline on
        at 21m5s
        = lamp blink since 21m
31m   push mail alert="By hand" collapse=c
        kept mail P3 reason=offline rule=F1
32m   given condition offline off
33m   kept mail
        : P3 until 30d31m
# A daemon that reaches its desk again, too, leaves it to the fetch mode.
34m   keep news alert="Late"
        kept news P4 reason=offline rule=F1
35m   forward
36m   kept news
        : P4 until 30d34m
# The provider takes back what has not arrived.
37m   retract mail c removed
        cleared mail reason=by-provider rule=N8 count=1
        discarded mail P3 reason=retracted rule=N8
        > stop the sound of P1
38m   push mail background
        kept mail P5 reason=fetch-manual rule=S3
# The person has ended the app: its slot stays, and the update is discarded when it arrives.
39m   force-quit mail
        lifecycle mail state=forceQuit
40m   kept mail
        : P5 until 30d38m
41m   fetch mail
        fetched mail reason=by-person rule=F4 count=1
        arrived mail P5
        discarded mail P5 reason=is-force-quit rule=U5
# What waits goes with its app.
42m   push mail alert="To nobody"
        kept mail P6 reason=fetch-manual rule=S3
43m   unregister mail
        unregistered mail
        discarded mail P6 reason=unregistered rule=R2
44m   uninstall news
        discarded news P4 reason=uninstalled rule=R3
        uninstalled news
        > stop the sound of P2
        = dark
45m   given register mail alert
# The interval goes on through a restart, and through a boot where the wall clock can be believed.
1h    given set handset fetch-mode fetch; set handset fetch-interval 30m
1h1m  push mail alert="Restarted"
        kept mail P7 reason=fetch-interval rule=S3
1h2m  restart
1h3m  boot
        lifecycle mail state=notRunning
1h4m  kept mail
        : P7 until 30d1h1m, fetched at 1h30m
1h31m  wait
        at 1h30m
        fetched reason=fetch-interval rule=F4 count=1
        arrived mail P7
        presented mail P7 style=banner listed=yes
        = lamp blink since 1h30m, banner P7 Mail: "Restarted" until 1h30m5s
        at 1h30m5s
        = lamp blink since 1h30m
1h32m  push mail alert="Off at the time"
        kept mail P8 reason=fetch-interval rule=S3
2h5m  boot late
        fetched reason=fetch-interval rule=F4 count=1
        arrived mail P8
        presented mail P8 style=banner listed=yes
        = lamp blink since 2h5m, banner P8 Mail: "Off at the time" until 2h5m5s
# An app that has connected once, and is opened without its connection, fetches when it connects.
3h    given set handset fetch-mode manual
        at 2h5m5s
        = lamp blink since 2h5m
3h1s  listen mail background
        lifecycle mail state=background
3h2s  disconnect mail
        lifecycle mail state=notRunning
3h3s  push mail alert="When it is there"
        kept mail P9 reason=fetch-manual rule=S3
3h4s  launch mail
        lifecycle mail state=foreground
        seen mail count=2
        > stop the sound of P7
        > stop the sound of P8
        = dark
3h5s  kept mail
        : P9 until 30d3h3s
3h6s  listen mail foreground
        fetched mail reason=opened rule=F4 count=1
        arrived mail P9
        not-presented mail P9 reason=foreground rule=N2
        delivered mail P9 state=foreground
        > give mail P9 in the foreground: {"push":9}
