story: Of each background update it can be told why it was delivered, held or dropped
rules: F3
0s    given install mail background; install shop; register mail badge sound alert; register shop badge sound alert
1s    push shop background
        discarded shop P1 reason=no-background-mode rule=U1
1s    explain P1
        : R4 the token is the app's
        : F1 the handset is online: it arrives
        : R1 the app is registered
        : U2 it is a background update, with nothing for a person
        : U1 the app has no remote-notification background mode
2s    push mail background alert=Hello sound=bell
        lifecycle mail state=background
        delivered mail P2 state=background
        completed mail P2 result=noData
2s    explain P2 unlike P1
        : - U1 the app has no remote-notification background mode
        : + U3 a push of type background presents nothing
        : + U1 the app takes background updates
        : + U7 budget and conditions allow the delivery
3s    push mail alert=Hello content-available
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
        delivered mail P4 state=background
        completed mail P4 result=noData
4s    explain P4 unlike P1
        : - U1 the app has no remote-notification background mode
        : + U1 the app takes background updates
        : + U7 budget and conditions allow the delivery
# The budget is spent.
5s    push mail background
        held mail P5 reason=budget rule=U7
5s    explain P5 unlike P1
        : - U1 the app has no remote-notification background mode
        : + U1 the app takes background updates
        : + U7 three updates were delivered in the last 60 minutes
6s    push mail background expires=1m
        discarded mail P5 reason=replaced rule=U4 replacedBy=P6
        held mail P6 reason=budget rule=U7
6s    explain P6 unlike P1
        : - U1 the app has no remote-notification background mode
        : + U1 the app takes background updates
        : + U4 it replaced the held update
        : + U7 three updates were delivered in the last 60 minutes
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
6m    given condition low-power on
6m    push mail background
        held mail P7 reason=low-power rule=U7
6m    explain P7 unlike P1
        : - U1 the app has no remote-notification background mode
        : + U1 the app takes background updates
        : + U7 the handset saves power
7m    given condition low-power off; set handset fetch-mode manual
7m    push mail background
        kept mail P8 reason=fetch-manual rule=S3
7m    explain P8 unlike P1
        : - F1 the handset is online: it arrives
        : - R1 the app is registered
        : - U2 it is a background update, with nothing for a person
        : - U1 the app has no remote-notification background mode
        : + S3 it waits in the service until somebody fetches or opens the app
8m    given set handset fetch-mode fetch
70m   push mail background
        at 23m
        fetched reason=fetch-interval rule=F4 count=1
        arrived mail P8
        discarded mail P7 reason=replaced rule=U4 replacedBy=P8
        held mail P8 reason=budget rule=U7
        at 1h2s
        delivered mail P8 state=background
        completed mail P8 result=noData
        at 1h10m
        kept mail P9 reason=fetch-interval rule=S3
70m   explain P9 unlike P1
        : - F1 the handset is online: it arrives
        : - R1 the app is registered
        : - U2 it is a background update, with nothing for a person
        : - U1 the app has no remote-notification background mode
        : + S3 it waits in the service for the fetch interval
70m   set handset fetch-mode push
        setting key=fetch-mode value=push
        arrived mail P9
        delivered mail P9 state=background
        completed mail P9 result=noData
71m   force-quit mail
        lifecycle mail state=forceQuit
71m   push mail background
        discarded mail P10 reason=is-force-quit rule=U5
71m   explain P10 unlike P1
        : - U1 the app has no remote-notification background mode
        : + U1 the app takes background updates
        : + U5 the app is force-quit and is not woken
72m   launch mail
        lifecycle mail state=foreground
        seen mail count=1
        > stop the sound of P3
        = dark
72m   push mail background
        delivered mail P11 state=foreground
        completed mail P11 result=noData
72m   explain P11 unlike P1
        : - U1 the app has no remote-notification background mode
        : + U10 the app is in the foreground: it gets the update at once, outside the budget
73m   push mail alert=Hello
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
        not-presented mail P14 reason=nothing-to-show
75m   explain P14 unlike P13
        : - N2 the app is in the foreground: it gets the push

# F1: offline the service keeps the newest, and its rules are gone through when it arrives.
80m   given condition offline on
80m   push mail alert=Hello expires=once
        discarded mail P15 reason=not-kept rule=F1
80m   explain P15
        : R4 the token is the app's
        : F1 it could not be delivered at once, and the push allows only one attempt
81m   push mail alert=Hello
        kept mail P16 reason=offline rule=F1
81m   explain P16
        : R4 the token is the app's
        : F1 the handset was unreachable
82m   push mail alert="Hello again"
        discarded mail P16 reason=replaced-offline rule=F1 replacedBy=P17
        kept mail P17 reason=offline rule=F1
82m   explain P17 unlike P16
        : + F1 it replaced an older push that the service kept
83m   condition offline off
        condition condition=offline on=no
        arrived mail P17
        presented mail P17 style=banner listed=yes
        = lamp blink since 1h23m, banner P17 Mail: "Hello again" until 1h23m5s
83m   explain P17 unlike P3
        : - R4 the token is the app's
        : - U2 it is a notification for the person that also wakes the app
        : - U1 the app takes background updates
        : - U7 budget and conditions allow the delivery
        : + U2 it is a notification for the person

# An app that listens, and is not there.
90m   install chat background
        at 1h23m5s
        = lamp blink since 1h23m
        at 1h30m
        installed chat
90m   given register chat alert; set handset fetch-mode push
91m   listen chat background
        lifecycle chat state=background
91m   disconnect chat
        lifecycle chat state=notRunning
92m   push chat background
        held chat P18 reason=not-connected rule=U8
92m   explain P18 unlike P1
        : - U1 the app has no remote-notification background mode
        : + U1 the app takes background updates
        : + U8 the app listens and is not connected
93m   launch chat
        lifecycle chat state=foreground
93m   push chat alert=Hello
        not-presented chat P19 reason=foreground rule=N2
        discarded chat P19 reason=not-listening rule=N2
93m   explain P19 unlike P12
        : - N2 the app is in the foreground: it gets the push
        : + N2 the app is in the foreground without a connection and ignores it
