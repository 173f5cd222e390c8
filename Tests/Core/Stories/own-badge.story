story: An app that runs sets its own badge
rules: B6, B2, B3

0s    given install mail; register mail badge alert
1s    badge mail 3
        ! 'mail' is not running
2s    launch mail
        lifecycle mail state=foreground
3s    badge mail 3
        badge mail number=3
        = badge 3
4s    background mail
        lifecycle mail state=background
5s    push mail alert="One"
        presented mail P1 style=banner listed=yes
        = badge 3, lamp blink since 5s, banner P1 Mail: "One" until 10s
6s    badge mail 4
        badge mail number=4
        = badge 4, lamp blink since 5s, banner P1 Mail: "One" until 10s
7s    badge mail -1
        ! a badge is 0 or more, not -1
8s    badge mail 0
        badge mail number=0
        cleared mail reason=badge-zero rule=B3 count=1
        = banner P1 Mail: "One" until 10s
9s    center
        : empty
20s   kill mail
        at 10s
        = dark
        at 20s
        lifecycle mail state=notRunning
21s   badge mail 2
        ! 'mail' is not running
22s   force-quit mail
        lifecycle mail state=forceQuit
23s   badge mail 2
        ! 'mail' is not running
24s   badge chess 2
        ! no app 'chess' is installed
