story: Killing or force-quitting discards the held update, and a force-quit app is not woken until opened
rules: U5, U6, R2, R3

# Low power: background updates are held.
0s    given condition low-power on; install mail background; register mail badge alert
1s    background mail
        lifecycle mail state=background
2s    push mail background
        held mail P1 reason=low-power rule=U7
3s    kill mail
        lifecycle mail state=notRunning
        discarded mail P1 reason=killed rule=U5
4s    held mail
        : nothing
5s    kill mail
        ! 'mail' is not running
6s    push mail background
        held mail P2 reason=low-power rule=U7
7s    force-quit mail
        lifecycle mail state=forceQuit
        discarded mail P2 reason=force-quit rule=U5
8s    held mail
        : nothing
9s    push mail background
        discarded mail P3 reason=is-force-quit rule=U5
10s   push mail alert="Presented all the same" content-available
        presented mail P4 style=banner listed=yes
        discarded mail P4 reason=is-force-quit rule=U5
        = lamp blink since 10s, banner P4 Mail: "Presented all the same" until 15s
# Nothing but the person starts it again.
11s   background mail
        ! 'mail' is not running
12s   state mail
        : forceQuit, registered for badge,alert, T1, badge 0
13s   push mail background
        discarded mail P5 reason=is-force-quit rule=U5
20s   launch mail
        at 15s
        = lamp blink since 10s
        at 20s
        lifecycle mail state=foreground
        seen mail count=1
        > stop the sound of P4
        = dark
21s   background mail
        lifecycle mail state=background
22s   push mail background
        held mail P6 reason=low-power rule=U7
23s   held mail
        : P6 until 30d22s
24s   unregister mail
        unregistered mail
        discarded mail P6 reason=unregistered rule=R2
        cleared mail reason=unregistered rule=R2 count=1
        > stop the sound of P4
25s   given register mail badge alert
26s   push mail background
        held mail P7 reason=low-power rule=U7
27s   uninstall mail
        discarded mail P7 reason=uninstalled rule=R3
        uninstalled mail
