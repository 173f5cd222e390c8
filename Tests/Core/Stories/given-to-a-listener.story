story: An app that listens is given its updates over its connection, and they wait for it to connect
rules: U8, U10, U6, U5, N2, N10

0s    given install chat background; register chat alert
# Until it has ever connected, a script plays it.
1s    push chat background
        lifecycle chat state=background
        delivered chat P1 state=background
        completed chat P1 result=noData
2s    listen chat background
3s    push chat background
        delivered chat P2 state=background
        > give chat P2 in the background: {"push":2}
4s    complete chat P2
        completed chat P2 result=newData
5s    push chat alert="One" content-available
        presented chat P3 style=banner listed=yes
        delivered chat P3 state=background
        > give chat P3 in the background: {"push":3}
        = lamp blink since 5s, banner P3 Chat: "One" until 10s
6s    complete chat P3 result=failed
        completed chat P3 result=failed
# It declares itself opened.
7s    listen chat foreground
        lifecycle chat state=foreground
        seen chat count=1
        > stop the sound of P3
        = dark
8s    push chat alert="Two"
        not-presented chat P4 reason=foreground rule=N2
        delivered chat P4 state=foreground
        > give chat P4 in the foreground: {"push":4}
9s    complete chat P4
        completed chat P4 result=newData
10s   push chat background
        delivered chat P5 state=foreground
        > give chat P5 in the foreground: {"push":5}
11s   listen chat background
        lifecycle chat state=background
12s   complete chat P5
        completed chat P5 result=newData
# Its connection ends: as killed.
13s   push chat background
        held chat P6 reason=budget rule=U7
14s   held chat
        : P6 until 30d13s, due 1h1s
15s   launch chat
        lifecycle chat state=foreground
        delivered chat P6 state=foreground
        > launch chat
        > give chat P6 in the foreground: {"push":6}
16s   push chat background
        delivered chat P7 state=foreground
        > give chat P7 in the foreground: {"push":7}
17s   disconnect chat
        lifecycle chat state=notRunning
        discarded chat P6 reason=disconnected rule=U5
        discarded chat P7 reason=disconnected rule=U5
18s   disconnect chat
        ! 'chat' is not running
19s   state chat
        : notRunning, registered for alert, T1, badge 0
20s   offered chat
        : nothing
# What comes now waits for it, whatever the budget.
21s   push chat background
        held chat P8 reason=not-connected rule=U8
22s   push chat background
        discarded chat P8 reason=replaced rule=U4 replacedBy=P9
        held chat P9 reason=not-connected rule=U8
23s   held chat
        : P9 until 30d22s
# Opened by hand it is not there either; it does not listen, and ignores what is for the person.
24s   launch chat
        lifecycle chat state=foreground
25s   held chat
        : P9 until 30d22s
26s   push chat alert="Three"
        not-presented chat P10 reason=foreground rule=N2
        discarded chat P10 reason=not-listening rule=N2
27s   push chat
        discarded chat P11 reason=not-listening rule=N2
28s   listen chat foreground
        delivered chat P9 state=foreground
        > give chat P9 in the foreground: {"push":9}
29s   complete chat P9
        completed chat P9 result=newData
# It cannot start itself in the background after the person has quit it, but in the foreground.
30s   force-quit chat
        lifecycle chat state=forceQuit
        > stop chat
31s   listen chat background
        ! 'chat' is not running
32s   listen chat forceQuit
        ! 'chat' is not running
33s   listen chat notRunning
        ! 'chat' is not running
34s   listen chat foreground
        lifecycle chat state=foreground
35s   state chat
        : foreground, registered for alert, T1, badge 0
36s   uninstall chat
        uninstalled chat
        > stop chat
        > stop the sound of P3
