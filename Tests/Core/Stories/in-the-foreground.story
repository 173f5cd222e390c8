story: While the app is in the foreground the system presents nothing and leaves the badge
rules: N2, U10, N10

0s    given install mail background sounds=letter; register mail badge sound alert
1s    push mail badge=2 alert="Before"
        badge mail P1 number=2
        presented mail P1 style=banner listed=yes
        = badge 2, lamp blink since 1s, banner P1 Mail: "Before" until 6s
2s    launch mail
        lifecycle mail state=foreground
        seen mail count=1
        > stop the sound of P1
        = badge 2
3s    push mail badge=5 alert="Now" sound=letter
        not-presented mail P2 reason=foreground rule=N2
        delivered mail P2 state=foreground
        completed mail P2 result=noData
4s    push mail badge=0
        not-presented mail P3 reason=foreground rule=N2
        delivered mail P3 state=foreground
        completed mail P3 result=noData
5s    push mail background
        delivered mail P4 state=foreground
        completed mail P4 result=noData
6s    held mail
        : nothing
7s    state mail
        : foreground, registered for badge,sound,alert, T1, badge 2
8s    center
        : P1 Mail: "Before"
# Another app comes to the foreground, and this one leaves it.
9s    given install news; register news badge alert
10s   launch news
        lifecycle mail state=background
        lifecycle news state=foreground
11s   push mail badge=6 alert="Later"
        badge mail P5 number=6
        presented mail P5 style=banner listed=yes
        = badge 6, lamp blink since 11s, banner P5 Mail: "Later" until 16s
