story: However an app is killed, what is held for it and what it was given is discarded
rules: U5, U8, U4

0s    given install mail background hooks; register mail alert; install chat background; register chat alert
# A process of it dies.
1s    push mail background
        lifecycle mail state=background
        delivered mail P1 state=background
        > give mail P1 in the background: {"push":1}
2s    given condition low-power on
3s    push mail background
        held mail P2 reason=low-power rule=U7
4s    die mail
        lifecycle mail state=notRunning
        discarded mail P2 reason=died rule=U5
        discarded mail P1 reason=died rule=U5
        > stop mail
5s    held mail
        : nothing
6s    offered mail
        : nothing
7s    die mail
        ! 'mail' is not running
8s    complete mail P1
        ! 'mail' has no push 00000000-0000-0000-0000-000000000001 to complete
# It is killed.
10s   given condition low-power off
11s   push mail background
        lifecycle mail state=background
        delivered mail P3 state=background
        > give mail P3 in the background: {"push":3}
12s   given condition low-power on
13s   push mail background
        held mail P4 reason=low-power rule=U7
14s   kill mail
        lifecycle mail state=notRunning
        discarded mail P4 reason=killed rule=U5
        discarded mail P3 reason=killed rule=U5
        > stop mail
15s   held mail
        : nothing
16s   offered mail
        : nothing
# It is force-quit, and woken no more.
20s   push mail background
        held mail P5 reason=low-power rule=U7
21s   launch mail
        lifecycle mail state=foreground
        delivered mail P5 state=foreground
        > launch mail
        > give mail P5 in the foreground: {"push":5}
22s   background mail
        lifecycle mail state=background
23s   push mail background
        held mail P6 reason=low-power rule=U7
24s   force-quit mail
        lifecycle mail state=forceQuit
        discarded mail P6 reason=force-quit rule=U5
        discarded mail P5 reason=force-quit rule=U5
        > stop mail
25s   held mail
        : nothing
26s   offered mail
        : nothing
27s   given condition low-power off
28s   push mail background
        discarded mail P7 reason=is-force-quit rule=U5
# A listener's connection ends, or its process dies, or it is killed: the same.
30s   listen chat background
        lifecycle chat state=background
31s   push chat background
        delivered chat P8 state=background
        > give chat P8 in the background: {"push":8}
32s   given condition low-power on
33s   push chat background
        held chat P9 reason=low-power rule=U7
34s   disconnect chat
        lifecycle chat state=notRunning
        discarded chat P9 reason=disconnected rule=U5
        discarded chat P8 reason=disconnected rule=U5
35s   given condition low-power off
36s   listen chat background
        lifecycle chat state=background
37s   push chat background
        delivered chat P10 state=background
        > give chat P10 in the background: {"push":10}
38s   given condition low-power on
39s   push chat background
        held chat P11 reason=low-power rule=U7
40s   die chat
        lifecycle chat state=notRunning
        discarded chat P11 reason=died rule=U5
        discarded chat P10 reason=died rule=U5
41s   disconnect chat
        ! 'chat' is not running
42s   given condition low-power off
43s   listen chat background
        lifecycle chat state=background
44s   push chat background
        delivered chat P12 state=background
        > give chat P12 in the background: {"push":12}
45s   push chat background
        held chat P13 reason=budget rule=U7
46s   kill chat
        lifecycle chat state=notRunning
        discarded chat P13 reason=killed rule=U5
        discarded chat P12 reason=killed rule=U5
        > stop chat
47s   held chat
        : nothing
48s   offered chat
        : nothing
# A new bundle without hooks has nothing to complete them with.
2h    push mail background
        discarded mail P14 reason=is-force-quit rule=U5
2h    launch mail
        lifecycle mail state=foreground
        > launch mail
2h1s  push mail background
        delivered mail P15 state=foreground
        > give mail P15 in the foreground: {"push":15}
2h2s  install mail background
        discarded mail P15 reason=no-receiver rule=U8
        installed mail
2h3s  offered mail
        : nothing
2h4s  uninstall chat
        uninstalled chat
