story: An app may ask for presentation while it is in the foreground
rules: N2, S1, S6, D1

0s    install mail sounds=letter foreground=badge,alert
        installed mail
0s    register mail badge sound alert
        registered mail kinds=badge,sound,alert
0s    launch mail
        lifecycle mail state=foreground
1s    push mail badge=2 alert="Shown" sound=letter
        accepted mail P1 type=alert
        badge mail P1 number=2
        presented mail P1 style=banner listed=yes
        delivered mail P1 state=foreground
        completed mail P1 result=noData
        = badge 2, lamp blink since 1s, banner P1 Mail: "Shown" until 6s
2s    center
        : P1 Mail: "Shown" unseen
3s    set mail alert off
        setting mail key=alert value=off
        = badge 2, lamp blink since 1s
4s    push mail badge=3 alert="The badge alone"
        accepted mail P2 type=alert
        badge mail P2 number=3
        delivered mail P2 state=foreground
        completed mail P2 result=noData
        = badge 3, lamp blink since 1s
5s    push mail sound=letter
        accepted mail P3 type=alert
        not-presented mail P3 reason=foreground rule=N2
        delivered mail P3 state=foreground
        completed mail P3 result=noData
6s    set mail allow-notifications off
        setting mail key=allow-notifications value=off
        cleared mail reason=not-allowed rule=S1 count=1
        > stop the sound of P1
        = dark
7s    push mail badge=4 alert="Not allowed"
        accepted mail P4 type=alert
        badge mail P4 number=4
        not-presented mail P4 reason=app-not-allowed rule=S1
        delivered mail P4 state=foreground
        completed mail P4 result=noData
8s    register mail sound
        registered mail kinds=sound
9s    set mail allow-notifications on
        setting mail key=allow-notifications value=on
10s   push mail badge=5 alert="No kind of its own"
        accepted mail P5 type=alert
        badge mail P5 number=5
        not-presented mail P5 reason=not-registered-for rule=S6
        delivered mail P5 state=foreground
        completed mail P5 result=noData
