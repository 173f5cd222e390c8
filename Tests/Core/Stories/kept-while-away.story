story: What the service kept while it could not reach the handset arrives when it reaches it again
rules: F1, R4, P1, R1

0s    given install mail sounds=letter; register mail badge sound alert; install news background
0s    given register news badge alert; install game
# Of three pushes of one app the newest is kept.
1s    keep mail alert="First" badge=1 sound=letter
        kept mail P1 reason=offline rule=F1
1s    keep news alert="Older app"
        kept news P2 reason=offline rule=F1
1s    keep mail alert="Second" badge=2 sound=letter
        discarded mail P1 reason=replaced-offline rule=F1 replacedBy=P3
        kept mail P3 reason=offline rule=F1
1s    keep mail alert="Third" badge=3 sound=letter
        discarded mail P3 reason=replaced-offline rule=F1 replacedBy=P4
        kept mail P4 reason=offline rule=F1
1s    kept mail
        : P4 until 30d1s
1s    explain P3
        : R4 the token is the app's
        : F1 it replaced an older push that the service kept
        : F1 the handset was unreachable
1s    explain P4 unlike P3
        : nothing
# It is checked as any other.
2s    keep mail token=T9 alert="Nobody's"
        ! no app has that device token
        refused mail P5 status=400 reason=BadDeviceToken detail="no app has that device token"
2s    keep mail again=P4 alert="Third" badge=3 sound=letter
        duplicate mail P4 reason=came-again rule=P1
2s    keep game alert="Not registered yet" fault="aps.x:expected a number"
        ignored game P7 path=aps.x problem="expected a number"
        kept game P7 reason=offline rule=F1
2s    keep news alert="One try" expires=once
        discarded news P8 reason=not-kept rule=F1
2s    explain P8
        : R4 the token is the app's
        : F1 it could not be delivered at once, and the push allows only one attempt
# Offline, the handset is not reached, whatever the service does.
3s    given condition offline on
4s    forward
4s    kept mail
        : P4 until 30d1s
5s    condition offline off
        condition condition=offline on=no
        arrived news P2
        presented news P2 style=banner listed=yes
        arrived mail P4
        badge mail P4 number=3
        presented mail P4 style=banner listed=yes sound=letter vibration=pulse
        arrived game P7
        discarded game P7 reason=not-registered rule=R1
        > play mail's letter for P4
        = badge 3, lamp blink since 5s, banner P4 Mail: "Third" until 10s
# One after the other, as they were sent; what comes afterwards is presented at once.
6s    keep news alert="News" badge=4
        kept news P9 reason=offline rule=F1
7s    keep mail alert="Mail" badge=5
        kept mail P10 reason=offline rule=F1
8s    push mail alert="Meanwhile" badge=6
        badge mail P11 number=6
        presented mail P11 style=banner listed=yes
        = badge 6, lamp blink since 8s, banner P11 Mail: "Meanwhile" until 13s
9s    forward
        arrived news P9
        badge news P9 number=4
        presented news P9 style=banner listed=yes
        arrived mail P10
        badge mail P10 number=5
        presented mail P10 style=banner listed=yes
        = badge 9, lamp blink since 9s, banner P10 Mail: "Mail" until 14s
9s    explain P10
        : F1 the handset is online: it arrives
        : R1 the app is registered
        : U2 it is a notification for the person
        : B1 its number is the app's badge
        : A1 it has no sound
        : S2 notifications are on
        : S1 notifications are allowed for the app
        : S6 the app registered for every kind in it
        : N1 the app is not in the foreground: the system presents it
        : S1 it is listed in Notification Center
        : N3 a banner shows it for a few seconds
        : D1 the lamp shows it
9s    kept mail
        : nothing
10s   forward
11s   push news badge=9
        badge news P12 number=9
        = badge 14, lamp blink since 9s, banner P10 Mail: "Mail" until 14s
