story: While the handset is offline the service keeps the newest push of each app
rules: F1, F3, U5, R3, N8

0s    given install mail background hooks sounds=letter; register mail badge sound alert; install news background
0s    given register news badge alert; install game
1s    push mail alert="Before" collapse=c
        presented mail P1 style=banner listed=yes
        = lamp blink since 1s, banner P1 Mail: "Before" until 6s
2s    given condition offline on
3s    push mail alert="Replaced" badge=1
        kept mail P2 reason=offline rule=F1
4s    push mail alert="Newest" badge=7 sound=letter collapse=c content-available thread=t
        discarded mail P2 reason=replaced-offline rule=F1 replacedBy=P3
        kept mail P3 reason=offline rule=F1
5s    kept mail
        : P3 until 30d4s
6s    push news background
        at 6s
        = lamp blink since 1s
        kept news P4 reason=offline rule=F1
# One try, and there is nobody there: nothing is kept, and what is kept stays.
7s    push news alert="One try" expires=once
        discarded news P5 reason=not-kept rule=F1
8s    push news alert="Too late" expires=0s
        discarded news P6 reason=not-kept rule=F1
9s    kept news
        : P4 until 30d6s
10s   held news
        : nothing
11s   center
        : P1 Mail: "Before" unseen
# The service refuses what it refused before, and says what it ignores.
12s   push mail token=T9 alert="Nobody's"
        ! no app has that device token
        refused mail P7 status=400 reason=BadDeviceToken detail="no app has that device token"
13s   push game alert="Not registered yet" fault="aps.x:expected a number"
        ignored game P8 path=aps.x problem="expected a number"
        kept game P8 reason=offline rule=F1
14s   kept game
        : P8 until 30d13s
# It is the service's slot: what happens on the handset does not empty it.
15s   force-quit mail
        lifecycle mail state=forceQuit
16s   kept mail
        : P3 until 30d4s
17s   boot
        lifecycle mail state=notRunning
        = lamp blink since 17s
18s   kept mail
        : P3 until 30d4s
19s   force-quit mail
        lifecycle mail state=forceQuit
20s   push news alert="A minute" expires=1m
        discarded news P4 reason=replaced-offline rule=F1 replacedBy=P9
        kept news P9 reason=offline rule=F1
1m20s  kept news
        at 1m20s
        discarded news P9 reason=expired-offline rule=F1
        : nothing
# Online again it arrives, in the order in which it was sent, as if just sent.
1m21s  push news badge=2
        kept news P10 reason=offline rule=F1
1m30s  condition offline off
        condition condition=offline on=no
        arrived mail P3
        badge mail P3 number=7
        presented mail P3 style=banner listed=yes sound=letter vibration=pulse replaces=P1
        discarded mail P3 reason=is-force-quit rule=U5
        arrived game P8
        discarded game P8 reason=not-registered rule=R1
        arrived news P10
        badge news P10 number=2
        > stop the sound of P1
        > play mail's letter for P3
        = badge 9, lamp blink since 1m30s, banner P3 Mail: "Newest" until 1m35s
1m31s  kept mail
        : nothing
1m32s  center
        : P3 Mail: "Newest" unseen
# There is nobody left to send it to.
2m    condition offline on
        at 1m35s
        = badge 9, lamp blink since 1m30s
        at 2m
        condition condition=offline on=yes
2m1s  push mail alert="To nobody"
        kept mail P11 reason=offline rule=F1
2m2s  push news alert="To nobody"
        kept news P12 reason=offline rule=F1
2m3s  unregister mail
        unregistered mail
        discarded mail P11 reason=unregistered rule=R2
        cleared mail reason=unregistered rule=R2 count=1
        > stop the sound of P3
        = badge 2
2m4s  uninstall news
        discarded news P12 reason=uninstalled rule=R3
        uninstalled news
        = dark
2m5s  kept mail
        : nothing
2m6s  given condition offline off
