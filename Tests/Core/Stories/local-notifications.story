story: An app schedules, lists and cancels notifications; due, they are presented like any other
rules: L1, N8, S1, S2, R1, R2, R3, N2

0s    given install timer sounds=gong
0s    schedule timer early in=1s alert="Before it registered"
        scheduled timer P1 identifier=early due=1s
2s    register timer badge sound alert
        at 1s
        due timer P1 identifier=early
        presented timer P1 style=banner listed=yes
        = lamp blink since 1s, banner P1 Timer: "Before it registered" until 6s
        at 2s
        registered timer kinds=badge,sound,alert
3s    schedule timer tea in=3m alert="Tea" sound=gong badge=1
        scheduled timer P2 identifier=tea due=3m3s
3s    schedule timer stretch in=60s repeat alert="Stretch"
        scheduled timer P3 identifier=stretch due=1m3s
3s    schedule timer egg in=4m alert="Egg"
        scheduled timer P4 identifier=egg due=4m3s
4s    scheduled timer
        : stretch P3 due 1m3s
        : tea P2 due 3m3s
        : egg P4 due 4m3s
# Another of the same identifier takes its place.
5s    schedule timer egg in=5m sound=default
        scheduled timer P5 identifier=egg due=5m5s
1m4s  wait
        at 6s
        = lamp blink since 1s
        at 1m3s
        due timer P3 identifier=stretch
        presented timer P3 style=banner listed=yes
        = lamp blink since 1m3s, banner P3 Timer: "Stretch" until 1m8s
2m4s  wait
        at 1m8s
        = lamp blink since 1m3s
        at 2m3s
        due timer P3 identifier=stretch
        presented timer P3 style=banner listed=yes replaces=P3
        > stop the sound of P3
        = lamp blink since 2m3s, banner P3 Timer: "Stretch" until 2m8s
3m4s  wait
        at 2m8s
        = lamp blink since 2m3s
        at 3m3s
        due timer P3 identifier=stretch
        presented timer P3 style=banner listed=yes replaces=P3
        due timer P2 identifier=tea
        badge timer P2 number=1
        presented timer P2 style=banner listed=yes sound=gong vibration=pulse
        > stop the sound of P3
        > play timer's gong for P2
        = badge 1, lamp blink since 3m3s, banner P2 Timer: "Tea" until 3m8s
3m5s  center
        : P1 Timer: "Before it registered" unseen
        : P3 Timer: "Stretch" unseen
        : P2 Timer: "Tea" unseen
3m6s  cancel timer stretch
        unscheduled timer P3 identifier=stretch reason=cancelled rule=L1
3m7s  cancel timer stretch
        ! the app has no notification 'stretch' scheduled
# In the foreground the app gets it.
4m    launch timer
        at 3m8s
        = badge 1, lamp blink since 3m3s
        at 4m
        lifecycle timer state=foreground
        seen timer count=3
        > stop the sound of P1
        > stop the sound of P3
        > stop the sound of P2
        = badge 1
5m6s  wait
        at 5m5s
        due timer P5 identifier=egg
        not-presented timer P5 reason=foreground rule=N2
        delivered timer P5 state=foreground
        completed timer P5 result=noData
6m    background timer
        lifecycle timer state=background
6m    schedule timer a in=1m alert="A"
        scheduled timer P6 identifier=a due=7m
6m    schedule timer b in=2m alert="B" level=passive sound=gong
        scheduled timer P7 identifier=b due=8m
6m    cancel timer
        unscheduled timer P6 identifier=a reason=cancelled rule=L1
        unscheduled timer P7 identifier=b reason=cancelled rule=L1
6m    cancel timer
6m    scheduled timer
        : nothing
# Not allowed is not presented.
7m    set timer allow-notifications off
        setting timer key=allow-notifications value=off
        cleared timer reason=not-allowed rule=S1 count=3
        > stop the sound of P1
        > stop the sound of P3
        > stop the sound of P2
        = dark
7m    schedule timer a in=1s alert="A"
        scheduled timer P8 identifier=a due=7m1s
7m2s  unregister timer
        at 7m1s
        due timer P8 identifier=a
        not-presented timer P8 reason=app-not-allowed rule=S1
        at 7m2s
        unregistered timer
7m3s  schedule timer b in=1s alert="B"
        scheduled timer P9 identifier=b due=7m4s
7m5s  register timer alert
        at 7m4s
        due timer P9 identifier=b
        not-presented timer P9 reason=app-not-allowed rule=S1
        at 7m5s
        registered timer kinds=alert
7m5s  given set timer allow-notifications on
7m5s  schedule timer c in=1h alert="C"
        scheduled timer P10 identifier=c due=1h7m5s
7m6s  uninstall timer
        unscheduled timer P10 identifier=c reason=uninstalled rule=R3
        uninstalled timer
7m7s  schedule timer d in=1s alert="D"
        ! no app 'timer' is installed
7m8s  given install timer
7m8s  scheduled timer
        : nothing
# What cannot be.
7m9s  schedule timer x in=0s alert="X"
        ! the notification was not scheduled: its interval is longer than 0 s, 60 s or longer where it repeats, and 3660 days at most
7m9s  schedule timer x in=59s repeat alert="X"
        ! the notification was not scheduled: its interval is longer than 0 s, 60 s or longer where it repeats, and 3660 days at most
7m9s  schedule timer x in=60s repeat
        ! the notification was not scheduled: it has a message, a badge or a sound, or there is nothing to present
7m9s  schedule timer x in=60s badge=-1
        ! the notification was not scheduled: its badge is 0 or more
7m9s  schedule timer "" in=60s alert="X"
        ! the notification was not scheduled: its identifier has 1 to 64 bytes
7m9s  schedule timer x at=24:00 alert="X"
        ! the notification was not scheduled: its calendar time has a year from 1970 to 9999, a month from 1 to 12, a day from 1 to 31, a weekday from 1 (Monday) to 7, an hour from 0 to 23, and minute and second from 0 to 59
7m9s  schedule timer x at=12:00 on=*-02-30 alert="X"
        ! the notification was not scheduled: its calendar time never comes, or not again
7m9s  schedule timer x at=12:00 on=2025-12-31 alert="X"
        ! the notification was not scheduled: its calendar time never comes, or not again
7m9s  cancel timer x
        ! the app has no notification 'x' scheduled
