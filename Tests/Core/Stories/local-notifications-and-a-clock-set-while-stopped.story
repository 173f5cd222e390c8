story: A wall clock that was set while the daemon was stopped neither repeats a notification nor skips one
rules: L3

0s    given install timer; register timer alert; set timer style none
0s    schedule timer interval in=6h repeat alert="Six hours, whatever the clock says"
        scheduled timer P1 identifier=interval due=6h
0s    schedule timer daily at=07:00 repeat alert="Seven"
        scheduled timer P2 identifier=daily due=7h
# Forward: the interval is as long as before, and ends later on the clock.
1h    clock 3h unnoticed
1h    restart late
1h    scheduled timer
        : daily P2 due 7h
        : interval P1 due 9h
# Less than a second is no step.
1h1m  clock 999ms unnoticed
1h1m  restart late
1h1m  scheduled timer
        : daily P2 due 7h
        : interval P1 due 9h
# Back by two hours.
2h    clock -2h unnoticed
2h    restart late
2h    scheduled timer
        : daily P2 due 7h
        : interval P1 due 7h999ms
# After a boot an interval goes by the wall clock, so a stale time would count wrong.
3h    boot
3h    scheduled timer
        : daily P2 due 7h
        : interval P1 due 7h999ms
# Back by thirty days: the next seven o'clock counts, and the interval ends when it would have.
3h30m clock -30d unnoticed
3h30m restart late
3h30m scheduled timer
        : daily P2 due -29d17h
        : interval P1 due -29d16h59m59s1ms
4h    wait
# Forward again, over that seven: it is due now, once.
4h    clock 30d unnoticed
4h    restart late
        due timer P2 identifier=daily
        presented timer P2 style=none listed=yes
        = lamp blink since 4h
4h    scheduled timer
        : daily P2 due 7h
        : interval P1 due 7h999ms
9h    wait
        at 5h59m59s1ms
        due timer P2 identifier=daily
        presented timer P2 style=none listed=yes replaces=P2
        > stop the sound of P2
        = lamp blink since 5h59m59s1ms
        at 6h
        due timer P1 identifier=interval
        presented timer P1 style=none listed=yes
        = lamp blink since 6h
