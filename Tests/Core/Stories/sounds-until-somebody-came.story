story: An unseen notification sounds again until somebody came
rules: N11
0s    given install mail sounds=letter; register mail badge sound alert; set mail style alert
# Its push asks for it.
1s    push mail alert="Pump" sound=letter repeat every=30s times=3
        presented mail P1 style=alert listed=yes sound=letter vibration=pulse
        > play mail's letter for P1
        = lamp blink since 1s, alert P1 Mail: "Pump" [Close, View]
1s    explain P1
        : R4 the token is the app's
        : F1 the handset is online: it arrives
        : R1 the app is registered
        : U2 it is a notification for the person
        : B4 it has no badge: the badge is unchanged
        : S2 notifications are on
        : S1 notifications are allowed for the app
        : S6 the app registered for every kind in it
        : N1 the app is not in the foreground: the system presents it
        : N11 it sounds again, until it is seen or has sounded often enough
        : S1 it is listed in Notification Center
        : N3 an alert shows it, until it is acted on
        : S5 neither silence nor quiet hours: its sound is played
        : A1 the app has the sound
        : D3 the motor vibrates, if one is fitted
        : D1 the lamp shows it
40s   wait
        at 31s
        repeated mail P1 time=1 times=3 sound=letter vibration=pulse
        > play mail's letter for P1
# View ends it, and so do the others below.
45s   press view
        answered mail P1 button=view
        lifecycle mail state=foreground
        cleared mail P1 reason=notification-opened rule=N10 count=1
        > stop the sound of P1
        > stop the sound of P1
        = dark
3m    wait
3m    background mail
        lifecycle mail state=background
4m    push mail alert="Two" sound=letter repeat every=30s times=3
        presented mail P2 style=alert listed=yes sound=letter vibration=pulse
        > play mail's letter for P2
        = lamp blink since 4m, alert P2 Mail: "Two" [Close, View]
5m    press close
        at 4m30s
        repeated mail P2 time=1 times=3 sound=letter vibration=pulse
        > play mail's letter for P2
        at 5m
        repeated mail P2 time=2 times=3 sound=letter vibration=pulse
        > play mail's letter for P2
        answered mail P2 button=close
        > stop the sound of P2
        = dark
6m    push mail alert="Three" sound=letter repeat every=30s times=3
        presented mail P3 style=alert listed=yes sound=letter vibration=pulse
        > play mail's letter for P3
        = lamp blink since 6m, alert P3 Mail: "Three" [Close, View]
6m5s  clear P3
        cleared mail reason=by-person rule=N10 count=1
        > stop the sound of P3
        = dark
7m    push mail alert="Four" sound=letter repeat every=30s times=3
        presented mail P4 style=alert listed=yes sound=letter vibration=pulse
        > play mail's letter for P4
        = lamp blink since 7m, alert P4 Mail: "Four" [Close, View]
7m5s  launch mail
        lifecycle mail state=foreground
        seen mail count=1
        > stop the sound of P4
        = dark
7m10s background mail
        lifecycle mail state=background
8m    push mail alert="Five" sound=letter repeat every=30s times=3 collapse=c
        presented mail P5 style=alert listed=yes sound=letter vibration=pulse
        > play mail's letter for P5
        = lamp blink since 8m, alert P5 Mail: "Five" [Close, View]
# An update begins anew.
8m45s push mail alert="Six" sound=letter repeat every=30s times=3 collapse=c
        at 8m30s
        repeated mail P5 time=1 times=3 sound=letter vibration=pulse
        > play mail's letter for P5
        at 8m45s
        presented mail P6 style=alert listed=yes sound=letter vibration=pulse replaces=P5
        > stop the sound of P5
        > play mail's letter for P6
        = lamp blink since 8m45s, alert P6 Mail: "Six" [Close, View]
9m20s push mail alert="Seven" sound=letter collapse=c
        at 9m15s
        repeated mail P6 time=1 times=3 sound=letter vibration=pulse
        > play mail's letter for P6
        at 9m20s
        presented mail P7 style=alert listed=yes sound=letter vibration=pulse replaces=P6
        > stop the sound of P6
        > play mail's letter for P7
        = lamp blink since 9m20s, alert P7 Mail: "Seven" [Close, View]
12m   wait
12m   clear all
        cleared mail reason=by-person rule=N10 count=3
        > stop the sound of P2
        > stop the sound of P4
        > stop the sound of P7
        = dark
# It gives up.
20m   push mail alert="Eight" sound=default repeat every=10s times=2
        presented mail P8 style=alert listed=yes sound=default vibration=pulse
        > play the default sound for P8
        = lamp blink since 20m, alert P8 Mail: "Eight" [Close, View]
21m   center
        at 20m10s
        repeated mail P8 time=1 times=2 sound=default vibration=pulse
        > play the default sound for P8
        at 20m20s
        repeated mail P8 time=2 times=2 sound=default vibration=pulse
        repeat-ended mail P8 reason=times rule=N11
        > play the default sound for P8
        at 21m
        : P8 Mail: "Eight" unseen
21m   clear all
        cleared mail reason=by-person rule=N10 count=1
        > stop the sound of P8
        = dark
# Its setting says how often, where its push does not.
22m   given set mail repeat-every 1h; set mail repeat-times 1
22m   push mail alert="Nine" sound=letter repeat
        presented mail P9 style=alert listed=yes sound=letter vibration=pulse
        > play mail's letter for P9
        = lamp blink since 22m, alert P9 Mail: "Nine" [Close, View]
23m   push mail alert="Ten" repeat
        presented mail P10 style=alert listed=yes
        = lamp blink since 23m, alert P10 Mail: "Ten" [Close, View] over 1
4h    wait
        at 1h22m
        repeated mail P9 time=1 times=1 sound=letter vibration=pulse
        repeat-ended mail P9 reason=times rule=N11
        > play mail's letter for P9
