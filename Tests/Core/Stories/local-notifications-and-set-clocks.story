story: Setting the wall clock neither repeats a notification nor skips one
rules: L3

0s    given install timer; register timer alert; set timer style none
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
        = lamp blink since 23h
1d    scheduled timer
        : daily P2 due -3647d17h
1d8h  wait
# Forward by ten years, to after a seven that nobody has seen: once, not 3,650 times.
2d    clock 3650d
        at 1d23h
        due timer P2 identifier=daily
        presented timer P2 style=none listed=yes replaces=P2
        > stop the sound of P2
        = lamp blink since 1d23h
        at 2d
        due timer P2 identifier=daily
        presented timer P2 style=none listed=yes replaces=P2
        > stop the sound of P2
        = lamp blink since 2d
2d    scheduled timer
        : daily P2 due 3d7h
# Back by ten years and forward again, as a clock does that lost its time and found it: all that lies behind has been.
2d10m clock -3650d
2d11m clock 3650d
2d11m scheduled timer
        : daily P2 due 3d7h
# A board without a battery clock boots in the past, and knows better a minute later.
2d1h  schedule timer alarm at=07:00 on=2026-01-05 alert="Alarm"
        scheduled timer P3 identifier=alarm due=4d7h
2d1h  schedule timer tea in=4h alert="Tea"
        scheduled timer P4 identifier=tea due=2d13h
2d2h  clock -18000d unnoticed
2d2h  boot late
        = lamp blink since 2d2h
2d2h  scheduled timer
        : tea P4 due -17997d10h
        : daily P2 due 3d7h
        : alarm P3 due 4d7h
2d2h1m clock 18000d
2d2h1m scheduled timer
        : tea P4 due 2d14h
        : daily P2 due 3d7h
        : alarm P3 due 4d7h
5d    wait
        at 2d6h
        due timer P4 identifier=tea
        presented timer P4 style=none listed=yes
        = lamp blink since 2d6h
        at 2d23h
        due timer P2 identifier=daily
        presented timer P2 style=none listed=yes replaces=P2
        > stop the sound of P2
        = lamp blink since 2d23h
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
        = lamp blink since 4d23h
# It boots after an alarm was missed.
5d    schedule timer missed at=12:00 alert="Missed"
        scheduled timer P5 identifier=missed due=5d12h
5d1h  clock -18000d unnoticed
5d20h boot late
        = lamp blink since 5d20h
5d20h1m clock 18000d
        due timer P5 identifier=missed
        presented timer P5 style=none listed=yes
        = lamp blink since 5d20h1m
5d20h2m scheduled timer
        : daily P2 due 6d7h
# Clocks that go a little astray are not set.
5d21h schedule timer tea in=1h alert="Tea"
        scheduled timer P6 identifier=tea due=6d6h
5d21h10m clock 999ms
5d21h10m scheduled timer
        : tea P6 due 6d6h
        : daily P2 due 6d7h
5d21h20m clock 1ms
5d21h20m scheduled timer
        : tea P6 due 6d6h1s
        : daily P2 due 6d7h
5d22h1m wait
        at 5d22h
        due timer P6 identifier=tea
        presented timer P6 style=none listed=yes replaces=P4
        > stop the sound of P4
        = lamp blink since 5d22h
