story: After a restart the board shows at once what it showed, and plays nothing again
rules: D4, N3, N7

0s    given install mail sounds=letter; register mail badge sound alert; set mail style alert; install news
0s    given register news alert
1s    push mail badge=12 alert="One" sound=letter level=time-sensitive
        badge mail P1 number=12
        presented mail P1 style=alert listed=yes sound=letter vibration=double
        > play mail's letter for P1
        = badge 12, lamp double since 1s, alert P1 Mail: "One" [Close, View]
2s    push mail alert="Two" sound=letter
        presented mail P2 style=alert listed=yes sound=letter vibration=pulse
        > play mail's letter for P2
        = badge 12, lamp double since 1s, alert P2 Mail: "Two" [Close, View] over 1
3s    push news alert="A banner does not outlast the daemon"
        presented news P3 style=banner listed=yes
        = badge 12, lamp double since 1s, banner P3 News: "A banner does not outlast the daemon" until 8s, alert P2 Mail: "Two" [Close, View] over 1
4s    restart
        = badge 12, lamp double since 4s, alert P2 Mail: "Two" [Close, View] over 1
5s    center
        : P1 Mail: "One" unseen
        : P2 Mail: "Two" unseen
        : P3 News: "A banner does not outlast the daemon" unseen
5s    alerts
        : P2 Mail: "Two"
        : P1 Mail: "One"
6s    boot
        = badge 12, lamp double since 6s, alert P2 Mail: "Two" [Close, View] over 1
7s    center
        : P1 Mail: "One" unseen
        : P2 Mail: "Two" unseen
        : P3 News: "A banner does not outlast the daemon" unseen
8s    press close
        answered mail P2 button=close
        > stop the sound of P2
        = badge 12, lamp double since 6s, alert P1 Mail: "One" [Close, View]
# What only a banner showed has nowhere to be afterwards.
9s    set news show-in-notification-center off
        setting news key=show-in-notification-center value=off
        cleared news reason=not-allowed rule=S1 count=1
10s   push news alert="Fleeting"
        presented news P4 style=banner listed=no
        = badge 12, lamp double since 6s, banner P4 News: "Fleeting" until 15s, alert P1 Mail: "One" [Close, View]
11s   restart
        > stop the sound of P4
        = badge 12, lamp double since 11s, alert P1 Mail: "One" [Close, View]
12s   alerts
        : P1 Mail: "One"
