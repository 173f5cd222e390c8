story: A long press of View snoozes the app of the alert on top, or all
rules: N12, F4, D2
0s    given install mail sounds=letter; register mail badge sound alert; set mail style alert
1s    press view long
        button button=view press=long
        snoozed until=10m1s
        > silence all
2s    snoozes
        : all until 10m1s
3s    end-snooze all
        snooze-ended reason=by-person rule=N12
4s    push mail alert="One" sound=letter
        presented mail P1 style=alert listed=yes sound=letter vibration=pulse
        > play mail's letter for P1
        = lamp blink since 4s, alert P1 Mail: "One" [Close, View]
5s    press view long
        button button=view press=long
        snoozed mail until=10m5s
        > stop the sound of P1
5s    snoozes
        : mail until 10m5s
6s    alerts
        : P1 Mail: "One"
20m   wait
        at 10m5s
        snooze-ended mail reason=over rule=N12
        repeated mail P1 sound=letter vibration=pulse
        > play mail's letter for P1
# Where the service does not deliver at once it fetches while no alert is up, and snoozes the alert's app while one is.
21m   press close
        answered mail P1 button=close
        > stop the sound of P1
        = dark
21m1s  given set handset fetch-mode manual
21m2s  push mail alert="Two" sound=letter
        kept mail P2 reason=fetch-manual rule=S3
21m3s  press view long
        button button=view press=long
        fetched reason=by-person rule=F4 count=1
        arrived mail P2
        presented mail P2 style=alert listed=yes sound=letter vibration=pulse
        > play mail's letter for P2
        = lamp blink since 21m3s, alert P2 Mail: "Two" [Close, View]
21m4s  press view long
        button button=view press=long
        snoozed mail until=31m4s
        > stop the sound of P2
21m5s  press close
        answered mail P2 button=close
        > stop the sound of P2
        = dark
21m6s  press view long
        button button=view press=long
        fetched reason=by-person rule=F4 count=0
