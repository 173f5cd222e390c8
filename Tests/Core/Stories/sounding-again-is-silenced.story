story: Each time the reasons for silence apply as they did the first time
rules: N11, S5, N9, S1
0s    given install mail sounds=letter; register mail badge sound alert
1s    push mail alert="Pump" sound=letter repeat every=1m times=20
        presented mail P1 style=banner listed=yes sound=letter vibration=pulse
        > play mail's letter for P1
        = lamp blink since 1s, banner P1 Mail: "Pump" until 6s
1m30s condition silent on
        at 6s
        = lamp blink since 1s
        at 1m1s
        repeated mail P1 time=1 times=20 sound=letter vibration=pulse
        > play mail's letter for P1
        at 1m30s
        condition condition=silent on=yes
        > silence all but critical
2m30s condition silent off
        at 2m1s
        repeated mail P1 time=2 times=20 vibration=pulse silenced=silent-switch rule=S5
        at 2m30s
        condition condition=silent on=no
2m30s given set handset quiet-hours 00:00-00:05
3m30s set mail volume 0%
        at 3m1s
        repeated mail P1 time=3 times=20 vibration=pulse silenced=quiet-hours rule=S5
        at 3m30s
        setting mail key=volume value=0%
5m30s set mail volume 50%
        at 4m1s
        repeated mail P1 time=4 times=20 vibration=pulse silenced=volume-zero rule=S1
        at 5m1s
        repeated mail P1 time=5 times=20 vibration=pulse silenced=volume-zero rule=S1
        at 5m30s
        setting mail key=volume value=50%
6m30s set handset vibrate-on-ring off
        at 6m1s
        repeated mail P1 time=6 times=20 sound=letter vibration=pulse
        > play mail's letter for P1, at volume 0.5
        at 6m30s
        setting key=vibrate-on-ring value=off
7m30s set mail critical on
        at 7m1s
        repeated mail P1 time=7 times=20 sound=letter
        > play mail's letter for P1, at volume 0.5
        at 7m30s
        setting mail key=critical value=on
7m30s condition silent on
        condition condition=silent on=yes
        > silence all but critical
7m35s clear all
        cleared mail reason=by-person rule=N10 count=1
        > stop the sound of P1
        = dark
8m    push mail alert="Fire" sound=letter level=critical volume=0.5 repeat every=1m times=2
        presented mail P2 style=banner listed=yes sound=letter
        > play mail's letter for P2, critical, at volume 0.5
        = lamp sos since 8m, banner P2 Mail: "Fire" until 8m5s
9m30s set mail critical off
        at 8m5s
        = lamp sos since 8m
        at 9m
        repeated mail P2 time=1 times=2 sound=letter
        > play mail's letter for P2, critical, at volume 0.5
        at 9m30s
        setting mail key=critical value=off
11m   wait
        at 10m
        repeated mail P2 time=2 times=2 vibration=triple silenced=silent-switch rule=S5
        repeat-ended mail P2 reason=times rule=N11
