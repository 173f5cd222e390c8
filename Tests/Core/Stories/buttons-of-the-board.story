story: Close without an alert silences and marks as seen; held long it clears Notification Center
rules: D2, N10, A4, N4

0s    given install mail sounds=letter; register mail badge sound alert; install news; register news alert
1s    push mail alert="One" badge=2 sound=letter
        badge mail P1 number=2
        presented mail P1 style=banner listed=yes sound=letter vibration=pulse
        > play mail's letter for P1
        = badge 2, lamp blink since 1s, banner P1 Mail: "One" until 6s
2s    push news alert="Two" level=critical
        presented news P2 style=banner listed=yes
        = badge 2, lamp sos since 2s, banner P2 News: "Two" until 7s
3s    push news alert="Three" level=passive
        presented news P3 style=banner listed=yes
        = badge 2, lamp sos since 2s, banner P3 News: "Three" until 8s
3s    press close
        button button=close press=short
        seen count=3
        > silence all
        = badge 2, banner P3 News: "Three" until 8s
4s    center
        : P1 Mail: "One"
        : P2 News: "Two"
        : P3 News: "Three"
5s    press close
        button button=close press=short
        > silence all
6s    press view
        ! no alert is up
# With an alert up, close is the alert's.
7s    given set news style alert
8s    push mail alert="Four"
        at 8s
        = badge 2
        presented mail P4 style=banner listed=yes
        = badge 2, lamp blink since 8s, banner P4 Mail: "Four" until 13s
9s    push news alert="Five"
        presented news P5 style=alert listed=yes
        = badge 2, lamp blink since 9s, banner P4 Mail: "Four" until 13s, alert P5 News: "Five" [Close, View]
10s   press close
        answered news P5 button=close
        > stop the sound of P5
        = badge 2, lamp blink since 9s, banner P4 Mail: "Four" until 13s
11s   center
        : P1 Mail: "One"
        : P2 News: "Two"
        : P3 News: "Three"
        : P4 Mail: "Four" unseen
        : P5 News: "Five"
12s   push news alert="Six"
        presented news P6 style=alert listed=yes
        = badge 2, lamp blink since 12s, banner P4 Mail: "Four" until 13s, alert P6 News: "Six" [Close, View]
13s   press view long
        at 13s
        = badge 2, lamp blink since 12s, alert P6 News: "Six" [Close, View]
        button button=view press=long
        snoozed news until=10m13s
        > stop the sound of P6
14s   background news
        lifecycle news state=background
15s   push news alert="Seven"
        presented news P7 style=alert listed=yes
        = badge 2, lamp blink since 15s, alert P7 News: "Seven" [Close, View] over 1
# Held long: everything goes, the alert too; the badge is not the person's to clear.
16s   press close long
        button button=close press=long
        cleared mail reason=by-person rule=N10 count=2
        cleared news reason=by-person rule=N10 count=5
        > stop the sound of P1
        > stop the sound of P4
        > stop the sound of P2
        > stop the sound of P3
        > stop the sound of P5
        > stop the sound of P6
        > stop the sound of P7
        = badge 2
17s   center
        : empty
18s   press close long
        button button=close press=long
