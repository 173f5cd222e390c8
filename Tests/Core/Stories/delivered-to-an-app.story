story: A running app lists and removes what is delivered of its own, and learns that it left the foreground
rules: N17, B6
0s    given install mail; register mail badge alert; install news; register news alert
1s    push mail alert="One"
        presented mail P1 style=banner listed=yes
        = lamp blink since 1s, banner P1 Mail: "One" until 6s
2s    push mail alert="Two"
        presented mail P2 style=banner listed=yes
        = lamp blink since 2s, banner P2 Mail: "Two" until 7s
3s    push news alert="Three"
        presented news P3 style=banner listed=yes
        = lamp blink since 3s, banner P3 News: "Three" until 8s
# Only while it runs.
4s    remove mail P1
        ! 'mail' is not running
4s    delivered mail
        ! 'mail' is not running
5s    listen mail background
        lifecycle mail state=background
6s    delivered mail
        > tell mail what is delivered
7s    remove mail P1 P3
        cleared mail reason=by-app rule=N17 count=1
        > stop the sound of P1
8s    center
        at 8s
        = lamp blink since 3s
        : P2 Mail: "Two" unseen
        : P3 News: "Three" unseen
9s    push mail alert="Four"
        presented mail P4 style=banner listed=yes
        = lamp blink since 9s, banner P4 Mail: "Four" until 14s
10s   remove mail all
        cleared mail reason=by-app rule=N17 count=2
        > stop the sound of P2
        > stop the sound of P4
        = lamp blink since 9s
11s   remove mail all
12s   center
        : P3 News: "Three" unseen
13s   badge mail 3
        badge mail number=3
        = badge 3, lamp blink since 9s
# Another app, and the person, take it out of the foreground; that it goes by itself it knows.
14s   listen mail foreground
        lifecycle mail state=foreground
15s   launch news
        lifecycle mail state=background
        lifecycle news state=foreground
        seen news count=1
        > tell mail that it left the foreground
        > stop the sound of P3
        = badge 3
16s   listen mail foreground
        lifecycle news state=background
        lifecycle mail state=foreground
17s   background mail
        lifecycle mail state=background
        > tell mail that it left the foreground
18s   listen mail foreground
        lifecycle mail state=foreground
19s   listen mail background
        lifecycle mail state=background
