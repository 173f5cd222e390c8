story: After a restart of the daemon or a boot what is held is kept, and what was offered is offered once more
rules: U9, U5, U4, U8, D4

0s    given install mail background hooks; register mail alert; install news background hooks; register news alert
0s    given install chat background; register chat alert
# Mail and chat are given one each, and another is held; news is force-quit.
1s    push mail background
        lifecycle mail state=background
        delivered mail P1 state=background
        > give mail P1 in the background: {"push":1}
2s    listen chat background
        lifecycle chat state=background
3s    push chat background
        delivered chat P2 state=background
        > give chat P2 in the background: {"push":2}
4s    given condition low-power on
5s    push mail background
        held mail P3 reason=low-power rule=U7
6s    push chat background
        held chat P4 reason=low-power rule=U7
7s    force-quit news
        lifecycle news state=forceQuit
8s    restart
        lifecycle chat state=notRunning
        lifecycle mail state=notRunning
        lifecycle mail state=background
        delivered mail P1 state=background attempt=2
        > give mail P1 in the background, attempt 2: {"push":1}
9s    offered mail
        : P1, attempt 2
10s   offered chat
        : P2, attempt 1, waits
11s   held mail
        : P3 until 30d5s
12s   held chat
        : P4 until 30d6s
13s   push news background
        discarded news P5 reason=is-force-quit rule=U5
14s   budget mail
        : 1s
# Once, and not again.
15s   complete mail P1
        completed mail P1 result=newData
15s   held mail
        : P3 until 30d5s
16s   complete chat P2
        ! 'chat' has no push 00000000-0000-0000-0000-000000000002 to complete
17s   restart
        lifecycle mail state=notRunning
18s   listen chat background
        lifecycle chat state=background
        delivered chat P2 state=background attempt=2
        > give chat P2 in the background, attempt 2: {"push":2}
19s   offered chat
        : P2, attempt 2, to complete by 48s
20s   condition low-power off
        condition condition=low-power on=no
        delivered chat P4 state=background
        lifecycle mail state=background
        delivered mail P3 state=background
        > give chat P4 in the background: {"push":4}
        > give mail P3 in the background: {"push":3}
21s   offered mail
        : P3, attempt 1
22s   complete chat P4
        completed chat P4 result=newData
# The board boots: the same, and force-quit is forgotten.
23s   boot
        lifecycle chat state=notRunning
        lifecycle mail state=notRunning
        lifecycle news state=notRunning
        discarded chat P2 reason=offered-twice rule=U8
        lifecycle mail state=background
        delivered mail P3 state=background attempt=2
        > give mail P3 in the background, attempt 2: {"push":3}
24s   offered mail
        : P3, attempt 2
25s   push news background
        lifecycle news state=background
        delivered news P6 state=background
        > give news P6 in the background: {"push":6}
26s   restart
        lifecycle mail state=notRunning
        lifecycle news state=notRunning
        discarded mail P3 reason=offered-twice rule=U8
        lifecycle news state=background
        delivered news P6 state=background attempt=2
        > give news P6 in the background, attempt 2: {"push":6}
27s   offered mail
        : nothing
28s   offered news
        : P6, attempt 2
29s   boot
        lifecycle news state=notRunning
        discarded news P6 reason=offered-twice rule=U8
30s   offered news
        : nothing
# A listener that has not come back by its update's expiration gets it no more.
40s   listen chat background
        lifecycle chat state=background
41s   push chat background expires=1h
        delivered chat P7 state=background
        > give chat P7 in the background: {"push":7}
42s   boot
        lifecycle chat state=notRunning
43s   offered chat
        : P7, attempt 1, waits
43s   complete chat P7
        ! 'chat' has no push 00000000-0000-0000-0000-000000000007 to complete
50m   restart
1h41s  wait
        at 1h41s
        discarded chat P7 reason=expired rule=U9
1h42s  listen chat background
        lifecycle chat state=background
1h43s  offered chat
        : nothing
# Hooks that come with a new bundle are as good as a connection.
1h43s  push chat background
        delivered chat P8 state=background
        > give chat P8 in the background: {"push":8}
1h43s  restart
        lifecycle chat state=notRunning
1h43s  install chat background hooks
        installed chat
        lifecycle chat state=background
        delivered chat P8 state=background attempt=2
        > give chat P8 in the background, attempt 2: {"push":8}
1h44s  complete chat P8
        completed chat P8 result=newData
# Nor is one offered again that expired while nothing ran.
1h45s  push news background expires=1m
        lifecycle news state=background
        delivered news P9 state=background
        > give news P9 in the background: {"push":9}
1h46s  complete news P9
        completed news P9 result=newData
1h47s  push news background expires=1m
        delivered news P10 state=background
        > give news P10 in the background: {"push":10}
2h    restart late
        lifecycle chat state=notRunning
        lifecycle news state=notRunning
        discarded news P10 reason=expired rule=U9
