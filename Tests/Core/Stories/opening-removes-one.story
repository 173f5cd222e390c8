story: opening a notification removes that one
rules: N10, N14, N15
0s      given install mail hooks category.ask=ACCEPT*,REPLY?; register mail badge sound alert; set mail style alert
1s      push mail alert="One" badge=3
        badge mail P1 number=3
        presented mail P1 style=alert listed=yes
        = badge 3, lamp blink since 1s, alert P1 Mail: "One" [Close, View]
2s      push mail alert="Two" category=ask
        presented mail P2 style=alert listed=yes
        = badge 3, lamp blink since 2s, alert P2 Mail: "Two" [Close, View] {Accept, Reply} over 1
3s      push mail alert="Three" action.Look=view,keep
        presented mail P3 style=alert listed=yes
        = badge 3, lamp blink since 3s, alert P3 Mail: "Three" [Close, View] {Look} over 2
4s      push mail alert="Four"
        presented mail P4 style=alert listed=yes
        = badge 3, lamp blink since 4s, alert P4 Mail: "Four" [Close, View] over 3
# With View, or from the list. The others are seen.
5s      press view
        answered mail P4 button=view
        lifecycle mail state=foreground
        seen mail count=3
        cleared mail P4 reason=notification-opened rule=N10 count=1
        > stop the sound of P4
        > launch mail with P4
        > stop the sound of P1
        > stop the sound of P2
        > stop the sound of P3
        > stop the sound of P4
        = badge 3
6s      center
        : P1 Mail: "One"
        : P2 Mail: "Two"
        : P3 Mail: "Three"
7s      open P1
        responded mail P1 action=com.apple.UNNotificationDefaultActionIdentifier
        cleared mail P1 reason=notification-opened rule=N10 count=1
        > stop the sound of P1
        > launch mail with P1
        > stop the sound of P1
8s      center
        : P2 Mail: "Two"
        : P3 Mail: "Three"
# An action that opens the app removes it, unless it keeps its notification.
9s      open P2 action=ACCEPT
        responded mail P2 action=ACCEPT
        cleared mail reason=responded rule=N15 count=1
        > stop the sound of P2
        > launch mail with P2, action ACCEPT
        > stop the sound of P2
10s     open P3 action=Look
        responded mail P3 action=1
        > stop the sound of P3
        > launch mail with P3, action 1
11s     center
        : P3 Mail: "Three"
12s     open P3
        responded mail P3 action=com.apple.UNNotificationDefaultActionIdentifier
        cleared mail P3 reason=notification-opened rule=N10 count=1
        > stop the sound of P3
        > launch mail with P3
        > stop the sound of P3
13s     center
        : empty
