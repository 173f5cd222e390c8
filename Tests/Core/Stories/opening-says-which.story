story: Opening a notification opens its app, which gets to know which one it was
rules: N14, N10
0s    given install mail hooks; register mail alert; install news; register news alert
1s    push mail alert="One"
        presented mail P1 style=banner listed=yes
        = lamp blink since 1s, banner P1 Mail: "One" until 6s
2s    push mail alert="Two"
        presented mail P2 style=banner listed=yes
        = lamp blink since 2s, banner P2 Mail: "Two" until 7s
# In Notification Center: the app has all of them behind it.
3s    open P1
        responded mail P1 action=com.apple.UNNotificationDefaultActionIdentifier
        lifecycle mail state=foreground
        seen mail count=1
        cleared mail P1 reason=notification-opened rule=N10 count=1
        > stop the sound of P1
        > launch mail with P1
        > stop the sound of P2
        > stop the sound of P1
        = dark
4s    center
        : P2 Mail: "Two"
# An app that is open gets to know that, too.
5s    foreground mail alert
        foreground-presentation mail kinds=alert
6s    push mail alert="Three"
        presented mail P3 style=banner listed=yes
        delivered mail P3 state=foreground
        > give mail P3 in the foreground: {"push":3}
        = lamp blink since 6s, banner P3 Mail: "Three" until 11s
7s    open P3
        responded mail P3 action=com.apple.UNNotificationDefaultActionIdentifier
        cleared mail P3 reason=notification-opened rule=N10 count=1
        > stop the sound of P3
        > launch mail with P3
        > stop the sound of P3
        = dark
8s    open P3
        ! there is no notification 0
# With View.
9s    given set news style alert
10s   push news alert="Four"
        presented news P4 style=alert listed=yes
        = lamp blink since 10s, alert P4 News: "Four" [Close, View]
11s   push mail alert="Five" collapse=c
        presented mail P5 style=banner listed=yes
        delivered mail P5 state=foreground
        > give mail P5 in the foreground: {"push":5}
        = lamp blink since 11s, banner P5 Mail: "Five" until 16s, alert P4 News: "Four" [Close, View]
12s   given set mail style alert
13s   push mail alert="Six"
        presented mail P6 style=alert listed=yes
        delivered mail P6 state=foreground
        > give mail P6 in the foreground: {"push":6}
        = lamp blink since 13s, banner P5 Mail: "Five" until 16s, alert P6 Mail: "Six" [Close, View] over 1
14s   press view
        answered mail P6 button=view
        seen mail count=1
        cleared mail P6 reason=notification-opened rule=N10 count=1
        > stop the sound of P6
        > launch mail with P6
        > stop the sound of P5
        > stop the sound of P6
        = lamp blink since 13s, alert P4 News: "Four" [Close, View]
15s   open P5
        responded mail P5 action=com.apple.UNNotificationDefaultActionIdentifier
        cleared mail P5 reason=notification-opened rule=N10 count=1
        > stop the sound of P5
        > launch mail with P5
        > stop the sound of P5
# Nothing runs of an app without hooks and connection.
16s   open P4
        responded news P4 action=com.apple.UNNotificationDefaultActionIdentifier
        lifecycle mail state=background
        lifecycle news state=foreground
        cleared news P4 reason=notification-opened rule=N10 count=1
        > stop the sound of P4
        > stop the sound of P4
        = dark
# It has no actions, and opening it takes no text.
17s   push mail alert="Seven"
        presented mail P7 style=alert listed=yes
        = lamp blink since 17s, alert P7 Mail: "Seven" [Close, View]
18s   open P7 action=REPLY
        ! the notification has no action 'REPLY'
18s   open P7 text="Hello"
        ! the action 'com.apple.UNNotificationDefaultActionIdentifier' takes no text
# An alert that is not listed is opened, too.
19s   set mail show-in-notification-center off
        setting mail key=show-in-notification-center value=off
        cleared mail reason=not-allowed rule=S1 count=2
        = alert P7 Mail: "Seven" [Close, View]
20s   push mail alert="Eight"
        presented mail P8 style=alert listed=no
        = alert P8 Mail: "Eight" [Close, View] over 1
21s   open P8
        responded mail P8 action=com.apple.UNNotificationDefaultActionIdentifier
        lifecycle news state=background
        lifecycle mail state=foreground
        seen mail count=1
        > stop the sound of P8
        > launch mail with P8
        > stop the sound of P7
        = dark
22s   alerts
        : none
# A listening app.
23s   kill mail
        lifecycle mail state=notRunning
        discarded mail P3 reason=killed rule=U5
        discarded mail P5 reason=killed rule=U5
        discarded mail P6 reason=killed rule=U5
        > stop mail
24s   listen mail background
        lifecycle mail state=background
25s   given set mail show-in-notification-center on
26s   push mail alert="Nine"
        presented mail P9 style=alert listed=yes
        = lamp blink since 26s, alert P9 Mail: "Nine" [Close, View]
27s   open P9
        responded mail P9 action=com.apple.UNNotificationDefaultActionIdentifier
        lifecycle mail state=foreground
        cleared mail P9 reason=notification-opened rule=N10 count=1
        > stop the sound of P9
        > launch mail with P9
        > stop the sound of P9
        = dark
