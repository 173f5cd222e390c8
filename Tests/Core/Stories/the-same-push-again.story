story: A push whose answer was lost comes again, and counts once
rules: P1
0s    given install mail background; register mail badge sound alert; install news; register news alert
1s    push mail alert="Letter" badge=1 sound=default
        badge mail P1 number=1
        presented mail P1 style=banner listed=yes sound=default vibration=pulse
        > play the default sound for P1
        = badge 1, lamp blink since 1s, banner P1 Mail: "Letter" until 6s
2s    push mail again=P1 alert="Letter" badge=1 sound=default
        duplicate mail P1 reason=came-again rule=P1
2s    explain P1
        : R4 the token is the app's
        : F1 the handset is online: it arrives
        : R1 the app is registered
        : U2 it is a notification for the person
        : B1 its number is the app's badge
        : S2 notifications are on
        : S1 notifications are allowed for the app
        : S6 the app registered for every kind in it
        : N1 the app is not in the foreground: the system presents it
        : S1 it is listed in Notification Center
        : N3 a banner shows it for a few seconds
        : S5 neither silence nor quiet hours: its sound is played
        : A1 it asks for the default sound
        : D3 the motor vibrates, if one is fitted
        : D1 the lamp shows it
2s    center
        : P1 Mail: "Letter" unseen
# Other words under the same identifier are another push, and an event says so.
3s    push mail id=P1 alert="Other letter" badge=2
        reused-id mail P1 reason=id-in-use rule=P1
        badge mail P1 number=2
        presented mail P1 style=banner listed=yes
        = badge 2, lamp blink since 3s, banner P1 Mail: "Other letter" until 8s
3s    explain P1
        : R4 the token is the app's
        : P1 another push had its apns-id within the last hour: this one is new
        : F1 the handset is online: it arrives
        : R1 the app is registered
        : U2 it is a notification for the person
        : B1 its number is the app's badge
        : A1 it has no sound
        : S2 notifications are on
        : S1 notifications are allowed for the app
        : S6 the app registered for every kind in it
        : N1 the app is not in the foreground: the system presents it
        : S1 it is listed in Notification Center
        : N3 a banner shows it for a few seconds
        : D1 the lamp shows it
# Of both, each counts once.
4s    push mail again=P1 alert="Letter" badge=1
        duplicate mail P1 reason=came-again rule=P1
5s    push mail again=P3 id=P1 alert="Other letter" badge=2
        duplicate mail P1 reason=came-again rule=P1
# The same for another app is another push too.
6s    push news again=P1 alert="Letter"
        reused-id news P1 reason=id-in-use rule=P1
        presented news P1 style=banner listed=yes
        = badge 2, lamp blink since 6s, banner P1 News: "Letter" until 11s
7s    push news again=P1 alert="Letter"
        duplicate news P1 reason=came-again rule=P1
# An identifier that the gateway made does not come again.
8s    push mail alert="Nameless" made-id
        presented mail P8 style=banner listed=yes
        = badge 2, lamp blink since 8s, banner P8 Mail: "Nameless" until 13s
9s    push mail again=P8 alert="Nameless" made-id
        presented mail P8 style=banner listed=yes
        = badge 2, lamp blink since 9s, banner P8 Mail: "Nameless" until 14s
9s    clear all
        cleared mail reason=by-person rule=N10 count=4
        cleared news reason=by-person rule=N10 count=1
        > stop the sound of P1
        > stop the sound of P1
        > stop the sound of P8
        > stop the sound of P8
        > stop the sound of P1
        = badge 2
# Whatever became of the first: discarded, held or kept.
10s   push news background
        discarded news P10 reason=no-background-mode rule=U1
11s   push news again=P10 background
        duplicate news P10 reason=came-again rule=P1
12s   given condition low-power on
13s   push mail background
        held mail P12 reason=low-power rule=U7
14s   push mail again=P12 background
        duplicate mail P12 reason=came-again rule=P1
14s   held mail
        : P12 until 30d13s
15s   condition low-power off
        condition condition=low-power on=no
        lifecycle mail state=background
        delivered mail P12 state=background
        completed mail P12 result=noData
16s   given condition offline on
17s   push mail alert="Kept"
        kept mail P14 reason=offline rule=F1
18s   push mail again=P14 alert="Kept"
        duplicate mail P14 reason=came-again rule=P1
19s   push mail alert="Once" expires=once
        discarded mail P16 reason=not-kept rule=F1
20s   push mail again=P16 alert="Once" expires=once
        duplicate mail P16 reason=came-again rule=P1
21s   condition offline off
        condition condition=offline on=no
        arrived mail P14
        presented mail P14 style=banner listed=yes
        = badge 2, lamp blink since 21s, banner P14 Mail: "Kept" until 26s
22s   push mail again=P14 alert="Kept"
        duplicate mail P14 reason=came-again rule=P1
# What was refused is not remembered.
30s   push news token=T1 alert="Whose"
        at 26s
        = badge 2, lamp blink since 21s
        at 30s
        ! the device token is another app's
        refused news P19 status=400 reason=DeviceTokenNotForTopic detail="the device token is another app's"
31s   push mail again=P19 token=T1 alert="Whose"
        presented mail P19 style=banner listed=yes
        = badge 2, lamp blink since 31s, banner P19 Mail: "Whose" until 36s
# It is an hour, and a restart does not shorten it.
40s   clear all
        at 36s
        = badge 2, lamp blink since 31s
        at 40s
        cleared mail reason=by-person rule=N10 count=2
        > stop the sound of P14
        > stop the sound of P19
        = badge 2
1m    restart
1h    push mail again=P1 alert="Letter"
        duplicate mail P1 reason=came-again rule=P1
1h1s  push mail again=P1 alert="Letter"
        reused-id mail P1 reason=id-in-use rule=P1
        presented mail P1 style=banner listed=yes
        = badge 2, lamp blink since 1h1s, banner P1 Mail: "Letter" until 1h6s
1h2s  push mail again=P1 alert="Letter"
        duplicate mail P1 reason=came-again rule=P1
