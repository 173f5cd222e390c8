story: Deferred notifications go to the service extension when they are presented, and one of them sounds
rules: Q1, Q2, Q4, X1, L1, S3

0s    given install mail extension; register mail badge sound alert; set mail summary on
0s    given set handset summary 08:00,18:00
1s    push mail alert="One" sound=default mutable
        deferred mail P1 reason=summary rule=Q2 until=8h
2s    push mail alert="Two" sound=default mutable
        deferred mail P2 reason=summary rule=Q2 until=8h
3s    push mail alert="Three" sound=default mutable relevance=-1
        deferred mail P3 reason=summary rule=Q2 until=8h
8h    wait
        at 8h
        arrived mail P3
        held mail P3 reason=service-extension rule=X1
        arrived mail P1
        held mail P1 reason=service-extension rule=X1
        arrived mail P2
        held mail P2 reason=service-extension rule=X1
        > extend mail P3: {"push":3}
        > extend mail P1: {"push":1}
        > extend mail P2: {"push":2}
8h1s  extended mail P1 alert="First" sound=default
        extended mail P1 result=changed
        presented mail P1 style=banner listed=yes silenced=grouped rule=Q1
        = lamp blink since 8h1s, banner P1 Mail: "First" until 8h6s
8h2s  extended mail P2 alert="Second" sound=default
        extended mail P2 result=changed
        presented mail P2 style=banner listed=yes sound=default vibration=pulse
        > play the default sound for P2
        = lamp blink since 8h2s, banner P2 Mail: "Second" until 8h7s
8h3s  extended mail P3 timed-out
        extended mail P3 result=timed-out
        presented mail P3 style=banner listed=yes silenced=grouped rule=Q1
        = lamp blink since 8h3s, banner P3 Mail: "Three" until 8h8s
# One that is presented at once sounds for all.
9h    push mail alert="Four" sound=default mutable
        at 8h8s
        = lamp blink since 8h3s
        at 9h
        deferred mail P4 reason=summary rule=Q2 until=18h
9h    push mail alert="Five" sound=default
        deferred mail P5 reason=summary rule=Q2 until=18h
18h   wait
        at 18h
        arrived mail P4
        held mail P4 reason=service-extension rule=X1
        arrived mail P5
        presented mail P5 style=banner listed=yes sound=default vibration=pulse
        > extend mail P4: {"push":4}
        > play the default sound for P5
        = lamp blink since 18h, banner P5 Mail: "Five" until 18h5s
18h1s extended mail P4 failed=busy
        extended mail P4 result=failed detail=busy
        presented mail P4 style=banner listed=yes silenced=grouped rule=Q1
        = lamp blink since 18h1s, banner P4 Mail: "Four" until 18h6s
# A local notification never waits in the service, but for the summary it does; a provisional app's is only listed.
19h   set handset fetch-mode manual
        at 18h6s
        = lamp blink since 18h1s
        at 19h
        setting key=fetch-mode value=manual
19h   schedule mail tea in=1m alert="Tea" sound=default
        scheduled mail P6 identifier=tea due=19h1m
20h   set mail summary off
        at 19h1m
        due mail P6 identifier=tea
        deferred mail P6 reason=summary rule=Q2 until=1d8h
        at 20h
        setting mail key=summary value=off
        arrived mail P6
        presented mail P6 style=banner listed=yes sound=default vibration=pulse
        > play the default sound for P6
        = lamp blink since 20h, banner P6 Mail: "Tea" until 20h5s
20h   given install chess; register chess alert sound badge provisional
20h   schedule chess move in=1m alert="Your move" badge=2 sound=default
        scheduled chess P7 identifier=move due=20h1m
20h2m push mail alert="Six" sound=default mutable
        at 20h5s
        = lamp blink since 20h
        at 20h1m
        due chess P7 identifier=move
        badge chess P7 number=2
        presented chess P7 style=none listed=yes
        at 20h2m
        kept mail P8 reason=fetch-manual rule=S3
20h3m fetch all
        fetched reason=by-person rule=F4 count=1
        arrived mail P8
        held mail P8 reason=service-extension rule=X1
        > extend mail P8: {"push":8}
20h4m extended mail P8 alert="Sixth" sound=default
        extended mail P8 result=changed
        presented mail P8 style=banner listed=yes sound=default vibration=pulse
        > play the default sound for P8
        = lamp blink since 20h4m, banner P8 Mail: "Sixth" until 20h4m5s
