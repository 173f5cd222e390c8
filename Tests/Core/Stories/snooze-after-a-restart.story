story: A snooze outlives restarts; one that ended meanwhile ends without a sound
rules: N12, D4
0s    given install mail sounds=letter; register mail badge sound alert; install news; register news badge sound alert
1s    push mail alert="One" sound=letter repeat every=1m times=9
        presented mail P1 style=banner listed=yes sound=letter vibration=pulse
        > play mail's letter for P1
        = lamp blink since 1s, banner P1 Mail: "One" until 6s
2s    snooze mail 10m
        snoozed mail until=10m2s
        > stop the sound of P1
2s    snooze all 20m
        snoozed until=20m2s
        > silence all
1m    restart
        at 6s
        = lamp blink since 1s
        at 1m
        = lamp blink since 1m
1m    snoozes
        : all until 20m2s
        : mail until 10m2s
2m    boot
        at 1m1s
        at 2m
        = lamp blink since 2m
2m    snoozes
        : all until 20m2s
        : mail until 10m2s
# Nothing ran when the app's was over.
15m   restart late
        snooze-ended mail reason=over rule=N12
        = lamp blink since 15m
15m   snoozes
        : all until 20m2s
18m   push news alert="Two" sound=default
        at 16m
        at 18m
        presented news P2 style=banner listed=yes silenced=snoozed rule=N12
        = lamp blink since 18m, banner P2 News: "Two" until 18m5s
23m   clear all
        at 18m5s
        = lamp blink since 18m
        at 20m2s
        snooze-ended reason=over rule=N12
        repeated news P2 sound=default vibration=pulse
        > play the default sound for P2
        at 21m2s
        repeated mail P1 time=1 times=9 sound=letter vibration=pulse
        > play mail's letter for P1
        at 22m2s
        repeated mail P1 time=2 times=9 sound=letter vibration=pulse
        > play mail's letter for P1
        at 23m
        cleared mail reason=by-person rule=N10 count=1
        cleared news reason=by-person rule=N10 count=1
        > stop the sound of P1
        > stop the sound of P2
        = dark
30m   snooze all 10m
        snoozed until=40m
        > silence all
# A board without a clock: it begins anew.
31m   clock -20000d unnoticed
31m   boot
31m   snoozes
        : all until 41m
45m   wait
        at 41m
        snooze-ended reason=over rule=N12
