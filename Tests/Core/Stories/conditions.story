story: In low power or offline no app is woken; an app that the person opens gets what is held
rules: U7, U6, U10, U4

0s    install mail background
        installed mail
0s    register mail alert
        registered mail kinds=alert
0s    install news background
        installed news
0s    register news alert
        registered news kinds=alert
1s    condition low-power on
        condition condition=low-power on=yes
1s    condition low-power on
1s    conditions
        : low-power
2s    push mail background
        held mail P1 reason=low-power rule=U7
3s    push news background
        held news P2 reason=low-power rule=U7
4s    launch mail
        lifecycle mail state=foreground
        delivered mail P1 state=foreground
        completed mail P1 result=noData
5s    push mail background
        delivered mail P3 state=foreground
        completed mail P3 result=noData
6s    background mail
        lifecycle mail state=background
7s    push mail background
        held mail P4 reason=low-power rule=U7
8s    held mail
        : P4 until 30d7s
# Both conditions must be over.
9s    condition offline on
        condition condition=offline on=yes
10s   condition low-power off
        condition condition=low-power on=no
11s   held mail
        : P4 until 30d7s
12s   conditions
        : offline
13s   condition offline off
        condition condition=offline on=no
        delivered mail P4 state=background
        completed mail P4 result=noData
        lifecycle news state=background
        delivered news P2 state=background
        completed news P2 result=noData
14s   budget mail
        : 13s
# Of the other conditions none keeps updates back.
15s   condition locked on
        condition condition=locked on=yes
15s   condition silent on
        condition condition=silent on=yes
        > silence all but critical
16s   push mail background
        delivered mail P5 state=background
        completed mail P5 result=noData
17s   push mail background
        delivered mail P6 state=background
        completed mail P6 result=noData
18s   push mail background
        held mail P7 reason=budget rule=U7
# A condition that ends does not make up for a budget that is spent.
19s   condition low-power on
        condition condition=low-power on=yes
20s   held mail
        : P7 until 30d18s
21s   condition low-power off
        condition condition=low-power on=no
22s   held mail
        : P7 until 30d18s, due 1h13s
1h13s  wait
        at 1h13s
        delivered mail P7 state=background
        completed mail P7 result=noData
# Conditions are as they were after a restart and after a boot.
1h20s  condition low-power on
        condition condition=low-power on=yes
1h21s  push news background
        held news P8 reason=low-power rule=U7
1h22s  restart
1h23s  held news
        : P8 until 30d1h21s
1h24s  boot
        lifecycle mail state=notRunning
        lifecycle news state=notRunning
1h25s  conditions
        : low-power, locked, silent
1h26s  held news
        : P8 until 30d1h21s
1h27s  condition low-power off
        condition condition=low-power on=no
        lifecycle news state=background
        delivered news P8 state=background
        completed news P8 result=noData
