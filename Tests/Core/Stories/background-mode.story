story: Background updates are only for apps with the background mode
rules: U1, U2, U10, F3

# Low power: background updates are held.
0s    given condition low-power on; install news; register news badge alert
1s    push news background
        discarded news P1 reason=no-background-mode rule=U1
2s    held news
        : nothing
# The part for the person is presented all the same.
3s    push news alert="Headline" content-available
        presented news P2 style=banner listed=yes
        discarded news P2 reason=no-background-mode rule=U1
        = lamp blink since 3s, banner P2 News: "Headline" until 8s
# Nor is it delivered to one in the foreground.
10s   launch news
        at 8s
        = lamp blink since 3s
        at 10s
        lifecycle news state=foreground
        seen news count=1
        > stop the sound of P2
        = dark
11s   push news background
        discarded news P3 reason=no-background-mode rule=U1
12s   push news alert="To the app" content-available
        not-presented news P4 reason=foreground rule=N2
        delivered news P4 state=foreground
        completed news P4 result=noData
# The mode comes with a new bundle, and goes with one.
20s   background news
        lifecycle news state=background
21s   given install news background
22s   push news background
        held news P5 reason=low-power rule=U7
22s   held news
        : P5 until 30d22s
23s   install news
        discarded news P5 reason=no-background-mode rule=U1
        installed news
24s   held news
        : nothing
