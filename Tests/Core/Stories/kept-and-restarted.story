story: What the service kept outlives the daemon and the board, and one that expired meanwhile does not arrive
rules: F1

0s    install mail
        installed mail
0s    register mail badge sound alert
        registered mail kinds=badge,sound,alert
0s    install news
        installed news
0s    register news badge sound alert
        registered news kinds=badge,sound,alert
1s    keep mail alert="Mail" badge=1
        accepted mail P1 type=alert
        kept mail P1 reason=offline rule=F1
2s    restart
        started after=daemon
3s    keep news alert="News" badge=2
        accepted news P2 type=alert
        kept news P2 reason=offline rule=F1
4s    boot
        started after=board
5s    kept mail
        : P1 until 30d1s
5s    kept news
        : P2 until 30d3s
6s    forward
        arrived mail P1
        badge mail P1 number=1
        presented mail P1 style=banner listed=yes
        arrived news P2
        badge news P2 number=2
        presented news P2 style=banner listed=yes
        = badge 3, lamp blink since 6s, banner P2 News: "News" until 11s
# The newest takes the slot, also where it has expired since.
7s    keep mail alert="Good for long" badge=3
        accepted mail P3 type=alert
        kept mail P3 reason=offline rule=F1
8s    keep mail alert="Too late" expires=0s
        accepted mail P4 type=alert
        discarded mail P3 reason=replaced-offline rule=F1 replacedBy=P4
        kept mail P4 reason=offline rule=F1
        discarded mail P4 reason=expired-offline rule=F1
8s    explain P4
        : R4 the token is the app's
        : F1 it replaced an older push that the service kept
        : F1 the handset was unreachable
9s    forward
10s   keep news alert="A minute" expires=1m
        accepted news P5 type=alert
        kept news P5 reason=offline rule=F1
1m10s  forward
        at 11s
        = badge 3, lamp blink since 6s
        at 1m10s
        discarded news P5 reason=expired-offline rule=F1
