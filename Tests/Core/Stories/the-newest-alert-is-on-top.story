story: Several alerts queue, the newest on top; dismissing it shows the one below
rules: N7, N4, D1

0s    given install mail; register mail alert; set mail style alert; install news; register news alert
0s    given set news style alert
1s    push mail alert="One"
        presented mail P1 style=alert listed=yes
        = lamp blink since 1s, alert P1 Mail: "One" [Close, View]
2s    push news alert="Two"
        presented news P2 style=alert listed=yes
        = lamp blink since 2s, alert P2 News: "Two" [Close, View] over 1
3s    push mail alert="Three"
        presented mail P3 style=alert listed=yes
        = lamp blink since 3s, alert P3 Mail: "Three" [Close, View] over 2
4s    alerts
        : P3 Mail: "Three"
        : P2 News: "Two"
        : P1 Mail: "One"
5s    press close
        answered mail P3 button=close
        > stop the sound of P3
        = lamp blink since 3s, alert P2 News: "Two" [Close, View] over 1
6s    press close
        answered news P2 button=close
        > stop the sound of P2
        = lamp blink since 3s, alert P1 Mail: "One" [Close, View]
# Dismissed is seen, and still listed.
7s    center
        : P1 Mail: "One" unseen
        : P2 News: "Two"
        : P3 Mail: "Three"
8s    push news alert="Four"
        presented news P4 style=alert listed=yes
        = lamp blink since 8s, alert P4 News: "Four" [Close, View] over 1
9s    clear P4
        cleared news reason=by-person rule=N10 count=1
        > stop the sound of P4
        = lamp blink since 8s, alert P1 Mail: "One" [Close, View]
10s   press close
        answered mail P1 button=close
        > stop the sound of P1
        = dark
11s   press close
        button button=close press=short
        > silence all
12s   center
        : P1 Mail: "One"
        : P2 News: "Two"
        : P3 Mail: "Three"
