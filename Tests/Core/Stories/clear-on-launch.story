story: with clear-on-launch, launching an app clears its notifications
rules: N10, N13
0s      given install mail acknowledge=https://a.example/; register mail badge sound alert; set mail style alert
1s      push mail alert="One"
        presented mail P1 style=alert listed=yes
        = lamp blink since 1s, alert P1 Mail: "One" [Close, View]
2s      push mail alert="Two" badge=2
        badge mail P2 number=2
        presented mail P2 style=alert listed=yes
        = badge 2, lamp blink since 2s, alert P2 Mail: "Two" [Close, View] over 1
3s      launch mail
        lifecycle mail state=foreground
        seen mail count=2
        call-queued mail P1 answer=opened
        call-queued mail P2 answer=opened
        > stop the sound of P1
        > stop the sound of P2
        = badge 2
4s      center
        : P1 Mail: "One"
        : P2 Mail: "Two"
5s      background mail
        lifecycle mail state=background
6s      set mail clear-on-launch on
        setting mail key=clear-on-launch value=on
7s      push mail alert="Three"
        presented mail P3 style=alert listed=yes
        = badge 2, lamp blink since 7s, alert P3 Mail: "Three" [Close, View]
8s      launch mail
        lifecycle mail state=foreground
        cleared mail reason=opened rule=N10 count=3
        call-queued mail P3 answer=opened
        > stop the sound of P1
        > stop the sound of P2
        > stop the sound of P3
        = badge 2
9s      center
        : empty
10s     calls
        : mail P1 opened https://a.example/
        : mail P2 opened https://a.example/
        : mail P3 opened https://a.example/
11s     background mail
        lifecycle mail state=background
12s     push mail alert="Four"
        presented mail P4 style=alert listed=yes
        = badge 2, lamp blink since 12s, alert P4 Mail: "Four" [Close, View]
13s     push mail alert="Five"
        presented mail P5 style=alert listed=yes
        = badge 2, lamp blink since 13s, alert P5 Mail: "Five" [Close, View] over 1
14s     press view
        answered mail P5 button=view
        call-queued mail P5 answer=view
        lifecycle mail state=foreground
        cleared mail reason=opened rule=N10 count=2
        call-queued mail P4 answer=opened
        > stop the sound of P5
        > stop the sound of P4
        > stop the sound of P5
        = badge 2
15s     center
        : empty
