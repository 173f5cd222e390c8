story: Setting the wall clock neither repeats a notification nor skips one
rules: L3

0s    install timer
        installed timer
0s    register timer alert
        registered timer kinds=alert
0s    set timer style none
        setting timer key=style value=none
0s    schedule timer interval in=2h alert="Two hours, whatever the clock says"
        scheduled timer P1 identifier=interval due=2h
0s    schedule timer daily at=07:00 repeat alert="Seven"
        scheduled timer P2 identifier=daily due=7h
# Forward, over seven: it is due now, once.
30m   clock 8h
        due timer P2 identifier=daily
        presented timer P2 style=none listed=yes
        = lamp blink since 30m
30m   scheduled timer
        : interval P1 due 10h
        : daily P2 due 1d7h
# Back by less than a day: today's has been.
40m   clock -2h
40m   scheduled timer
        : interval P1 due 8h
        : daily P2 due 1d7h
1h    clock 2h
1h    scheduled timer
        : interval P1 due 10h
        : daily P2 due 1d7h
2h1m  wait
        at 2h
        due timer P1 identifier=interval
        presented timer P1 style=none listed=yes
        = lamp blink since 2h
# Back by ten years, as NTP does with a clock that was wrong: the next seven o'clock counts.
1d    clock -3650d
        at 23h
        due timer P2 identifier=daily
        presented timer P2 style=none listed=yes replaces=P2
        > stop the sound of P2
1d    scheduled timer
        : daily P2 due -3647d17h
1d8h  wait
# Forward by ten years: once, not 3,650 times.
2d    clock 3650d
        at 1d23h
        due timer P2 identifier=daily
        presented timer P2 style=none listed=yes replaces=P2
        > stop the sound of P2
        at 2d
        due timer P2 identifier=daily
        presented timer P2 style=none listed=yes replaces=P2
        > stop the sound of P2
2d    scheduled timer
        : daily P2 due 3d7h
# A board without a battery clock starts in the past, and knows better a minute later.
2d1h  schedule timer alarm at=07:00 on=2026-01-05 alert="Alarm"
        scheduled timer P3 identifier=alarm due=4d7h
2d1h  schedule timer tea in=4h alert="Tea"
        scheduled timer P4 identifier=tea due=2d13h
2d2h  clock -18000d
2d2h  boot
        started after=board
        = lamp blink since 2d2h
2d2h  scheduled timer
        : tea P4 due -17997d11h
        : daily P2 due -17996d17h
        : alarm P3 due 4d7h
2d2h1m clock 18000d
        due timer P2 identifier=daily
        presented timer P2 style=none listed=yes replaces=P2
        > stop the sound of P2
2d2h1m scheduled timer
        : tea P4 due 2d13h
        : daily P2 due 3d7h
        : alarm P3 due 4d7h
5d    wait
        at 2d5h
        due timer P4 identifier=tea
        presented timer P4 style=none listed=yes
        = lamp blink since 2d5h
        at 2d23h
        due timer P2 identifier=daily
        presented timer P2 style=none listed=yes replaces=P2
        > stop the sound of P2
        at 3d23h
        due timer P3 identifier=alarm
        presented timer P3 style=none listed=yes
        due timer P2 identifier=daily
        presented timer P2 style=none listed=yes replaces=P2
        > stop the sound of P2
        = lamp blink since 3d23h
        at 4d23h
        due timer P2 identifier=daily
        presented timer P2 style=none listed=yes replaces=P2
        > stop the sound of P2
