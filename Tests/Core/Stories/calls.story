story: An app that leaves three calls in a row unanswered has no more until the person opens it
rules: T2, U8
0s    given install mail hooks; register mail alert; install chat; register chat alert
1s    listen chat background
        lifecycle chat state=background
# A listening app has five seconds, and is stopped then.
2s    push chat type=voip
        delivered chat P1 state=background
        > give chat P1 in the background, of type voip: {"push":1}
2s    offered chat
        : P1, attempt 1, of type voip, to complete by 7s
8s    wait
        at 7s
        timed-out chat P1 reason=call-not-completed rule=T2
        lifecycle chat state=notRunning
        > stop chat
9s    counted chat
        : 1 voip since 7s
10s   listen chat background
        lifecycle chat state=background
# A call that is answered begins the count anew.
11s   push chat type=voip
        delivered chat P2 state=background
        > give chat P2 in the background, of type voip: {"push":2}
12s   complete chat P2
        completed chat P2 result=newData
12s   counted chat
        : nothing
# The host counts the seconds of a hook.
20s   push mail type=voip
        lifecycle mail state=background
        delivered mail P3 state=background
        > give mail P3 in the background, of type voip: {"push":3}
26s   timeout mail P3
        timed-out mail P3 reason=call-not-completed rule=T2
        lifecycle mail state=notRunning
27s   push mail type=voip
        lifecycle mail state=background
        delivered mail P4 state=background
        > give mail P4 in the background, of type voip: {"push":4}
33s   timeout mail P4
        timed-out mail P4 reason=call-not-completed rule=T2
        lifecycle mail state=notRunning
33s   counted mail
        : 2 voip since 26s
34s   restart
        lifecycle chat state=notRunning
35s   push mail type=voip
        lifecycle mail state=background
        delivered mail P5 state=background
        > give mail P5 in the background, of type voip: {"push":5}
41s   timeout mail P5
        timed-out mail P5 reason=call-not-completed rule=T2
        lifecycle mail state=notRunning
42s   push mail type=voip
        discarded mail P6 reason=calls-unanswered rule=T2
42s   explain P6
        : R4 the token is the app's
        : F1 the handset is online: it arrives
        : R1 the app is registered
        : T1 the app takes pushes of its type, of which nothing is presented
        : T2 the app left 3 calls in a row unanswered, and was not opened since
43s   budget mail
        : unused
# Other types are not concerned, and each type of calls has a count of its own.
44s   push mail type=pushtotalk
        lifecycle mail state=background
        delivered mail P7 state=background
        > give mail P7 in the background, of type pushtotalk: {"push":7}
45s   timeout mail P7
        timed-out mail P7 reason=call-not-completed rule=T2
        lifecycle mail state=notRunning
46s   push mail type=fileprovider
        lifecycle mail state=background
        delivered mail P8 state=background
        > give mail P8 in the background, of type fileprovider: {"push":8}
47s   timeout mail P8
        timed-out mail P8 reason=not-completed rule=U8
        lifecycle mail state=notRunning
47s   counted mail
        : 1 pushtotalk since 45s
        : 3 voip since 26s
50s   boot
51s   push mail type=voip
        discarded mail P9 reason=calls-unanswered rule=T2
# The person opens it.
52s   launch mail
        lifecycle mail state=foreground
        > launch mail
52s   counted mail
        : nothing
53s   background mail
        lifecycle mail state=background
54s   push mail type=voip
        delivered mail P10 state=background
        > give mail P10 in the background, of type voip: {"push":10}
55s   complete mail P10
        completed mail P10 result=newData
