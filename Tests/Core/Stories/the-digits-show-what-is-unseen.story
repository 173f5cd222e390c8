story: For senders that do not count, an app's number is how many of its notifications are unseen
rules: B1, B4, B5, S4

1s    given install mail; register mail badge alert; install news; register news badge alert
1s    given set mail badge-shows unseen
2s    push mail alert="One"
        presented mail P1 style=banner listed=yes
        = badge 1, lamp blink since 2s, banner P1 Mail: "One" until 7s
3s    push mail alert="Two" level=passive
        presented mail P2 style=banner listed=yes
        = badge 2, lamp blink since 2s, banner P2 Mail: "Two" until 8s
4s    push news alert="Three" badge=10
        badge news P3 number=10
        presented news P3 style=banner listed=yes
        = badge 12, lamp blink since 4s, banner P3 News: "Three" until 9s
5s    explain P2
        : R4 the token is the app's
        : F1 the handset is online: it arrives
        : R1 the app is registered
        : U2 it is a notification for the person
        : B5 the display shows how many of the app's notifications are unseen
        : B4 it has no badge: the badge is unchanged
        : A1 it has no sound
        : S2 notifications are on
        : S1 notifications are allowed for the app
        : S6 the app registered for every kind in it
        : N1 the app is not in the foreground: the system presents it
        : S1 it is listed in Notification Center
        : N3 a banner shows it for a few seconds
        : D1 the lamp does not show it
# The sum of both: two that are unseen, and a badge that is never counted.
5s    push news alert="Four" badge=10
        badge news P4 number=10
        presented news P4 style=banner listed=yes
        = badge 12, lamp blink since 5s, banner P4 News: "Four" until 10s
# Its own badge is kept, and not shown.
6s    push mail alert="Five" badge=7
        badge mail P5 number=7
        presented mail P5 style=banner listed=yes
        = badge 13, lamp blink since 6s, banner P5 Mail: "Five" until 11s
6s    explain P5 unlike P2
        : - B4 it has no badge: the badge is unchanged
        : - D1 the lamp does not show it
        : + B1 its number is the app's badge
        : + D1 the lamp shows it
7s    clear P1
        cleared mail reason=by-person rule=N10 count=1
        > stop the sound of P1
        = badge 12, lamp blink since 6s, banner P5 Mail: "Five" until 11s
8s    given set mail badge off
        = badge 10, lamp blink since 6s, banner P5 Mail: "Five" until 11s
9s    given set mail badge on
        = badge 12, lamp blink since 6s, banner P5 Mail: "Five" until 11s
10s   given set handset badge-shows mail
        = badge 2, lamp blink since 6s, banner P5 Mail: "Five" until 11s
11s   restart
        at 11s
        = badge 2, lamp blink since 6s
        = badge 2, lamp blink since 11s
12s   press close
        button button=close press=short
        seen count=4
        > silence all
        = dark
13s   push mail alert="Six"
        presented mail P6 style=banner listed=yes
        = badge 1, lamp blink since 13s, banner P6 Mail: "Six" until 18s
14s   given set mail badge-shows sent
        = badge 7, lamp blink since 13s, banner P6 Mail: "Six" until 18s
15s   given set mail badge-shows unseen
        = badge 1, lamp blink since 13s, banner P6 Mail: "Six" until 18s
# Opening the app marks what it had as seen.
16s   launch mail
        lifecycle mail state=foreground
        seen mail count=1
        > stop the sound of P6
        = dark
17s   background mail
        lifecycle mail state=background
18s   push mail alert="Seven" collapse=a
        presented mail P7 style=banner listed=yes
        = badge 1, lamp blink since 18s, banner P7 Mail: "Seven" until 23s
19s   push mail alert="Eight" collapse=a
        presented mail P8 style=banner listed=yes replaces=P7
        > stop the sound of P7
        = badge 1, lamp blink since 19s, banner P8 Mail: "Eight" until 24s
20s   set mail show-in-notification-center off
        setting mail key=show-in-notification-center value=off
        cleared mail reason=not-allowed rule=S1 count=4
        = banner P8 Mail: "Eight" until 24s
21s   set mail badge-shows all
        ! setting 'badge-shows' cannot be 'all': expected sent, unseen
22s   uninstall mail
        setting key=badge-shows value=sum
        uninstalled mail
        > stop the sound of P8
        = badge 10
