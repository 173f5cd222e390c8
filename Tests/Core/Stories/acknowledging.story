story: An app's receiver is called once for each notification that the person answers
rules: N13, R3
0s    given install mail acknowledge=https://mail.example/seen; register mail badge sound alert; install news
0s    given register news alert; set mail style alert
# View, Close, and an alert that stays.
1s    push mail alert="One"
        presented mail P1 style=alert listed=yes
        = lamp blink since 1s, alert P1 Mail: "One" [Close, View]
2s    push mail alert="Two"
        presented mail P2 style=alert listed=yes
        = lamp blink since 2s, alert P2 Mail: "Two" [Close, View] over 1
3s    push mail alert="Three"
        presented mail P3 style=alert listed=yes
        = lamp blink since 3s, alert P3 Mail: "Three" [Close, View] over 2
4s    press close
        answered mail P3 button=close
        call-queued mail P3 answer=close
        > stop the sound of P3
        = lamp blink since 3s, alert P2 Mail: "Two" [Close, View] over 1
5s    calls
        : mail P3 close https://mail.example/seen
6s    called P3
        called mail P3 status=204 attempts=1
# Opening the app answers what is left of it.
7s    press view
        answered mail P2 button=view
        call-queued mail P2 answer=view
        lifecycle mail state=foreground
        seen mail count=1
        call-queued mail P1 answer=opened
        cleared mail P2 reason=notification-opened rule=N10 count=1
        > stop the sound of P2
        > stop the sound of P1
        > stop the sound of P2
        = dark
8s    calls
        : mail P2 view https://mail.example/seen
        : mail P1 opened https://mail.example/seen
9s    called P2 failed="status 503"
        call-failed mail P2 problem="status 503"
9s    called P2 attempts=2
        called mail P2 status=204 attempts=2
10s   called P1 gave-up="status 410"
        call-ended mail P1 reason=gave-up rule=N13 count=1 problem="status 410"
10s   called P1
        ! no call 0 waits
11s   background mail
        lifecycle mail state=background
# Dismissed in the list, marked as seen, and once only.
12s   given set mail style banner
13s   push mail alert="Four"
        presented mail P4 style=banner listed=yes
        = lamp blink since 13s, banner P4 Mail: "Four" until 18s
14s   clear P4
        cleared mail reason=by-person rule=N10 count=1
        call-queued mail P4 answer=dismissed
        > stop the sound of P4
        = dark
15s   push mail alert="Five"
        presented mail P5 style=banner listed=yes
        = lamp blink since 15s, banner P5 Mail: "Five" until 20s
15s   push news alert="Six"
        presented news P6 style=banner listed=yes
        = lamp blink since 15s, banner P6 News: "Six" until 20s
16s   press close
        button button=close press=short
        seen count=2
        call-queued mail P5 answer=seen
        > silence all
        = banner P6 News: "Six" until 20s
17s   clear mail
        cleared mail reason=by-person rule=N10 count=3
        > stop the sound of P1
        > stop the sound of P3
        > stop the sound of P5
18s   calls
        : mail P4 dismissed https://mail.example/seen
        : mail P5 seen https://mail.example/seen
# What time or another push does is no answer.
19s   push mail alert="Seven" collapse=c
        presented mail P7 style=banner listed=yes
        = lamp blink since 19s, banner P7 Mail: "Seven" until 24s
20s   push mail alert="Eight" collapse=c
        presented mail P8 style=banner listed=yes replaces=P7
        > stop the sound of P7
        = lamp blink since 20s, banner P8 Mail: "Eight" until 25s
21s   push mail badge=0
        badge mail P9 number=0
        cleared mail P9 reason=badge-zero rule=B3 count=1
        = banner P8 Mail: "Eight" until 25s
22s   calls
        : mail P4 dismissed https://mail.example/seen
        : mail P5 seen https://mail.example/seen
# An action of a notification is a call of its own.
23s   action news P6 https://news.example/hook
        call-queued news P6 answer=action
24s   calls
        : mail P4 dismissed https://mail.example/seen
        : mail P5 seen https://mail.example/seen
        : news P6 action https://news.example/hook
25s   restart
        at 25s
        = dark
26s   calls
        : mail P4 dismissed https://mail.example/seen
        : mail P5 seen https://mail.example/seen
        : news P6 action https://news.example/hook
27s   uninstall mail
        call-ended mail reason=uninstalled rule=R3 count=2
        uninstalled mail
28s   calls
        : news P6 action https://news.example/hook
28s   action post P6 https://news.example/hook
        ! no app 'post' is installed
