story: The handset holds one update for each app, the newest, until the app is launched
rules: U4, U6, U10

# Low power: background updates are held.
0s    given condition low-power on; install mail background; register mail badge alert; install news background
0s    given register news badge alert
1s    push mail background
        held mail P1 reason=low-power rule=U7
2s    push news background
        held news P2 reason=low-power rule=U7
3s    push mail background
        discarded mail P1 reason=replaced rule=U4 replacedBy=P3
        held mail P3 reason=low-power rule=U7
4s    held mail
        : P3 until 30d3s
4s    held news
        : P2 until 30d2s
5s    restart
6s    held mail
        : P3 until 30d3s
7s    launch mail
        lifecycle mail state=foreground
        delivered mail P3 state=foreground
        completed mail P3 result=noData
8s    held mail
        : nothing
9s    push mail background
        delivered mail P4 state=foreground
        completed mail P4 result=noData
10s   launch news
        lifecycle mail state=background
        lifecycle news state=foreground
        delivered news P2 state=foreground
        completed news P2 result=noData
11s   push mail background
        held mail P5 reason=low-power rule=U7
12s   held mail
        : P5 until 30d11s
13s   launch mail
        lifecycle news state=background
        lifecycle mail state=foreground
        delivered mail P5 state=foreground
        completed mail P5 result=noData
14s   kill news
        lifecycle news state=notRunning
