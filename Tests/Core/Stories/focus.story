story: A Focus mode lists what it does not allow, without banner, sound, motor and lamp
rules: Q3, N9, D1, N11

0s    given install mail; register mail badge sound alert; install chat; register chat badge sound alert
0s    given set mail critical on; set chat style alert
1s    push mail alert="Before" sound=default
        presented mail P1 style=banner listed=yes sound=default vibration=pulse
        > play the default sound for P1
        = lamp blink since 1s, banner P1 Mail: "Before" until 6s
7s    focus work allow=chat filter.chat=team
        at 6s
        = lamp blink since 1s
        at 7s
        focus mode=work state=set
8s    set handset focus work
        setting key=focus value=work
        focus mode=work state=on
        = dark
9s    modes
        : work on
10s   push mail alert="Silenced" badge=3 sound=default
        badge mail P2 number=3
        presented mail P2 style=none listed=yes silenced=focus rule=Q3
        = badge 3
10s   explain P2
        : R4 the token is the app's
        : F1 the handset is online: it arrives
        : R1 the app is registered
        : U2 it is a notification for the person
        : B1 its number is the app's badge
        : S2 notifications are on
        : S1 notifications are allowed for the app
        : S6 the app registered for every kind in it
        : N1 the app is not in the foreground: the system presents it
        : Q3 the Focus mode does not allow it: it is only listed
        : S1 it is listed in Notification Center
        : D1 the lamp does not show it
11s   push mail alert="Time-sensitive" sound=default level=time-sensitive
        presented mail P3 style=banner listed=yes sound=default vibration=double
        > play the default sound for P3
        = badge 3, lamp double since 11s, banner P3 Mail: "Time-sensitive" until 16s
17s   push mail alert="Critical" sound=default volume=0.5 level=critical
        at 16s
        = badge 3, lamp double since 11s
        at 17s
        presented mail P4 style=banner listed=yes sound=default vibration=triple
        > play the default sound for P4, critical, at volume 0.5
        = badge 3, lamp sos since 17s, banner P4 Mail: "Critical" until 22s
23s   clear all
        at 22s
        = badge 3, lamp sos since 17s
        at 23s
        cleared mail reason=by-person rule=N10 count=4
        > stop the sound of P1
        > stop the sound of P2
        > stop the sound of P3
        > stop the sound of P4
        = badge 3
24s   push chat alert="Allowed" sound=default
        presented chat P5 style=alert listed=yes sound=default vibration=pulse
        > play the default sound for P5
        = badge 3, lamp blink since 24s, alert P5 Chat: "Allowed" [Close, View]
25s   press close
        answered chat P5 button=close
        > stop the sound of P5
        = badge 3
26s   push chat alert="Team" sound=default criteria=team
        presented chat P6 style=alert listed=yes sound=default vibration=pulse
        > play the default sound for P6
        = badge 3, lamp blink since 26s, alert P6 Chat: "Team" [Close, View]
27s   press close
        answered chat P6 button=close
        > stop the sound of P6
        = badge 3
28s   push chat alert="Family" sound=default criteria=family
        presented chat P7 style=none listed=yes silenced=focus rule=Q3
29s   push mail alert="Again" sound=default repeat every=10s times=2
        presented mail P8 style=none listed=yes silenced=focus rule=Q3
# When the mode ends nothing sounds at once; the lamp shows what is unseen.
45s   set handset focus off
        at 39s
        repeated mail P8 time=1 times=2 silenced=focus rule=Q3
        at 45s
        setting key=focus value=off
        focus mode=work state=off
        = badge 3, lamp blink since 45s
1m    focus work allow=mail no-time-sensitive
        at 49s
        repeated mail P8 time=2 times=2 sound=default vibration=pulse
        repeat-ended mail P8 reason=times rule=N11
        > play the default sound for P8
        at 1m
        focus mode=work state=set
1m    set handset focus work
        setting key=focus value=work
        focus mode=work state=on
1m1s  push chat alert="Late" sound=default level=time-sensitive
        presented chat P9 style=none listed=yes silenced=focus rule=Q3
1m2s  set handset focus sleep
        ! there is no Focus mode 'sleep'; `deskbell focus list` lists those there are
1m3s  focus work remove
        setting key=focus value=off
        focus mode=work state=off
        focus mode=work state=removed
        = badge 3, lamp double since 1m3s
1m4s  focus work remove
        ! there is no Focus mode 'work'; `deskbell focus list` lists those there are
1m5s  focus off allow=mail
        ! a Focus mode has a name of 1 to 32 letters, digits, dots, dashes and underscores other than off, at most 64 apps, and for each at most 16 criteria of 256 bytes
