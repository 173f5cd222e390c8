story: What sounds again goes on after a restart and a boot, at its next interval
rules: N11, D4
0s    given install mail sounds=letter; register mail badge sound alert
0s    push mail alert="Pump" sound=letter repeat every=1m times=10
        presented mail P1 style=banner listed=yes sound=letter vibration=pulse
        > play mail's letter for P1
        = lamp blink since 0s, banner P1 Mail: "Pump" until 5s
1m30s restart
        at 5s
        = lamp blink since 0s
        at 1m
        repeated mail P1 time=1 times=10 sound=letter vibration=pulse
        > play mail's letter for P1
        at 1m30s
        = lamp blink since 1m30s
2m10s wait
        at 2m
        repeated mail P1 time=2 times=10 sound=letter vibration=pulse
        > play mail's letter for P1
# It was stopped for a while: what was missed is not made up for.
10m   restart late
        = lamp blink since 10m
10m59s wait
11m   wait
        at 11m
        repeated mail P1 time=3 times=10 sound=letter vibration=pulse
        > play mail's letter for P1
# The uptime clock begins anew.
11m10s boot
        = lamp blink since 11m10s
12m   wait
        at 12m
        repeated mail P1 time=4 times=10 sound=letter vibration=pulse
        > play mail's letter for P1
13m   boot late
        = lamp blink since 13m
# A board without a clock boots in 1970.
13m10s clock -20000d unnoticed
13m20s boot late
        = lamp blink since 13m20s
14m30s wait
        at 14m20s
        repeated mail P1 time=5 times=10 sound=letter vibration=pulse
        > play mail's letter for P1
14m40s clear all
        cleared mail reason=by-person rule=N10 count=1
        > stop the sound of P1
        = dark
