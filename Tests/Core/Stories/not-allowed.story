story: An app that is not allowed to notify is held back altogether, but for background updates
rules: S1, S4, U2

0s    given install mail background sounds=letter; register mail badge sound alert; set mail style alert
1s    push mail badge=2 alert="One"
        badge mail P1 number=2
        presented mail P1 style=alert listed=yes
        = badge 2, lamp blink since 1s, alert P1 Mail: "One" [Close, View]
2s    set mail allow-notifications off
        setting mail key=allow-notifications value=off
        cleared mail reason=not-allowed rule=S1 count=1
        > stop the sound of P1
        = dark
3s    center
        : empty
4s    push mail badge=5 alert="Two" sound=letter
        badge mail P2 number=5
        not-presented mail P2 reason=app-not-allowed rule=S1
5s    push mail background
        lifecycle mail state=background
        delivered mail P3 state=background
        completed mail P3 result=noData
6s    held mail
        : nothing
7s    given set mail allow-notifications on
        = badge 5
8s    center
        : empty
