story: A long press of View snoozes the app of the alert on top, or all
rules: N12, D2
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
