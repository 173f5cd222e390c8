story: A snooze silences an app or all, and what is unseen sounds again when it is over
rules: N12
0s    install mail sounds=letter
        installed mail
0s    register mail badge sound alert
        registered mail kinds=badge,sound,alert
0s    install news
        installed news
0s    register news badge sound alert
        registered news kinds=badge,sound,alert
0s    set mail style alert
        setting mail key=style value=alert
1s    push mail alert="One" sound=letter
        accepted mail P1 type=alert
        presented mail P1 style=alert listed=yes sound=letter vibration=pulse
        > play mail's letter for P1
        > vibrate pulse for P1
        = lamp blink since 1s, alert P1 Mail: "One" [Close, View]
10s   snooze mail 2m
        snoozed mail until=2m10s
        > stop the sound of P1
10s   snoozes
        : mail until 2m10s
# It is listed and lit, and does not sound; others do.
20s   push mail alert="Two" sound=letter level=time-sensitive
        accepted mail P2 type=alert
        presented mail P2 style=alert listed=yes silenced=snoozed rule=N12
        = lamp double since 20s, alert P2 Mail: "Two" [Close, View] over 1
20s   explain P2
        : R4 the token is the app's
        : F1 the handset is online: it arrives
        : R1 the app is registered
        : U2 it is a notification for the person
        : B4 it has no badge: the badge is unchanged
        : S2 notifications are on
        : S1 notifications are allowed for the app
        : S6 the app registered for every kind in it
        : N1 the app is not in the foreground: the system presents it
        : S1 it is listed in Notification Center
        : N3 an alert shows it, until it is acted on
        : N7 its alert is on top of others
        : N12 its app, or all, are snoozed
        : D1 the lamp shows it
30s   push news alert="Three" sound=default
        accepted news P3 type=alert
        presented news P3 style=banner listed=yes sound=default vibration=pulse
        > play the default sound for P3
        > vibrate pulse for P3
        = lamp double since 20s, banner P3 News: "Three" until 35s, alert P2 Mail: "Two" [Close, View] over 1
# A critical one passes where the person allowed it.
40s   push mail alert="Fire" sound=letter level=critical
        at 35s
        = lamp double since 20s, alert P2 Mail: "Two" [Close, View] over 1
        at 40s
        accepted mail P4 type=alert
        presented mail P4 style=alert listed=yes silenced=snoozed rule=N12
        = lamp sos since 40s, alert P4 Mail: "Fire" [Close, View] over 2
41s   set mail critical on
        setting mail key=critical value=on
42s   push mail alert="Fire" sound=letter level=critical
        accepted mail P5 type=alert
        presented mail P5 style=alert listed=yes sound=letter vibration=triple
        > play mail's letter for P5, critical, at volume 1.0
        > vibrate triple for P5
        = lamp sos since 42s, alert P5 Mail: "Fire" [Close, View] over 3
43s   clear P4
        cleared mail reason=by-person rule=N10 count=1
        > stop the sound of P4
        = lamp sos since 42s, alert P5 Mail: "Fire" [Close, View] over 2
43s   clear P5
        cleared mail reason=by-person rule=N10 count=1
        > stop the sound of P5
        = lamp double since 43s, alert P2 Mail: "Two" [Close, View] over 1
# Over: the most urgent sounds, once.
3m    snoozes
        at 2m10s
        snooze-ended mail reason=over rule=N12
        repeated mail P2 sound=letter vibration=double
        > play mail's letter for P2
        > vibrate double for P2
        at 3m
        : none
# With nothing unseen there is nothing to sound.
4m    clear all
        cleared mail reason=by-person rule=N10 count=2
        cleared news reason=by-person rule=N10 count=1
        > stop the sound of P1
        > stop the sound of P2
        > stop the sound of P3
        = dark
4m    snooze mail 1m
        snoozed mail until=5m
6m    wait
        at 5m
        snooze-ended mail reason=over rule=N12
# All apps; the person ends it.
7m    snooze all 1h
        snoozed until=1h7m
        > silence all
7m10s push news alert="Four" sound=default
        accepted news P6 type=alert
        presented news P6 style=banner listed=yes silenced=snoozed rule=N12
        = lamp blink since 7m10s, banner P6 News: "Four" until 7m15s
7m20s push mail alert="Five" sound=letter
        at 7m15s
        = lamp blink since 7m10s
        at 7m20s
        accepted mail P7 type=alert
        presented mail P7 style=alert listed=yes silenced=snoozed rule=N12
        = lamp blink since 7m20s, alert P7 Mail: "Five" [Close, View]
8m    end-snooze mail
        ! 'mail' is not snoozed
8m    snooze mail 1h
        snoozed mail until=1h8m
        > stop the sound of P7
8m10s snoozes
        : all until 1h7m
        : mail until 1h8m
9m    end-snooze all
        snooze-ended mail reason=by-person rule=N12
        snooze-ended reason=by-person rule=N12
        repeated mail P7 sound=letter vibration=pulse
        > play mail's letter for P7
        > vibrate pulse for P7
# One ends while the other goes on.
10m   snooze all 1h
        snoozed until=1h10m
        > silence all
10m   snooze mail 2m
        snoozed mail until=12m
        > stop the sound of P7
13m   end-snooze all
        at 12m
        snooze-ended mail reason=over rule=N12
        at 13m
        snooze-ended reason=by-person rule=N12
        repeated mail P7 sound=letter vibration=pulse
        > play mail's letter for P7
        > vibrate pulse for P7
# What repeats waits, and goes on an interval later.
20m   clear all
        cleared mail reason=by-person rule=N10 count=1
        cleared news reason=by-person rule=N10 count=1
        > stop the sound of P7
        > stop the sound of P6
        = dark
20m   push mail alert="Pump" sound=letter repeat every=30s times=3
        accepted mail P8 type=alert
        presented mail P8 style=alert listed=yes sound=letter vibration=pulse
        > play mail's letter for P8
        > vibrate pulse for P8
        = lamp blink since 20m, alert P8 Mail: "Pump" [Close, View]
20m10s snooze mail 2m
        snoozed mail until=22m10s
        > stop the sound of P8
20m20s push mail alert="Pump 2" sound=letter repeat every=30s times=1
        accepted mail P9 type=alert
        presented mail P9 style=alert listed=yes silenced=snoozed rule=N12
        = lamp blink since 20m20s, alert P9 Mail: "Pump 2" [Close, View] over 1
25m   clear all
        at 20m30s
        at 20m50s
        at 22m10s
        snooze-ended mail reason=over rule=N12
        repeated mail P9 sound=letter vibration=pulse
        > play mail's letter for P9
        > vibrate pulse for P9
        at 22m40s
        repeated mail P9 time=1 times=1 others=1 sound=letter vibration=pulse
        repeat-ended mail P9 reason=times rule=N11
        > play mail's letter for P9
        > vibrate pulse for P9
        at 23m10s
        repeated mail P8 time=2 times=3 sound=letter vibration=pulse
        > play mail's letter for P8
        > vibrate pulse for P8
        at 23m40s
        repeated mail P8 time=3 times=3 sound=letter vibration=pulse
        repeat-ended mail P8 reason=times rule=N11
        > play mail's letter for P8
        > vibrate pulse for P8
        at 25m
        cleared mail reason=by-person rule=N10 count=2
        > stop the sound of P8
        > stop the sound of P9
        = dark
# Too short, too long, not installed.
26m   snooze mail 59s
        ! a snooze lasts 1m to 24h
26m   snooze mail 25h
        ! a snooze lasts 1m to 24h
26m   snooze post 1m
        ! no app 'post' is installed
26m   end-snooze post
        ! no app 'post' is installed
26m   end-snooze mail
        ! 'mail' is not snoozed
# As long as the setting says.
27m   set handset snooze 30m
        setting key=snooze value=30m
27m   snooze mail
        snoozed mail until=57m
27m   snoozes
        : mail until 57m
28m   uninstall mail
        uninstalled mail
28m   snoozes
        : none
# With notifications off nothing sounds when it is over.
29m   push news alert="Six" sound=default
        accepted news P10 type=alert
        presented news P10 style=banner listed=yes sound=default vibration=pulse
        > play the default sound for P10
        > vibrate pulse for P10
        = lamp blink since 29m, banner P10 News: "Six" until 29m5s
29m10s snooze news 1m
        at 29m5s
        = lamp blink since 29m
        at 29m10s
        snoozed news until=30m10s
        > stop the sound of P10
29m20s set handset notifications off
        setting key=notifications value=off
        > silence all
        = dark
31m   wait
        at 30m10s
        snooze-ended news reason=over rule=N12
