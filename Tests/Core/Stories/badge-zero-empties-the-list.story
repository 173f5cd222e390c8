story: A badge of zero removes the app's notifications; one in the same push is listed after that
rules: B3, B2, N3, D1

0s    given install mail; register mail badge sound alert; install news; register news badge alert
1s    push mail badge=2 alert="One"
        badge mail P1 number=2
        presented mail P1 style=banner listed=yes
        = badge 2, lamp blink since 1s, banner P1 Mail: "One" until 6s
2s    push mail badge=2 alert="Two"
        badge mail P2 number=2
        presented mail P2 style=banner listed=yes
        = badge 2, lamp blink since 2s, banner P2 Mail: "Two" until 7s
3s    push news badge=1 alert="Headline"
        badge news P3 number=1
        presented news P3 style=banner listed=yes
        = badge 3, lamp blink since 3s, banner P3 News: "Headline" until 8s
4s    center
        : P1 Mail: "One" unseen
        : P2 Mail: "Two" unseen
        : P3 News: "Headline" unseen
5s    push mail badge=0 alert="All read"
        badge mail P4 number=0
        cleared mail P4 reason=badge-zero rule=B3 count=2
        presented mail P4 style=banner listed=yes
        = badge 1, lamp blink since 5s, banner P4 Mail: "All read" until 10s
6s    center
        : P3 News: "Headline" unseen
        : P4 Mail: "All read" unseen
20s   push mail badge=0
        at 10s
        = badge 1, lamp blink since 5s
        at 20s
        badge mail P5 number=0
        cleared mail P5 reason=badge-zero rule=B3 count=1
21s   center
        : P3 News: "Headline" unseen
22s   push mail badge=0
        badge mail P6 number=0
# An alert stays until acted on: zero takes it out of the list only.
30s   given set mail style alert
31s   push mail badge=5 alert="Answer me"
        badge mail P7 number=5
        presented mail P7 style=alert listed=yes
        = badge 6, lamp blink since 31s, alert P7 Mail: "Answer me" [Close, View]
32s   push mail badge=0
        badge mail P8 number=0
        cleared mail P8 reason=badge-zero rule=B3 count=1
        = badge 1, lamp blink since 31s, alert P7 Mail: "Answer me" [Close, View]
33s   center
        : P3 News: "Headline" unseen
34s   alerts
        : P7 Mail: "Answer me"
35s   push news badge=0
        badge news P9 number=0
        cleared news P9 reason=badge-zero rule=B3 count=1
        = alert P7 Mail: "Answer me" [Close, View]
36s   press close
        answered mail P7 button=close
        > stop the sound of P7
        = dark
