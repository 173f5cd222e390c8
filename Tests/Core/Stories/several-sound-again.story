story: Several that are due ring once, the newest of the most urgent
rules: N11
0s    given install mail; register mail badge sound alert; install news; register news badge sound alert
1s    push mail alert="One" sound=default repeat every=20s times=2
        presented mail P1 style=banner listed=yes sound=default vibration=pulse
        > play the default sound for P1
        = lamp blink since 1s, banner P1 Mail: "One" until 6s
1s    push news alert="Two" sound=default repeat every=20s times=3 level=time-sensitive
        presented news P2 style=banner listed=yes sound=default vibration=double
        > play the default sound for P2
        = lamp double since 1s, banner P2 News: "Two" until 6s
1s    push mail alert="Three" sound=default repeat every=20s times=4 level=time-sensitive
        presented mail P3 style=banner listed=yes sound=default vibration=double
        > play the default sound for P3
        = lamp double since 1s, banner P3 Mail: "Three" until 6s
45s   wait
        at 6s
        = lamp double since 1s
        at 21s
        repeated mail P3 time=1 times=4 others=2 sound=default vibration=double
        > play the default sound for P3
        at 41s
        repeated mail P3 time=2 times=4 others=2 sound=default vibration=double
        repeat-ended mail P1 reason=times rule=N11
        > play the default sound for P3
# Whatever their intervals, ten seconds are between two.
50s   push news alert="Four" sound=default repeat every=18s times=1
        presented news P4 style=banner listed=yes sound=default vibration=pulse
        > play the default sound for P4
        = lamp double since 1s, banner P4 News: "Four" until 55s
# The most urgent may not sound: the next one does.
65s   set mail volume 0%
        at 55s
        = lamp double since 1s
        at 1m1s
        repeated mail P3 time=3 times=4 others=1 sound=default vibration=double
        repeat-ended news P2 reason=times rule=N11
        > play the default sound for P3
        at 1m5s
        setting mail key=volume value=0%
2m    clear all
        at 1m11s
        repeated news P4 time=1 times=1 sound=default vibration=pulse
        repeat-ended news P4 reason=times rule=N11
        > play the default sound for P4
        at 1m21s
        repeated mail P3 time=4 times=4 vibration=double silenced=volume-zero rule=S1
        repeat-ended mail P3 reason=times rule=N11
        at 2m
        cleared mail reason=by-person rule=N10 count=2
        cleared news reason=by-person rule=N10 count=2
        > stop the sound of P1
        > stop the sound of P3
        > stop the sound of P2
        > stop the sound of P4
        = dark
