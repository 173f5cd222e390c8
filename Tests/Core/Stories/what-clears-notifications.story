story: A person removes a notification, a section or all; launching an app removes nothing
rules: N10, D1

0s    given install mail; register mail alert badge; install news; register news alert badge
1s    push mail alert="One" badge=1
        badge mail P1 number=1
        presented mail P1 style=banner listed=yes
        = badge 1, lamp blink since 1s, banner P1 Mail: "One" until 6s
2s    push mail alert="Two"
        presented mail P2 style=banner listed=yes
        = badge 1, lamp blink since 2s, banner P2 Mail: "Two" until 7s
3s    push news alert="Three"
        presented news P3 style=banner listed=yes
        = badge 1, lamp blink since 3s, banner P3 News: "Three" until 8s
4s    push news alert="Four"
        presented news P4 style=banner listed=yes
        = badge 1, lamp blink since 4s, banner P4 News: "Four" until 9s
5s    clear P1
        cleared mail reason=by-person rule=N10 count=1
        > stop the sound of P1
6s    clear P1
        ! there is no notification 0
7s    center
        : P2 Mail: "Two" unseen
        : P3 News: "Three" unseen
        : P4 News: "Four" unseen
8s    launch news
        lifecycle news state=foreground
        seen news count=2
        > stop the sound of P3
        > stop the sound of P4
        = badge 1, lamp blink since 4s
9s    center
        : P2 Mail: "Two" unseen
        : P3 News: "Three"
        : P4 News: "Four"
10s   background news
        lifecycle news state=background
11s   push news alert="Five"
        presented news P5 style=banner listed=yes
        = badge 1, lamp blink since 11s, banner P5 News: "Five" until 16s
12s   clear mail
        cleared mail reason=by-person rule=N10 count=1
        > stop the sound of P2
13s   clear mail
14s   center
        : P3 News: "Three"
        : P4 News: "Four"
        : P5 News: "Five" unseen
15s   push mail alert="Six"
        presented mail P6 style=banner listed=yes
        = badge 1, lamp blink since 15s, banner P6 Mail: "Six" until 20s
16s   clear all
        cleared mail reason=by-person rule=N10 count=1
        cleared news reason=by-person rule=N10 count=3
        > stop the sound of P6
        > stop the sound of P3
        > stop the sound of P4
        > stop the sound of P5
        = badge 1
17s   center
        : empty
18s   clear all
19s   clear chess
        ! no app 'chess' is installed
# The badge is the app's and its provider's business: clearing leaves it.
20s   state mail
        : notRunning, registered for badge,alert, T1, badge 1
