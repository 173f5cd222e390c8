story: Pushes of the types of which nothing is presented wake their app at once
rules: T1, U5, U7, U8, R1
# An app that names no background modes has them all, and they use no budget, also in low power.
0s    given install mail hooks; register mail alert; condition low-power on
1s    push mail type=voip alert="Anna calls"
        lifecycle mail state=background
        delivered mail P1 state=background
        > give mail P1 in the background, of type voip: {"push":1}
1s    explain P1
        : R4 the token is the app's
        : F1 the handset is online: it arrives
        : R1 the app is registered
        : T1 the app takes pushes of its type, of which nothing is presented
2s    complete mail P1
        completed mail P1 result=newData
3s    push mail type=location
        delivered mail P2 state=background
        > give mail P2 in the background, of type location: {"push":2}
4s    push mail type=fileprovider
        delivered mail P3 state=background
        > give mail P3 in the background, of type fileprovider: {"push":3}
5s    complete mail P2
        completed mail P2 result=newData
6s    complete mail P3
        completed mail P3 result=newData
7s    budget mail
        : unused
# One that names modes has those only. Device management is the system's, and needs none.
10s   given install news hooks modes=voip; register news alert
11s   push news type=location
        discarded news P4 reason=no-type-mode rule=T1
11s   explain P4 unlike P2
        : - T1 the app takes pushes of its type, of which nothing is presented
        : + T1 the app names background modes, and none for its type
12s   push news type=mdm
        lifecycle news state=background
        delivered news P5 state=background
        > give news P5 in the background, of type mdm: {"push":5}
13s   complete news P5
        completed news P5 result=newData
14s   given install chat modes=none; register chat alert
15s   push chat type=voip
        discarded chat P6 reason=no-type-mode rule=T1
16s   push chat type=mdm
        lifecycle chat state=background
        delivered chat P7 state=background
        completed chat P7 result=noData
# An app in the foreground has them there.
20s   launch mail
        lifecycle mail state=foreground
        > launch mail
21s   push mail type=voip
        delivered mail P8 state=foreground
        > give mail P8 in the foreground, of type voip: {"push":8}
22s   complete mail P8
        completed mail P8 result=newData
23s   push news type=location
        discarded news P9 reason=no-type-mode rule=T1
# VoIP and device management wake also an app that the person has force-quit.
30s   force-quit mail
        lifecycle mail state=forceQuit
        > stop mail
31s   push mail type=location
        discarded mail P10 reason=is-force-quit rule=U5
32s   push mail type=pushtotalk
        discarded mail P11 reason=is-force-quit rule=U5
33s   push mail type=voip
        lifecycle mail state=background
        delivered mail P12 state=background
        > give mail P12 in the background, of type voip: {"push":12}
34s   complete mail P12
        completed mail P12 result=newData
35s   force-quit mail
        lifecycle mail state=forceQuit
        > stop mail
36s   push mail type=mdm
        lifecycle mail state=background
        delivered mail P13 state=background
        > give mail P13 in the background, of type mdm: {"push":13}
37s   complete mail P13
        completed mail P13 result=newData
# An app that listens and is not connected has them when it connects.
40s   given install game; register game alert
41s   listen game background
        lifecycle game state=background
42s   push game type=voip
        delivered game P14 state=background
        > give game P14 in the background, of type voip: {"push":14}
43s   offered game
        : P14, attempt 1, of type voip, to complete by 47s
44s   complete game P14
        completed game P14 result=newData
45s   disconnect game
        lifecycle game state=notRunning
46s   force-quit game
        lifecycle game state=forceQuit
47s   push game type=voip expires=1m
        lifecycle game state=notRunning
        held game P15 reason=not-connected rule=U8
47s   explain P15 unlike P14
        : + U8 the app listens and is not connected
48s   offered game
        : P15, attempt 0, of type voip, waits
49s   listen game background
        lifecycle game state=background
        delivered game P15 state=background
        > give game P15 in the background, of type voip: {"push":15}
50s   offered game
        : P15, attempt 1, of type voip, to complete by 54s
51s   complete game P15
        completed game P15 result=newData
# Once more after a restart.
60s   push news type=voip
        delivered news P16 state=background
        > give news P16 in the background, of type voip: {"push":16}
61s   restart
        lifecycle game state=notRunning
        lifecycle mail state=notRunning
        lifecycle news state=notRunning
        lifecycle news state=background
        delivered news P16 state=background attempt=2
        > give news P16 in the background, attempt 2, of type voip: {"push":16}
62s   complete news P16
        completed news P16 result=newData
# An app that has not registered has none of them.
70s   given install late
71s   push late type=voip
        discarded late P17 reason=not-registered rule=R1
