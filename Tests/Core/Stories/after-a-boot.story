story: A boot ends every app, forgets who was force-quit and keeps what is held
rules: U5, D4, U4

# Low power: background updates are held.
0s    given condition low-power on; install mail background; register mail badge alert; install news background
0s    given register news badge alert; install chess background; register chess badge alert
1s    launch mail
        lifecycle mail state=foreground
2s    force-quit news
        lifecycle news state=forceQuit
3s    background chess
        lifecycle chess state=background
4s    push chess background
        held chess P1 reason=low-power rule=U7
5s    push news background
        discarded news P2 reason=is-force-quit rule=U5
6s    restart
7s    state mail
        : foreground, registered for badge,alert, T1, badge 0
7s    state news
        : forceQuit, registered for badge,alert, T3, badge 0
7s    state chess
        : background, registered for badge,alert, T5, badge 0
7s    held chess
        : P1 until 30d4s
8s    push news background
        discarded news P3 reason=is-force-quit rule=U5
9s    boot
        lifecycle chess state=notRunning
        lifecycle mail state=notRunning
        lifecycle news state=notRunning
10s   state mail
        : notRunning, registered for badge,alert, T1, badge 0
10s   state news
        : notRunning, registered for badge,alert, T3, badge 0
10s   state chess
        : notRunning, registered for badge,alert, T5, badge 0
10s   held chess
        : P1 until 30d4s
11s   push news background
        held news P4 reason=low-power rule=U7
12s   held news
        : P4 until 30d11s
