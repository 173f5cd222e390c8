story: The service delivers pushes as they are sent, at an interval, or when somebody fetches
rules: S3, F1, F4, U7, U10

0s    given install mail background hooks sounds=letter; register mail badge sound alert; install news background
0s    given register news badge alert
# By hand: alerts wait, too, and updates, the newest of each app.
1s    given set handset fetch-mode manual
2s    push mail alert="One" badge=1 sound=letter
        kept mail P1 reason=fetch-manual rule=S3
3s    push mail alert="Two" badge=2 sound=letter
        discarded mail P1 reason=replaced-in-service rule=F1 replacedBy=P2
        kept mail P2 reason=fetch-manual rule=S3
4s    push news background
        kept news P3 reason=fetch-manual rule=S3
5s    kept mail
        : P2 until 30d3s
5s    kept news
        : P3 until 30d4s
6s    center
        : empty
# One that allows only one attempt is lost.
7s    push news alert="Now or never" expires=once
        discarded news P4 reason=not-kept rule=F1
8s    kept news
        : P3 until 30d4s
# Somebody fetches those of one app, or all.
9s    fetch mail
        fetched mail reason=by-person rule=F4 count=1
        arrived mail P2
        badge mail P2 number=2
        presented mail P2 style=banner listed=yes sound=letter vibration=pulse
        > play mail's letter for P2
        = badge 2, lamp blink since 9s, banner P2 Mail: "Two" until 14s
10s   background news
        lifecycle news state=background
11s   fetch all
        fetched reason=by-person rule=F4 count=1
        arrived news P3
        delivered news P3 state=background
        completed news P3 result=noData
12s   fetch all
        fetched reason=by-person rule=F4 count=0
# An app in the foreground is no exception: nothing is sent to the handset.
13s   launch news
        lifecycle news state=foreground
14s   push news alert="In front"
        at 14s
        = badge 2, lamp blink since 9s
        kept news P5 reason=fetch-manual rule=S3
15s   kept news
        : P5 until 30d14s
# Opening an app fetches what waits for it, and nothing else.
16s   push mail alert="For mail"
        kept mail P6 reason=fetch-manual rule=S3
17s   launch news
        fetched news reason=opened rule=F4 count=1
        arrived news P5
        not-presented news P5 reason=foreground rule=N2
        delivered news P5 state=foreground
        completed news P5 result=noData
18s   kept mail
        : P6 until 30d16s
19s   kept news
        : nothing
20s   background news
        lifecycle news state=background
# The interval is counted from when it was chosen. What waits then arrives in the order in which it was sent.
1h1s  given set handset fetch-mode fetch
1h2s  kept mail
        : P6 until 30d16s, fetched at 1h15m1s
1h3s  push news alert="News" collapse=n
        kept news P7 reason=fetch-interval rule=S3
1h4s  push mail badge=7
        discarded mail P6 reason=replaced-in-service rule=F1 replacedBy=P8
        kept mail P8 reason=fetch-interval rule=S3
1h16m  center
        at 1h15m1s
        fetched reason=fetch-interval rule=F4 count=2
        arrived news P7
        presented news P7 style=banner listed=yes
        arrived mail P8
        badge mail P8 number=7
        = badge 7, lamp blink since 1h15m1s, banner P7 News: "News" until 1h15m6s
        at 1h15m6s
        = badge 7, lamp blink since 1h15m1s
        at 1h16m
        : P2 Mail: "Two" unseen
        : P7 News: "News" unseen
1h17m  push mail background
        kept mail P9 reason=fetch-interval rule=S3
1h18m  kept mail
        : P9 until 30d1h17m, fetched at 1h30m1s
1h31m  wait
        at 1h30m1s
        fetched reason=fetch-interval rule=F4 count=1
        arrived mail P9
        lifecycle mail state=background
        delivered mail P9 state=background
        > give mail P9 in the background: {"push":9}
1h31m  complete mail P9
        completed mail P9 result=newData
# Nothing waits, so nobody is woken; the next one that comes waits for the end of its interval.
3h59m  push mail alert="Just before"
        kept mail P10 reason=fetch-interval rule=S3
4h    kept mail
        : P10 until 30d3h59m, fetched at 4h1s
4h1s  wait
        at 4h1s
        fetched reason=fetch-interval rule=F4 count=1
        arrived mail P10
        presented mail P10 style=banner listed=yes
        = badge 7, lamp blink since 4h1s, banner P10 Mail: "Just before" until 4h6s
4h1m  wait
        at 4h6s
        = badge 7, lamp blink since 4h1s
# One that comes exactly at the end of an interval waits for the next.
4h15m1s  push news alert="On time"
        kept news P11 reason=fetch-interval rule=S3
4h15m2s  kept news
        : P11 until 30d4h15m1s, fetched at 4h30m1s
4h29m  fetch news
        fetched news reason=by-person rule=F4 count=1
        arrived news P11
        presented news P11 style=banner listed=yes
        = badge 7, lamp blink since 4h29m, banner P11 News: "On time" until 4h29m5s
# Another interval, counted anew.
4h30m2s  push mail alert="Patience"
        at 4h29m5s
        = badge 7, lamp blink since 4h29m
        at 4h30m2s
        kept mail P12 reason=fetch-interval rule=S3
4h31m  given set handset fetch-interval 2h
4h31m  kept mail
        : P12 until 30d4h30m2s, fetched at 6h31m
4h31m  set handset fetch-interval 30s
        ! setting 'fetch-interval' cannot be '30s': expected minutes or hours from 1m to 24h, such as 15m
# An expiration counts here as well.
4h32m  push news alert="Short" expires=1m
        kept news P13 reason=fetch-interval rule=S3
4h34m  kept news
        at 4h33m
        discarded news P13 reason=expired-offline rule=F1
        at 4h34m
        : nothing
# As they are sent: what waits is delivered at once.
4h34m1s  push mail alert="Last"
        discarded mail P12 reason=replaced-in-service rule=F1 replacedBy=P14
        kept mail P14 reason=fetch-interval rule=S3
4h35m  set handset fetch-mode push
        setting key=fetch-mode value=push
        arrived mail P14
        presented mail P14 style=banner listed=yes
        = badge 7, lamp blink since 4h35m, banner P14 Mail: "Last" until 4h35m5s
4h36m  push news alert="At once"
        at 4h35m5s
        = badge 7, lamp blink since 4h35m
        at 4h36m
        presented news P15 style=banner listed=yes
        = badge 7, lamp blink since 4h36m, banner P15 News: "At once" until 4h36m5s

