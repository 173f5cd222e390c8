story: Past its 30 seconds an app is stopped, it counts against the budget, and what is held stays held
rules: U8, U7, U4

0s    given install mail background hooks; register mail alert; install chat background; register chat alert
# A hook: the host counts, and stops it.
1s    push mail background
        lifecycle mail state=background
        delivered mail P1 state=background
        > give mail P1 in the background: {"push":1}
2s    push mail background
        delivered mail P2 state=background
        > give mail P2 in the background: {"push":2}
31s   timeout mail P1
        timed-out mail P1 reason=not-completed rule=U8
31s   state mail
        : background, registered for alert, T1, badge 0
32s   timeout mail P2
        timed-out mail P2 reason=not-completed rule=U8
        lifecycle mail state=notRunning
33s   state mail
        : notRunning, registered for alert, T1, badge 0
34s   offered mail
        : nothing
# The budget was spent when it was delivered, and is not spent twice.
35s   budget mail
        : 1s, 2s
# One that cost nothing counts now.
36s   given condition low-power on
37s   push mail background
        held mail P3 reason=low-power rule=U7
38s   launch mail
        lifecycle mail state=foreground
        delivered mail P3 state=foreground
        > launch mail
        > give mail P3 in the foreground: {"push":3}
39s   background mail
        lifecycle mail state=background
40s   push mail background
        held mail P4 reason=low-power rule=U7
1m8s  timeout mail P3
        timed-out mail P3 reason=not-completed rule=U8
        lifecycle mail state=notRunning
1m9s  budget mail
        : 1s, 2s, 1m8s; free at 1h1s
1m10s  held mail
        : P4 until 30d40s
1m11s given condition low-power off
1m12s  held mail
        : P4 until 30d40s, due 1h1s
1m13s  restart
1m14s  offered mail
        : nothing
# A listener: the handset counts, to the microsecond, and all that it was given ends with it.
2h    listen chat background
        at 1h1s
        lifecycle mail state=background
        delivered mail P4 state=background
        > give mail P4 in the background: {"push":4}
        at 2h
        lifecycle chat state=background
2h1s  push chat background
        delivered chat P5 state=background
        > give chat P5 in the background: {"push":5}
2h5s  push chat background
        delivered chat P6 state=background
        > give chat P6 in the background: {"push":6}
2h6s  given condition low-power on
2h7s  push chat background
        held chat P7 reason=low-power rule=U7
2h8s  offered chat
        : P5, attempt 1, to complete by 2h31s
        : P6, attempt 1, to complete by 2h35s
2h30s999ms  offered chat
        : P5, attempt 1, to complete by 2h31s
        : P6, attempt 1, to complete by 2h35s
2h31s  offered chat
        at 2h31s
        timed-out chat P5 reason=not-completed rule=U8
        lifecycle chat state=notRunning
        discarded chat P6 reason=stopped rule=U8
        > stop chat
        : nothing
2h32s  state chat
        : notRunning, registered for alert, T3, badge 0
2h33s  held chat
        : P7 until 30d2h7s
# It is stopped, not killed: what is held waits until it is there again.
2h34s given condition low-power off
2h35s  held chat
        : P7 until 30d2h7s
2h36s  complete chat P6
        ! 'chat' has no push 00000000-0000-0000-0000-000000000006 to complete
2h37s  listen chat background
        lifecycle chat state=background
        delivered chat P7 state=background
        > give chat P7 in the background: {"push":7}
2h38s  complete chat P7 result=noData
        completed chat P7 result=noData
# In the foreground the same.
2h40s  listen chat foreground
        lifecycle chat state=foreground
2h41s  push chat alert="Hello"
        not-presented chat P8 reason=foreground rule=N2
        delivered chat P8 state=foreground
        > give chat P8 in the foreground: {"push":8}
2h42s  budget chat
        : 2h1s, 2h5s, 2h37s; free at 3h1s
3h    wait
        at 2h1m11s
        timed-out chat P8 reason=not-completed rule=U8
        lifecycle chat state=notRunning
        > stop chat
3h    budget chat
        : 2h5s, 2h37s, 2h1m11s; free at 3h5s
# What is held for want of budget has nobody to go to once its app was stopped, until it is there again.
5h    conditions
        : none
5h1s  listen chat background
        lifecycle chat state=background
5h2s  push chat background
        delivered chat P9 state=background
        > give chat P9 in the background: {"push":9}
5h3s  push chat background
        delivered chat P10 state=background
        > give chat P10 in the background: {"push":10}
5h4s  push chat background
        delivered chat P11 state=background
        > give chat P11 in the background: {"push":11}
5h5s  push chat background
        held chat P12 reason=budget rule=U7
5h6s  held chat
        : P12 until 30d5h5s, due 6h2s
5h1m  held chat
        at 5h32s
        timed-out chat P9 reason=not-completed rule=U8
        lifecycle chat state=notRunning
        discarded chat P10 reason=stopped rule=U8
        discarded chat P11 reason=stopped rule=U8
        > stop chat
        at 5h1m
        : P12 until 30d5h5s
7h    held chat
        : P12 until 30d5h5s
7h1s  listen chat background
        lifecycle chat state=background
        delivered chat P12 state=background
        > give chat P12 in the background: {"push":12}
