story: A provider takes back what it sent, by its collapse identifier
rules: N8, N10, A4

0s    given install mail sounds=bell; register mail badge sound alert; set mail style alert
1s    push mail alert="Washing is done" sound=default collapse=washing
        presented mail P1 style=alert listed=yes sound=default vibration=pulse
        > play the default sound for P1
        = lamp blink since 1s, alert P1 Mail: "Washing is done" [Close, View]
# Seen elsewhere: its alert ends, and the list keeps it.
2s    retract mail washing seen
        seen mail P1 count=1
        > stop the sound of P1
        = dark
3s    center
        : P1 Mail: "Washing is done"
4s    retract mail washing seen
# Removed.
5s    retract mail washing removed
        cleared mail reason=by-provider rule=N8 count=1
        > stop the sound of P1
6s    center
        : empty
7s    retract mail washing removed
# Where a banner shows it.
10s   given set mail style banner
11s   push mail alert="Door" collapse=door
        presented mail P2 style=banner listed=yes
        = lamp blink since 11s, banner P2 Mail: "Door" until 16s
12s   retract mail door seen
        seen mail P2 count=1
        > stop the sound of P2
        = dark
13s   center
        : P2 Mail: "Door"
# Where only a banner shows it.
20s   set mail show-in-notification-center off
        setting mail key=show-in-notification-center value=off
        cleared mail reason=not-allowed rule=S1 count=1
21s   push mail alert="Door again" collapse=gate
        presented mail P3 style=banner listed=no
        = banner P3 Mail: "Door again" until 26s
22s   retract mail gate seen
        seen mail P3 count=1
        > stop the sound of P3
        = dark
23s   push mail alert="Door again" collapse=gate
        presented mail P4 style=banner listed=no
        = banner P4 Mail: "Door again" until 28s
24s   retract mail gate removed
        cleared mail reason=by-provider rule=N8 count=1
        > stop the sound of P4
        = dark
# Where it has not arrived, and where it is due later.
30s   given condition offline on
31s   push mail alert="Offline" collapse=away expires=1h
        kept mail P5 reason=offline rule=F1
32s   retract mail other removed
33s   retract mail away seen
34s   kept mail
        : P5 until 1h31s
35s   retract mail away removed
        discarded mail P5 reason=retracted rule=N8
36s   kept mail
        : nothing
40s   schedule mail later in=1h alert="Later"
        scheduled mail P6 identifier=later due=1h40s
41s   retract mail later seen
42s   scheduled mail
        : later P6 due 1h40s
43s   retract mail later removed
        unscheduled mail P6 identifier=later reason=retracted rule=N8
44s   scheduled mail
        : nothing
50s   retract male away removed
        ! no app 'male' is installed
