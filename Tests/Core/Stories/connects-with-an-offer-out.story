story: What an app was given before the handset heard of its connection has the time of a listening app from then on
rules: U8, U6

0s    given install chat background hooks; register chat alert
1s    push chat background
        lifecycle chat state=background
        delivered chat P1 state=background
        > give chat P1 in the background: {"push":1}
2s    offered chat
        : P1, attempt 1
# It connects while the push is on its way.
10s   listen chat background
10s   offered chat
        : P1, attempt 1, to complete by 40s
# To say where it is begins nothing anew.
20s   listen chat foreground
        lifecycle chat state=foreground
20s   offered chat
        : P1, attempt 1, to complete by 40s
45s   wait
        at 40s
        timed-out chat P1 reason=not-completed rule=U8
        lifecycle chat state=notRunning
        > stop chat
46s   offered chat
        : nothing
# The person opens an app that is connected: it is told.
50s   listen chat background
        lifecycle chat state=background
51s   launch chat
        lifecycle chat state=foreground
        > launch chat
52s   launch chat
53s   background chat
        lifecycle chat state=background
        > tell chat that it left the foreground
54s   push chat alert="A letter"
        presented chat P2 style=banner listed=yes
        = lamp blink since 54s, banner P2 Chat: "A letter" until 59s
55s   given set chat style alert
56s   push chat alert="Another"
        presented chat P3 style=alert listed=yes
        = lamp blink since 56s, banner P2 Chat: "A letter" until 59s, alert P3 Chat: "Another" [Close, View]
57s   press view
        answered chat P3 button=view
        lifecycle chat state=foreground
        seen chat count=1
        cleared chat P3 reason=notification-opened rule=N10 count=1
        > stop the sound of P3
        > launch chat with P3
        > stop the sound of P2
        > stop the sound of P3
        = dark
