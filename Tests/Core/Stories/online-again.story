story: Online again, what arrives takes the place of what is held before that would be delivered
rules: F1, U4, U7

1s    given install mail background; register mail alert; install news background; register news alert
1s    given condition low-power on
2s    push mail background
        held mail P1 reason=low-power rule=U7
3s    push news background
        held news P2 reason=low-power rule=U7
4s    given condition offline on
5s    given condition low-power off
6s    held mail
        : P1 until 30d2s
7s    push mail background
        kept mail P3 reason=offline rule=F1
8s    held mail
        : P1 until 30d2s
9s    kept mail
        : P3 until 30d7s
# The newer one is delivered and the older discarded: two would have cost two of three.
10s   condition offline off
        condition condition=offline on=no
        arrived mail P3
        discarded mail P1 reason=replaced rule=U4 replacedBy=P3
        lifecycle mail state=background
        delivered mail P3 state=background
        completed mail P3 result=noData
        lifecycle news state=background
        delivered news P2 state=background
        completed news P2 result=noData
11s   budget mail
        : 10s
