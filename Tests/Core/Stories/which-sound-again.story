story: The app's setting decides which of its notifications sound again
rules: N11, S1
0s    given install mail; register mail badge sound alert; set mail repeat-times 1
1s    push mail alert="Asked" sound=default repeat
        presented mail P1 style=banner listed=yes sound=default vibration=pulse
        > play the default sound for P1
        = lamp blink since 1s, banner P1 Mail: "Asked" until 6s
1s    push mail alert="Not asked" sound=default level=time-sensitive
        presented mail P2 style=banner listed=yes sound=default vibration=double
        > play the default sound for P2
        = lamp double since 1s, banner P2 Mail: "Not asked" until 6s
3m    clear all
        at 6s
        = lamp double since 1s
        at 1m1s
        repeated mail P1 time=1 times=1 sound=default vibration=pulse
        repeat-ended mail P1 reason=times rule=N11
        > play the default sound for P1
        at 3m
        cleared mail reason=by-person rule=N10 count=2
        > stop the sound of P1
        > stop the sound of P2
        = dark
3m    given set mail repeat urgent
4m    push mail alert="Active" sound=default
        presented mail P3 style=banner listed=yes sound=default vibration=pulse
        > play the default sound for P3
        = lamp blink since 4m, banner P3 Mail: "Active" until 4m5s
5m    push mail alert="Urgent" sound=default level=time-sensitive
        at 4m5s
        = lamp blink since 4m
        at 5m
        presented mail P4 style=banner listed=yes sound=default vibration=double
        > play the default sound for P4
        = lamp double since 5m, banner P4 Mail: "Urgent" until 5m5s
7m    clear all
        at 5m5s
        = lamp double since 5m
        at 6m
        repeated mail P4 time=1 times=1 sound=default vibration=double
        repeat-ended mail P4 reason=times rule=N11
        > play the default sound for P4
        at 7m
        cleared mail reason=by-person rule=N10 count=2
        > stop the sound of P3
        > stop the sound of P4
        = dark
7m    given set mail repeat all
8m    push mail alert="All" sound=default
        presented mail P5 style=banner listed=yes sound=default vibration=pulse
        > play the default sound for P5
        = lamp blink since 8m, banner P5 Mail: "All" until 8m5s
10m   push mail alert="Quiet" sound=default level=passive
        at 8m5s
        = lamp blink since 8m
        at 9m
        repeated mail P5 time=1 times=1 sound=default vibration=pulse
        repeat-ended mail P5 reason=times rule=N11
        > play the default sound for P5
        at 10m
        presented mail P6 style=banner listed=yes silenced=passive rule=N9
        = lamp blink since 8m, banner P6 Mail: "Quiet" until 10m5s
13m   clear all
        at 10m5s
        = lamp blink since 8m
        at 13m
        cleared mail reason=by-person rule=N10 count=2
        > stop the sound of P5
        > stop the sound of P6
        = dark
# What is switched off stops at once.
14m   push mail alert="Stopped" sound=default
        presented mail P7 style=banner listed=yes sound=default vibration=pulse
        > play the default sound for P7
        = lamp blink since 14m, banner P7 Mail: "Stopped" until 14m5s
14m10s set mail repeat off
        at 14m5s
        = lamp blink since 14m
        at 14m10s
        setting mail key=repeat value=off
        repeat-ended mail P7 reason=not-allowed rule=S1
14m20s push mail alert="Off" sound=default repeat
        presented mail P8 style=banner listed=yes sound=default vibration=pulse
        > play the default sound for P8
        = lamp blink since 14m20s, banner P8 Mail: "Off" until 14m25s
14m20s explain P8
        : R4 the token is the app's
        : F1 the handset is online: it arrives
        : R1 the app is registered
        : U2 it is a notification for the person
        : B4 it has no badge: the badge is unchanged
        : S2 notifications are on
        : S1 notifications are allowed for the app
        : S6 the app registered for every kind in it
        : N1 the app is not in the foreground: the system presents it
        : N11 it asks to sound again, which is switched off for the app
        : S1 it is listed in Notification Center
        : N3 a banner shows it for a few seconds
        : S5 neither silence nor quiet hours: its sound is played
        : A1 it asks for the default sound
        : D3 the motor vibrates, if one is fitted
        : D1 the lamp shows it
20m   set mail repeat all
        at 14m25s
        = lamp blink since 14m20s
        at 20m
        setting mail key=repeat value=all
21m   push mail alert="No sound now" sound=default
        presented mail P9 style=banner listed=yes sound=default vibration=pulse
        > play the default sound for P9
        = lamp blink since 21m, banner P9 Mail: "No sound now" until 21m5s
21m10s set mail sound off
        at 21m5s
        = lamp blink since 21m
        at 21m10s
        setting mail key=sound value=off
        repeat-ended mail P9 reason=not-allowed rule=S1
23m   given set mail sound on
24m   push mail alert="Everything off" sound=default
        presented mail P10 style=banner listed=yes sound=default vibration=pulse
        > play the default sound for P10
        = lamp blink since 24m, banner P10 Mail: "Everything off" until 24m5s
24m10s set handset notifications off
        at 24m5s
        = lamp blink since 24m
        at 24m10s
        setting key=notifications value=off
        repeat-ended mail P10 reason=not-allowed rule=S1
        > silence all
        = dark
26m   given set handset notifications on
        = lamp blink since 24m
# What makes no sound, and what is not listed, does not sound again.
27m   push mail badge=1 sound=default repeat
        badge mail P11 number=1
        presented mail P11 style=none listed=no sound=default vibration=pulse
        > play the default sound for P11
        = badge 1, lamp blink since 24m
28m   set mail show-in-notification-center off
        setting mail key=show-in-notification-center value=off
        cleared mail reason=not-allowed rule=S1 count=4
        = badge 1
28m   push mail alert="Banner" sound=default repeat
        presented mail P12 style=banner listed=no sound=default vibration=pulse
        > play the default sound for P12
        = badge 1, banner P12 Mail: "Banner" until 28m5s
30m   wait
        at 28m5s
        = badge 1
