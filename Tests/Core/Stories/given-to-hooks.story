story: An app with hooks is given its updates to complete, and one that takes too long is stopped
rules: U8, U7, U6, U10, N2

0s    given install mail background hooks; register mail badge alert
1s    push mail background
        lifecycle mail state=background
        delivered mail P1 state=background
        > give mail P1 in the background: {"push":1}
2s    offered mail
        : P1, attempt 1
# It completes each once.
3s    complete mail P1 result=noData
        completed mail P1 result=noData
4s    complete mail P1
        ! 'mail' has no push 00000000-0000-0000-0000-000000000001 to complete
5s    push mail background
        delivered mail P2 state=background
        > give mail P2 in the background: {"push":2}
6s    push mail background
        delivered mail P3 state=background
        > give mail P3 in the background: {"push":3}
7s    complete mail P3 result=failed
        completed mail P3 result=failed
9s    budget mail
        : 1s, 5s, 6s; free at 1h1s
# What is held stays held as another is completed, and is given with the payload that it came with.
10s   push mail background
        held mail P4 reason=budget rule=U7
10s   complete mail P2
        completed mail P2 result=newData
10s   held mail
        : P4 until 30d10s, due 1h1s
11s   launch mail
        lifecycle mail state=foreground
        delivered mail P4 state=foreground
        > launch mail
        > give mail P4 in the foreground: {"push":4}
12s   complete mail P4
        completed mail P4 result=newData
# In the foreground it is given everything, also what is for the person.
13s   push mail alert="Hello" badge=3
        not-presented mail P5 reason=foreground rule=N2
        delivered mail P5 state=foreground
        > give mail P5 in the foreground: {"push":5}
14s   push mail background
        delivered mail P6 state=foreground
        > give mail P6 in the foreground: {"push":6}
15s   offered mail
        : P5, attempt 1
        : P6, attempt 1
16s   complete mail P6
        completed mail P6 result=newData
# Already there: nothing is launched.
17s   launch mail
18s   background mail
        lifecycle mail state=background
19s   launch mail
        lifecycle mail state=foreground
        > launch mail
# Its 30 real seconds are the host's to count. It does not leave the foreground for that.
49s   timeout mail P5
        timed-out mail P5 reason=not-completed rule=U8
49s   timeout mail P5
        ! 'mail' has no push 00000000-0000-0000-0000-000000000005 to complete
50s   offered mail
        : nothing
50s   state mail
        : foreground, registered for badge,alert, T1, badge 0
51s   budget mail
        : 5s, 6s, 49s; free at 1h5s
