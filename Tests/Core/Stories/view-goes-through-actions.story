story: View goes through an alert's actions, and what is selected is done when it is not pressed again
rules: N15, D2, N4
0s    given install mail hooks category.ASK=ACCEPT*,REPLY?,DECLINE,DELETE#; register mail alert; set mail style alert
1s    push mail alert="Dinner?" category=ASK
        presented mail P1 style=alert listed=yes
        = lamp blink since 1s, alert P1 Mail: "Dinner?" [Close, View] {Accept, Reply, Decline, Delete}
# Once: as without actions, a moment later.
2s    press view
        selected mail P1 action=com.apple.UNNotificationDefaultActionIdentifier
5s    background mail
        at 4s
        answered mail P1 button=view
        lifecycle mail state=foreground
        cleared mail P1 reason=notification-opened rule=N10 count=1
        > stop the sound of P1
        > launch mail with P1
        > stop the sound of P1
        = dark
        at 5s
        lifecycle mail state=background
6s    push mail alert="Lunch?" category=ASK
        presented mail P2 style=alert listed=yes
        = lamp blink since 6s, alert P2 Mail: "Lunch?" [Close, View] {Accept, Reply, Decline, Delete}
# A text cannot be written with a button.
7s    press view
        selected mail P2 action=com.apple.UNNotificationDefaultActionIdentifier
8s    press view
        selected mail P2 action=ACCEPT
        = lamp blink since 6s, alert P2 Mail: "Lunch?" [Close, View] {Accept, Reply, Decline, Delete}, selected Accept
9s    press view
        selected mail P2 action=DECLINE
        = lamp blink since 6s, alert P2 Mail: "Lunch?" [Close, View] {Accept, Reply, Decline, Delete}, selected Decline
10s   press view
        selected mail P2 action=DELETE
        = lamp blink since 6s, alert P2 Mail: "Lunch?" [Close, View] {Accept, Reply, Decline, Delete}, selected Delete
11s   press view
        selected mail P2 action=com.apple.UNNotificationDefaultActionIdentifier
        = lamp blink since 6s, alert P2 Mail: "Lunch?" [Close, View] {Accept, Reply, Decline, Delete}
12s   press view
        selected mail P2 action=ACCEPT
        = lamp blink since 6s, alert P2 Mail: "Lunch?" [Close, View] {Accept, Reply, Decline, Delete}, selected Accept
12s   press view
        selected mail P2 action=DECLINE
        = lamp blink since 6s, alert P2 Mail: "Lunch?" [Close, View] {Accept, Reply, Decline, Delete}, selected Decline
15s   complete mail P2
        at 14s
        responded mail P2 action=DECLINE
        delivered mail P2 state=background
        cleared mail reason=responded rule=N15 count=1
        > give mail P2 in the background, action DECLINE: {"push":2}
        > stop the sound of P2
        > stop the sound of P2
        = dark
        at 15s
        completed mail P2 result=newData
# What needs the handset unlocked is passed over, and Close closes.
16s   given condition locked on
17s   push mail alert="Tea?" category=ASK no-action
        presented mail P3 style=alert listed=yes
        = lamp blink since 17s, alert P3 Mail: "Tea?" [OK] {Accept, Reply, Decline, Delete}
18s   press view
        selected mail P3 action=ACCEPT
        = lamp blink since 17s, alert P3 Mail: "Tea?" [OK] {Accept, Reply, Decline, Delete}, selected Accept
19s   press view
        selected mail P3 action=DECLINE
        = lamp blink since 17s, alert P3 Mail: "Tea?" [OK] {Accept, Reply, Decline, Delete}, selected Decline
20s   press view
        selected mail P3 action=ACCEPT
        = lamp blink since 17s, alert P3 Mail: "Tea?" [OK] {Accept, Reply, Decline, Delete}, selected Accept
20s   press close
        answered mail P3 button=close
        > stop the sound of P3
        = dark
23s   given condition locked off
# Another alert on top, or a restart, ends it.
24s   push mail alert="Cake?" category=ASK
        presented mail P4 style=alert listed=yes
        = lamp blink since 24s, alert P4 Mail: "Cake?" [Close, View] {Accept, Reply, Decline, Delete}
25s   press view
        selected mail P4 action=com.apple.UNNotificationDefaultActionIdentifier
26s   push mail alert="Soup?"
        presented mail P5 style=alert listed=yes
        = lamp blink since 26s, alert P5 Mail: "Soup?" [Close, View] over 1
29s   clear P5
        cleared mail reason=by-person rule=N10 count=1
        > stop the sound of P5
        = lamp blink since 26s, alert P4 Mail: "Cake?" [Close, View] {Accept, Reply, Decline, Delete}
30s   press view
        selected mail P4 action=com.apple.UNNotificationDefaultActionIdentifier
31s   restart
        lifecycle mail state=notRunning
        = lamp blink since 31s, alert P4 Mail: "Cake?" [Close, View] {Accept, Reply, Decline, Delete}
