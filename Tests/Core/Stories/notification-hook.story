story: An app with a notification hook gets every push, whatever is presented of it
rules: N16, U5, U1, N2, S2
0s    given install mail background hooks notification-hook; register mail badge sound alert
1s    push mail alert="Hello"
        presented mail P1 style=banner listed=yes
        lifecycle mail state=background
        delivered mail P1 state=background
        > give mail P1 in the background, as a notification: {"push":1}
        = lamp blink since 1s, banner P1 Mail: "Hello" until 6s
1s    explain P1
        : R4 the token is the app's
        : F1 the handset is online: it arrives
        : R1 the app is registered
        : U2 it is a notification for the person
        : B4 it has no badge: the badge is unchanged
        : A1 it has no sound
        : S2 notifications are on
        : S1 notifications are allowed for the app
        : S6 the app registered for every kind in it
        : N1 the app is not in the foreground: the system presents it
        : S1 it is listed in Notification Center
        : N3 a banner shows it for a few seconds
        : N16 the app's notification hook gets it
        : D1 the lamp shows it
2s    complete mail P1
        completed mail P1 result=newData
2s    budget mail
        : unused
# Also what nobody gets to see.
3s    set handset notifications off
        setting key=notifications value=off
        > silence all
        = dark
4s    push mail alert="Unseen"
        not-presented mail P2 reason=handset-off rule=S2
        delivered mail P2 state=background
        > give mail P2 in the background, as a notification: {"push":2}
5s    complete mail P2
        completed mail P2 result=newData
6s    set handset notifications on
        at 6s
        setting key=notifications value=on
        = lamp blink since 1s
7s    push mail
        not-presented mail P3 reason=nothing-to-show
        delivered mail P3 state=background
        > give mail P3 in the background, as a notification: {"push":3}
8s    complete mail P3
        completed mail P3 result=newData
# Not a second time: an update, and what comes in the foreground.
9s    push mail alert="Both" content-available
        presented mail P4 style=banner listed=yes
        delivered mail P4 state=background
        > give mail P4 in the background: {"push":4}
        = lamp blink since 9s, banner P4 Mail: "Both" until 14s
10s   complete mail P4
        completed mail P4 result=newData
11s   push mail background
        delivered mail P5 state=background
        > give mail P5 in the background: {"push":5}
12s   complete mail P5
        completed mail P5 result=newData
13s   launch mail
        lifecycle mail state=foreground
        seen mail count=2
        > launch mail
        > stop the sound of P1
        > stop the sound of P4
        = dark
14s   push mail alert="In front"
        not-presented mail P6 reason=foreground rule=N2
        delivered mail P6 state=foreground
        > give mail P6 in the foreground: {"push":6}
15s   complete mail P6
        completed mail P6 result=newData
# Not where the person has stopped the app.
16s   force-quit mail
        lifecycle mail state=forceQuit
        > stop mail
17s   push mail alert="Stopped"
        presented mail P7 style=banner listed=yes
        = lamp blink since 17s, banner P7 Mail: "Stopped" until 22s
17s   explain P7 unlike P1
        : - N16 the app's notification hook gets it
        : + N16 the app is force-quit: its notification hook does not run
# An update that the app does not take is nobody's, what is beside one is the hook's.
18s   given install news hooks notification-hook; register news alert
19s   push news background
        discarded news P8 reason=no-background-mode rule=U1
20s   push news alert="Beside" content-available
        presented news P9 style=banner listed=yes
        discarded news P9 reason=no-background-mode rule=U1
        lifecycle news state=background
        delivered news P9 state=background
        > give news P9 in the background, as a notification: {"push":9}
        = lamp blink since 20s, banner P9 News: "Beside" until 25s
21s   offered news
        : P9, attempt 1, as a notification
# Given again after a restart.
22s   restart
        lifecycle news state=notRunning
        lifecycle news state=background
        delivered news P9 state=background attempt=2
        > give news P9 in the background, attempt 2, as a notification: {"push":9}
        = lamp blink since 22s
23s   complete news P9
        completed news P9 result=newData
