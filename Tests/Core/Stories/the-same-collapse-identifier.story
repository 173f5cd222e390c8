story: The same collapse identifier replaces the earlier notification of that app, and is new: first in the list, its lamp shows
rules: N8, D1

0s    given install mail; register mail alert badge; install news; register news alert
1s    push mail alert="Score 0:0" collapse=match
        presented mail P1 style=banner listed=yes
        = lamp blink since 1s, banner P1 Mail: "Score 0:0" until 6s
2s    push mail alert="Another"
        presented mail P2 style=banner listed=yes
        = lamp blink since 2s, banner P2 Mail: "Another" until 7s
3s    push news alert="Of another app" collapse=match
        presented news P3 style=banner listed=yes
        = lamp blink since 3s, banner P3 News: "Of another app" until 8s
4s    push mail alert="Score 1:0" collapse=match level=time-sensitive
        presented mail P4 style=banner listed=yes replaces=P1
        > stop the sound of P1
        = lamp double since 4s, banner P4 Mail: "Score 1:0" until 9s
5s    center
        : P2 Mail: "Another" unseen
        : P3 News: "Of another app" unseen
        : P4 Mail: "Score 1:0" unseen
6s    push mail alert="Score 2:0" collapse=match
        presented mail P5 style=banner listed=yes replaces=P4
        > stop the sound of P4
        = lamp blink since 6s, banner P5 Mail: "Score 2:0" until 11s
7s    center
        : P2 Mail: "Another" unseen
        : P3 News: "Of another app" unseen
        : P5 Mail: "Score 2:0" unseen
20s   clear P5
        at 11s
        = lamp blink since 6s
        at 20s
        cleared mail reason=by-person rule=N10 count=1
        > stop the sound of P5
21s   push mail alert="Score 3:0" collapse=match
        presented mail P6 style=banner listed=yes
        = lamp blink since 21s, banner P6 Mail: "Score 3:0" until 26s
22s   center
        : P2 Mail: "Another" unseen
        : P3 News: "Of another app" unseen
        : P6 Mail: "Score 3:0" unseen
# As alerts.
30s   set mail style alert
        at 26s
        = lamp blink since 21s
        at 30s
        setting mail key=style value=alert
31s   push mail alert="Call 1" collapse=call
        presented mail P7 style=alert listed=yes
        = lamp blink since 31s, alert P7 Mail: "Call 1" [Close, View]
32s   push mail alert="Mail"
        presented mail P8 style=alert listed=yes
        = lamp blink since 32s, alert P8 Mail: "Mail" [Close, View] over 1
33s   push mail alert="Call 2" collapse=call no-action
        presented mail P9 style=alert listed=yes replaces=P7
        > stop the sound of P7
        = lamp blink since 33s, alert P9 Mail: "Call 2" [OK] over 1
34s   alerts
        : P9 Mail: "Call 2"
        : P8 Mail: "Mail"
35s   press close
        answered mail P9 button=close
        > stop the sound of P9
        = lamp blink since 33s, alert P8 Mail: "Mail" [Close, View]
36s   push mail alert="Call 3" collapse=call
        presented mail P10 style=alert listed=yes replaces=P9
        > stop the sound of P9
        = lamp blink since 36s, alert P10 Mail: "Call 3" [Close, View] over 1
37s   center
        : P2 Mail: "Another" unseen
        : P3 News: "Of another app" unseen
        : P6 Mail: "Score 3:0" unseen
        : P8 Mail: "Mail" unseen
        : P10 Mail: "Call 3" unseen
# Where only a banner shows it.
40s   set mail show-in-notification-center off
        setting mail key=show-in-notification-center value=off
        cleared mail reason=not-allowed rule=S1 count=4
40s   given set mail style banner
41s   push mail alert="Gate 1" collapse=gate
        presented mail P11 style=banner listed=no
        = lamp blink since 36s, banner P11 Mail: "Gate 1" until 46s, alert P10 Mail: "Call 3" [Close, View] over 1
42s   push mail alert="Gate 2" collapse=gate
        presented mail P12 style=banner listed=no replaces=P11
        > stop the sound of P11
        = lamp blink since 36s, banner P12 Mail: "Gate 2" until 47s, alert P10 Mail: "Call 3" [Close, View] over 1
43s   given set mail show-in-notification-center on
44s   push mail alert="Gate 3" collapse=gate
        presented mail P13 style=banner listed=yes replaces=P12
        > stop the sound of P12
        = lamp blink since 44s, banner P13 Mail: "Gate 3" until 49s, alert P10 Mail: "Call 3" [Close, View] over 1
60s   center
        at 49s
        = lamp blink since 44s, alert P10 Mail: "Call 3" [Close, View] over 1
        at 1m
        : P3 News: "Of another app" unseen
        : P13 Mail: "Gate 3" unseen
