story: launching an app marks its notifications as seen and clears nothing
rules: N10, N11, N13, D1, A4
0s      given install mail acknowledge=https://a.example/; register mail badge sound alert; set mail style alert
0s      given install news; register news badge sound alert
1s      push mail alert="One" sound=default repeat every=10s times=3
        presented mail P1 style=alert listed=yes sound=default vibration=pulse
        > play the default sound for P1
        = lamp blink since 1s, alert P1 Mail: "One" [Close, View]
2s      push mail alert="Two" badge=2
        badge mail P2 number=2
        presented mail P2 style=alert listed=yes
        = badge 2, lamp blink since 2s, alert P2 Mail: "Two" [Close, View] over 1
3s      push news alert="Three" sound=default
        presented news P3 style=banner listed=yes sound=default vibration=pulse
        > play the default sound for P3
        = badge 2, lamp blink since 3s, banner P3 News: "Three" until 8s, alert P2 Mail: "Two" [Close, View] over 1
4s      launch mail
        lifecycle mail state=foreground
        seen mail count=2
        call-queued mail P1 answer=opened
        call-queued mail P2 answer=opened
        > stop the sound of P1
        > stop the sound of P2
        = badge 2, lamp blink since 3s, banner P3 News: "Three" until 8s
5s      center
        : P1 Mail: "One"
        : P2 Mail: "Two"
        : P3 News: "Three" unseen
6s      alerts
        : none
7s      calls
        : mail P1 opened https://a.example/
        : mail P2 opened https://a.example/
# Nothing sounds again, and what is seen is not seen twice.
30s     wait
        at 8s
        = badge 2, lamp blink since 3s
31s     launch mail
# Badge zero clears the list (B3).
32s     badge mail 0
        badge mail number=0
        cleared mail reason=badge-zero rule=B3 count=2
        = lamp blink since 3s
33s     center
        : P3 News: "Three" unseen
# A banner ends too, and an alert that is not listed.
34s     background mail
        lifecycle mail state=background
34s     set mail show-in-notification-center off
        setting mail key=show-in-notification-center value=off
35s     push mail alert="Four"
        presented mail P4 style=alert listed=no
        = lamp blink since 3s, alert P4 Mail: "Four" [Close, View]
36s     launch mail
        lifecycle mail state=foreground
        seen mail count=1
        call-queued mail P4 answer=opened
        > stop the sound of P4
        = lamp blink since 3s
37s     alerts
        : none
38s     push news alert="Five"
        presented news P5 style=banner listed=yes
        = lamp blink since 38s, banner P5 News: "Five" until 43s
39s     launch news
        lifecycle mail state=background
        lifecycle news state=foreground
        seen news count=2
        > stop the sound of P3
        > stop the sound of P5
        = dark
