story: What waits for a service extension is presented once, whatever happens meanwhile
rules: X1, N8, P1, R3
0s    given install mail extension hooks; register mail badge sound alert
# The daemon ends: the extension is asked once more.
1s    push mail alert="One" mutable
        held mail P1 reason=service-extension rule=X1
        > extend mail P1: {"push":1}
2s    restart
        held mail P1 reason=service-extension rule=X1
        > extend mail P1, attempt 2: {"push":1}
3s    extended mail P1 alert="Changed"
        extended mail P1 result=changed
        presented mail P1 style=banner listed=yes
        = lamp blink since 3s, banner P1 Mail: "Changed" until 8s
4s    extended mail P1 alert="Twice"
        ! 'mail' has no push 00000000-0000-0000-0000-000000000001 to complete
5s    push mail alert="Two" mutable
        held mail P2 reason=service-extension rule=X1
        > extend mail P2: {"push":2}
6s    restart
        held mail P2 reason=service-extension rule=X1
        > extend mail P2, attempt 2: {"push":2}
        = lamp blink since 6s
7s    extending mail
        : P2, attempt 2
8s    boot
        extended mail P2 result=failed detail="it was asked again after a restart and did not answer either"
        presented mail P2 style=banner listed=yes
        = lamp blink since 8s, banner P2 Mail: "Two" until 13s
9s    extending mail
        : nothing
# The same push again is one push.
10s   push mail alert="Three" mutable
        held mail P3 reason=service-extension rule=X1
        > extend mail P3: {"push":3}
11s   push mail again=P3 alert="Three" mutable
        duplicate mail P3 reason=came-again rule=P1
12s   extended mail P3 alert="Three, changed"
        extended mail P3 result=changed
        presented mail P3 style=banner listed=yes
        = lamp blink since 12s, banner P3 Mail: "Three, changed" until 17s
# A newer push with its collapse identifier, or its provider, takes it back.
20s   push mail alert="Old" mutable collapse=c1
        at 17s
        = lamp blink since 12s
        at 20s
        held mail P5 reason=service-extension rule=X1
        > extend mail P5: {"push":5}
21s   push mail alert="New" mutable collapse=c1
        discarded mail P5 reason=collapsed rule=N8 replacedBy=P6
        held mail P6 reason=service-extension rule=X1
        > extend mail P6: {"push":6}
22s   extending mail
        : P6, attempt 1
23s   extended mail P6 alert="New, changed"
        extended mail P6 result=changed
        presented mail P6 style=banner listed=yes
        = lamp blink since 23s, banner P6 Mail: "New, changed" until 28s
24s   push mail alert="Newer" mutable collapse=c1
        held mail P7 reason=service-extension rule=X1
        > extend mail P7: {"push":7}
25s   push mail alert="Newest" collapse=c1
        discarded mail P7 reason=collapsed rule=N8 replacedBy=P8
        presented mail P8 style=banner listed=yes replaces=P6
        > stop the sound of P6
        = lamp blink since 25s, banner P8 Mail: "Newest" until 30s
26s   push mail alert="Recalled" mutable collapse=c2
        held mail P9 reason=service-extension rule=X1
        > extend mail P9: {"push":9}
27s   retract mail c2 seen
28s   retract mail c2 removed
        discarded mail P9 reason=retracted rule=N8
29s   extending mail
        : nothing
# Eight wait; another one is presented as it was sent.
30s   many 8 push mail alert="Wait #" mutable
        at 30s
        = lamp blink since 25s
        held mail P17 reason=service-extension rule=X1
        > extend mail P17: {"push":17}
31s   push mail alert="Ninth" mutable
        presented mail P18 style=banner listed=yes
        = lamp blink since 31s, banner P18 Mail: "Ninth" until 36s
31s   explain P18
        : R4 the token is the app's
        : F1 the handset is online: it arrives
        : R1 the app is registered
        : X1 too many wait for the app's service extension: it is presented as it was sent
        : U2 it is a notification for the person
        : B4 it has no badge: the badge is unchanged
        : A1 it has no sound
        : S2 notifications are on
        : S1 notifications are allowed for the app
        : S6 the app registered for every kind in it
        : N1 the app is not in the foreground: the system presents it
        : S1 it is listed in Notification Center
        : N3 a banner shows it for a few seconds
        : D1 the lamp shows it
# A new bundle without an extension, and no app at all.
32s   install mail hooks
        extended mail P10 result=failed detail="the app's new bundle has no service extension"
        presented mail P10 style=banner listed=yes
        extended mail P11 result=failed detail="the app's new bundle has no service extension"
        presented mail P11 style=banner listed=yes
        extended mail P12 result=failed detail="the app's new bundle has no service extension"
        presented mail P12 style=banner listed=yes
        extended mail P13 result=failed detail="the app's new bundle has no service extension"
        presented mail P13 style=banner listed=yes
        extended mail P14 result=failed detail="the app's new bundle has no service extension"
        presented mail P14 style=banner listed=yes
        extended mail P15 result=failed detail="the app's new bundle has no service extension"
        presented mail P15 style=banner listed=yes
        extended mail P16 result=failed detail="the app's new bundle has no service extension"
        presented mail P16 style=banner listed=yes
        extended mail P17 result=failed detail="the app's new bundle has no service extension"
        presented mail P17 style=banner listed=yes
        installed mail
        = lamp blink since 32s, banner P17 Mail: "Wait 8" until 37s
33s   extending mail
        : nothing
34s   install mail extension hooks
        installed mail
35s   push mail alert="Last" mutable
        held mail P19 reason=service-extension rule=X1
        > extend mail P19: {"push":19}
36s   kill mail
        ! 'mail' is not running
37s   uninstall mail
        at 37s
        = lamp blink since 32s
        discarded mail P19 reason=uninstalled rule=R3
        uninstalled mail
        > stop the sound of P1
        > stop the sound of P2
        > stop the sound of P3
        > stop the sound of P8
        > stop the sound of P18
        > stop the sound of P10
        > stop the sound of P11
        > stop the sound of P12
        > stop the sound of P13
        > stop the sound of P14
        > stop the sound of P15
        > stop the sound of P16
        > stop the sound of P17
        = dark
