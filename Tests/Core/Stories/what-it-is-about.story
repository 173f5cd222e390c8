story: opening a notification says what it is about
rules: N14, N15
0s      given install mail hooks category.ask=ACCEPT*,REPLY?; register mail badge sound alert; set mail style alert
1s      push mail alert="One" target=letters/1
        presented mail P1 style=alert listed=yes
        = lamp blink since 1s, alert P1 Mail: "One" [Close, View]
2s      push mail alert="Two" target=letters/2 category=ask
        presented mail P2 style=alert listed=yes
        = lamp blink since 2s, alert P2 Mail: "Two" [Close, View] {Accept, Reply} over 1
3s      push mail alert="Three" target=letters/3
        presented mail P3 style=alert listed=yes
        = lamp blink since 3s, alert P3 Mail: "Three" [Close, View] over 2
4s      open P1
        responded mail P1 action=com.apple.UNNotificationDefaultActionIdentifier
        lifecycle mail state=foreground
        seen mail count=2
        cleared mail P1 reason=notification-opened rule=N10 count=1
        > stop the sound of P1
        > launch mail with P1, about letters/1
        > stop the sound of P2
        > stop the sound of P3
        > stop the sound of P1
        = dark
5s      open P2 action=ACCEPT
        responded mail P2 action=ACCEPT
        cleared mail reason=responded rule=N15 count=1
        > stop the sound of P2
        > launch mail with P2, action ACCEPT, about letters/2
        > stop the sound of P2
6s      press view
        ! no alert is up
