story: Of each background update it can be told why it was delivered, held or dropped
rules: F3
0s    install mail background
        installed mail
0s    install shop
        installed shop
0s    register mail badge sound alert
        registered mail kinds=badge,sound,alert
0s    register shop badge sound alert
        registered shop kinds=badge,sound,alert
1s    push shop background
        accepted shop P1 type=background
        discarded shop P1 reason=no-background-mode rule=U1
1s    explain P1
        : R4 the token is the app's
        : F1 the handset is online: it arrives
        : R1 the app is registered
        : U2 it is a background update, with nothing for a person
        : U1 the app has no remote-notification background mode
2s    push mail background alert=Hello sound=bell
        accepted mail P2 type=background
        lifecycle mail state=background
        delivered mail P2 state=background
        completed mail P2 result=noData
2s    explain P2
        : R4 the token is the app's
        : F1 the handset is online: it arrives
        : R1 the app is registered
        : U3 a push of type background presents nothing
        : U2 it is a background update, with nothing for a person
        : U1 the app takes background updates
        : U7 budget and conditions allow the delivery
3s    push mail alert=Hello content-available
        accepted mail P3 type=alert
        presented mail P3 style=banner listed=yes
        delivered mail P3 state=background
        completed mail P3 result=noData
        = lamp blink since 3s, banner P3 Mail: "Hello" until 8s
3s    explain P3
        : R4 the token is the app's
        : F1 the handset is online: it arrives
        : R1 the app is registered
        : U2 it is a notification for the person that also wakes the app
        : B4 it has no badge: the badge is unchanged
        : A1 it has no sound
        : S2 notifications are on
        : S1 notifications are allowed for the app
        : S6 the app registered for every kind in it
        : N1 the app is not in the foreground: the system presents it
        : S1 it is listed in Notification Center
        : N3 a banner shows it for a few seconds
        : U1 the app takes background updates
        : U7 budget and conditions allow the delivery
        : D1 the lamp shows it
4s    push mail background
        accepted mail P4 type=background
        delivered mail P4 state=background
        completed mail P4 result=noData
4s    explain P4
        : R4 the token is the app's
        : F1 the handset is online: it arrives
        : R1 the app is registered
        : U2 it is a background update, with nothing for a person
        : U1 the app takes background updates
        : U7 budget and conditions allow the delivery
# The budget is spent.
5s    push mail background
        accepted mail P5 type=background
        held mail P5 reason=budget rule=U7
5s    explain P5
        : R4 the token is the app's
        : F1 the handset is online: it arrives
        : R1 the app is registered
        : U2 it is a background update, with nothing for a person
        : U1 the app takes background updates
        : U7 three updates were delivered in the last 60 minutes
6s    push mail background expires=1m
        accepted mail P6 type=background
        discarded mail P5 reason=replaced rule=U4 replacedBy=P6
        held mail P6 reason=budget rule=U7
6s    explain P6
        : R4 the token is the app's
        : F1 the handset is online: it arrives
        : R1 the app is registered
        : U2 it is a background update, with nothing for a person
        : U1 the app takes background updates
        : U4 it replaced the held update
        : U7 three updates were delivered in the last 60 minutes
5m    explain P6
        at 8s
        = lamp blink since 3s
        at 1m6s
        discarded mail P6 reason=expired rule=U9
        at 5m
        : R4 the token is the app's
        : F1 the handset is online: it arrives
        : R1 the app is registered
        : U2 it is a background update, with nothing for a person
        : U1 the app takes background updates
        : U4 it replaced the held update
        : U7 three updates were delivered in the last 60 minutes
6m    condition low-power on
        condition condition=low-power on=yes
6m    push mail background
        accepted mail P7 type=background
        held mail P7 reason=low-power rule=U7
6m    explain P7
        : R4 the token is the app's
        : F1 the handset is online: it arrives
        : R1 the app is registered
        : U2 it is a background update, with nothing for a person
        : U1 the app takes background updates
        : U7 the handset saves power
7m    condition low-power off
        condition condition=low-power on=no
7m    set handset fetch-mode manual
        setting key=fetch-mode value=manual
7m    push mail background
        accepted mail P8 type=background
        discarded mail P7 reason=replaced rule=U4 replacedBy=P8
        held mail P8 reason=fetch-manual rule=S3
7m    explain P8
        : R4 the token is the app's
        : F1 the handset is online: it arrives
        : R1 the app is registered
        : U2 it is a background update, with nothing for a person
        : U1 the app takes background updates
        : U4 it replaced the held update
        : S3 updates are fetched by hand
8m    set handset fetch-mode fetch
        setting key=fetch-mode value=fetch
70m   push mail background
        at 1h8m
        delivered mail P8 state=background
        completed mail P8 result=noData
        at 1h10m
        accepted mail P9 type=background
        held mail P9 reason=fetch-interval rule=S3
70m   explain P9
        : R4 the token is the app's
        : F1 the handset is online: it arrives
        : R1 the app is registered
        : U2 it is a background update, with nothing for a person
        : U1 the app takes background updates
        : S3 updates are fetched at an interval
71m   force-quit mail
        lifecycle mail state=forceQuit
        discarded mail P9 reason=force-quit rule=U5
71m   push mail background
        accepted mail P10 type=background
        discarded mail P10 reason=is-force-quit rule=U5
71m   explain P10
        : R4 the token is the app's
        : F1 the handset is online: it arrives
        : R1 the app is registered
        : U2 it is a background update, with nothing for a person
        : U1 the app takes background updates
        : U5 the app is force-quit and is not woken
72m   launch mail
        lifecycle mail state=foreground
        cleared mail reason=opened rule=N10 count=1
        > stop the sound of P3
        = dark
72m   push mail background
        accepted mail P11 type=background
        delivered mail P11 state=foreground
        completed mail P11 result=noData
72m   explain P11
        : R4 the token is the app's
        : F1 the handset is online: it arrives
        : R1 the app is registered
        : U2 it is a background update, with nothing for a person
        : U10 the app is in the foreground: it gets the update at once, outside the budget
73m   push mail alert=Hello
        accepted mail P12 type=alert
        not-presented mail P12 reason=foreground rule=N2
        delivered mail P12 state=foreground
        completed mail P12 result=noData
73m   explain P12
        : R4 the token is the app's
        : F1 the handset is online: it arrives
        : R1 the app is registered
        : U2 it is a notification for the person
        : B4 it has no badge: the badge is unchanged
        : A1 it has no sound
        : S2 notifications are on
        : S1 notifications are allowed for the app
        : S6 the app registered for every kind in it
        : N2 the app is in the foreground
        : N2 the app is in the foreground: it gets the push
74m   push mail
        accepted mail P13 type=alert
        delivered mail P13 state=foreground
        completed mail P13 result=noData
74m   explain P13
        : R4 the token is the app's
        : F1 the handset is online: it arrives
        : R1 the app is registered
        : U2 it contains nothing for a person and no update
        : N2 the app is in the foreground: it gets the push
75m   background mail
        lifecycle mail state=background
75m   push mail
        accepted mail P14 type=alert
        not-presented mail P14 reason=nothing-to-show
75m   explain P14
        : R4 the token is the app's
        : F1 the handset is online: it arrives
        : R1 the app is registered
        : U2 it contains nothing for a person and no update

# F1: offline the service keeps the newest, and its rules are gone through when it arrives.
80m   condition offline on
        condition condition=offline on=yes
80m   push mail alert=Hello expires=once
        accepted mail P15 type=alert
        discarded mail P15 reason=not-kept rule=F1
80m   explain P15
        : R4 the token is the app's
        : F1 the handset was unreachable, and the push allows only one attempt
81m   push mail alert=Hello
        accepted mail P16 type=alert
        kept mail P16 reason=offline rule=F1
81m   explain P16
        : R4 the token is the app's
        : F1 the handset was unreachable
82m   push mail alert="Hello again"
        accepted mail P17 type=alert
        discarded mail P16 reason=replaced-offline rule=F1 replacedBy=P17
        kept mail P17 reason=offline rule=F1
82m   explain P17
        : R4 the token is the app's
        : F1 it replaced an older push that the service kept
        : F1 the handset was unreachable
83m   condition offline off
        condition condition=offline on=no
        arrived mail P17
        presented mail P17 style=banner listed=yes
        = lamp blink since 1h23m, banner P17 Mail: "Hello again" until 1h23m5s
83m   explain P17
        : F1 the handset is online: it arrives
        : R1 the app is registered
        : U2 it is a notification for the person
        : B4 it has no badge: the badge is unchanged
        : A1 it has no sound
        : S2 notifications are on
        : S1 notifications are allowed for the app
        : S6 the app registered for every kind in it
        : N1 the app is not in the foreground: the system presents it
        : S1 it is listed in Notification Center
        : N3 a banner shows it for a few seconds
        : D1 the lamp shows it

# An app that listens, and is not there.
90m   install chat background
        at 1h23m5s
        = lamp blink since 1h23m
        at 1h30m
        installed chat
90m   register chat alert
        registered chat kinds=alert
90m   set handset fetch-mode push
        setting key=fetch-mode value=push
91m   listen chat background
        lifecycle chat state=background
91m   disconnect chat
        lifecycle chat state=notRunning
92m   push chat background
        accepted chat P18 type=background
        held chat P18 reason=not-connected rule=U8
92m   explain P18
        : R4 the token is the app's
        : F1 the handset is online: it arrives
        : R1 the app is registered
        : U2 it is a background update, with nothing for a person
        : U1 the app takes background updates
        : U8 the app listens and is not connected
93m   launch chat
        lifecycle chat state=foreground
93m   push chat alert=Hello
        accepted chat P19 type=alert
        not-presented chat P19 reason=foreground rule=N2
        discarded chat P19 reason=not-listening rule=N2
93m   explain P19
        : R4 the token is the app's
        : F1 the handset is online: it arrives
        : R1 the app is registered
        : U2 it is a notification for the person
        : B4 it has no badge: the badge is unchanged
        : A1 it has no sound
        : S2 notifications are on
        : S1 notifications are allowed for the app
        : S6 the app registered for every kind in it
        : N2 the app is in the foreground
        : N2 the app is in the foreground without a connection and ignores it
