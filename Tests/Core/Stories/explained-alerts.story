story: Of each notification it can be told why it rang, or did not
rules: F3
0s    given install mail sounds=letter
1s    push mail alert=Hello badge=1 sound=letter
        discarded mail P1 reason=not-registered rule=R1
1s    explain P1
        : R4 the token is the app's
        : F1 the handset is online: it arrives
        : R1 the app has not registered yet
2s    given register mail badge sound alert
3s    push mail alert=Hello badge=3 sound=letter
        badge mail P2 number=3
        presented mail P2 style=banner listed=yes sound=letter vibration=pulse
        > play mail's letter for P2
        = badge 3, lamp blink since 3s, banner P2 Mail: "Hello" until 8s
3s    explain P2
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
        : A1 the app has the sound
        : D3 the motor vibrates, if one is fitted
        : D1 the lamp shows it
# What the app has not, is the default sound.
4s    push mail alert=Hello sound=gong
        presented mail P3 style=banner listed=yes sound=default vibration=pulse
        > play the default sound for P3
        = badge 3, lamp blink since 4s, banner P3 Mail: "Hello" until 9s
4s    explain P3 unlike P2
        : - B1 its number is the app's badge
        : - A1 the app has the sound
        : + B4 it has no badge: the badge is unchanged
        : + A1 the app does not have the sound: the default sound is played
5s    push mail alert=Hello sound=default
        presented mail P4 style=banner listed=yes sound=default vibration=pulse
        > play the default sound for P4
        = badge 3, lamp blink since 5s, banner P4 Mail: "Hello" until 10s
5s    explain P4 unlike P2
        : - B1 its number is the app's badge
        : - A1 the app has the sound
        : + B4 it has no badge: the badge is unchanged
        : + A1 it asks for the default sound
6s    push mail alert=Hello
        presented mail P5 style=banner listed=yes
        = badge 3, lamp blink since 6s, banner P5 Mail: "Hello" until 11s
6s    explain P5 unlike P2
        : - B1 its number is the app's badge
        : - S5 neither silence nor quiet hours: its sound is played
        : - A1 the app has the sound
        : - D3 the motor vibrates, if one is fitted
        : + B4 it has no badge: the badge is unchanged
        : + A1 it has no sound

# S1: each switch.
10s   given set mail sound off
10s   push mail alert=Hello badge=4 sound=letter
        badge mail P6 number=4
        presented mail P6 style=banner listed=yes
        = badge 4, lamp blink since 10s, banner P6 Mail: "Hello" until 15s
10s   explain P6 unlike P2
        : - S5 neither silence nor quiet hours: its sound is played
        : - A1 the app has the sound
        : - D3 the motor vibrates, if one is fitted
        : + S1 the app's sound is switched off
11s   set mail alert off
        setting mail key=alert value=off
        cleared mail reason=not-allowed rule=S1 count=5
        > stop the sound of P2
        > stop the sound of P3
        > stop the sound of P4
        > stop the sound of P5
        > stop the sound of P6
        = badge 4
11s   given set mail sound on; set mail badge off
        = dark
11s   push mail alert=Hello badge=5 sound=letter
        badge mail P7 number=5
        presented mail P7 style=none listed=no sound=letter vibration=pulse
        > play mail's letter for P7
11s   explain P7 unlike P2
        : - S1 it is listed in Notification Center
        : - N3 a banner shows it for a few seconds
        : - D1 the lamp shows it
        : + S4 a setting hides the badge; its number is kept
        : + S1 the app's badge is switched off
        : + S1 the app's alerts are switched off
12s   given set mail badge on; set mail alert on; set mail style none
        = badge 5
12s   push mail alert=Hello sound=letter
        presented mail P8 style=none listed=yes sound=letter vibration=pulse
        > play mail's letter for P8
        = badge 5, lamp blink since 12s
12s   explain P8 unlike P2
        : - B1 its number is the app's badge
        : - N3 a banner shows it for a few seconds
        : + B4 it has no badge: the badge is unchanged
        : + S1 the app's style is none: no banner, no alert
13s   given set mail style alert
13s   set mail show-in-notification-center off
        setting mail key=show-in-notification-center value=off
        cleared mail reason=not-allowed rule=S1 count=1
        = badge 5
13s   push mail alert=Hello sound=letter
        presented mail P9 style=alert listed=no sound=letter vibration=pulse
        > play mail's letter for P9
        = badge 5, alert P9 Mail: "Hello" [Close, View]
13s   explain P9 unlike P2
        : - B1 its number is the app's badge
        : - S1 it is listed in Notification Center
        : - N3 a banner shows it for a few seconds
        : - D1 the lamp shows it
        : + B4 it has no badge: the badge is unchanged
        : + S1 the app is not shown in Notification Center
        : + N3 an alert shows it, until it is acted on
14s   given set mail show-in-notification-center on
14s   push mail alert=Hello collapse=a
        presented mail P10 style=alert listed=yes
        = badge 5, lamp blink since 14s, alert P10 Mail: "Hello" [Close, View] over 1
14s   explain P10
        : R4 the token is the app's
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
        : N3 an alert shows it, until it is acted on
        : N7 its alert is on top of others
        : D1 the lamp shows it
15s   push mail alert="Hello again" collapse=a
        presented mail P11 style=alert listed=yes replaces=P10
        > stop the sound of P10
        = badge 5, lamp blink since 15s, alert P11 Mail: "Hello again" [Close, View] over 1
15s   explain P11 unlike P10
        : + N8 it replaced the notification with its collapse identifier
16s   set mail allow-notifications off
        setting mail key=allow-notifications value=off
        cleared mail reason=not-allowed rule=S1 count=2
        > stop the sound of P9
        > stop the sound of P11
        = dark
16s   push mail alert=Hello badge=6 sound=letter
        badge mail P12 number=6
        not-presented mail P12 reason=app-not-allowed rule=S1
16s   explain P12
        : R4 the token is the app's
        : F1 the handset is online: it arrives
        : R1 the app is registered
        : U2 it is a notification for the person
        : B1 its number is the app's badge
        : S4 a setting hides the badge; its number is kept
        : S2 notifications are on
        : S1 notifications are off for this app
17s   given set mail allow-notifications on
        = badge 6

# S2, S5, N9.
20s   set handset notifications off
        setting key=notifications value=off
        > silence all
        = dark
20s   push mail alert=Hello badge=7 sound=letter
        badge mail P13 number=7
        not-presented mail P13 reason=handset-off rule=S2
20s   explain P13 unlike P12
        : - S2 notifications are on
        : - S1 notifications are off for this app
        : + S2 notifications are off for the whole handset
21s   given set handset notifications on
        = badge 7
21s   condition silent on
        condition condition=silent on=yes
        > silence all but critical
21s   push mail alert=Hello sound=letter
        presented mail P14 style=alert listed=yes vibration=pulse silenced=silent-switch rule=S5
        = badge 7, lamp blink since 21s, alert P14 Mail: "Hello" [Close, View]
21s   explain P14 unlike P10
        : - A1 it has no sound
        : - N7 its alert is on top of others
        : + S5 the ring/silent switch is on silent
        : + D3 the motor vibrates, if one is fitted
22s   given set handset vibrate-on-silent off
22s   push mail alert=Hello sound=letter
        presented mail P15 style=alert listed=yes silenced=silent-switch rule=S5
        = badge 7, lamp blink since 22s, alert P15 Mail: "Hello" [Close, View] over 1
22s   explain P15 unlike P10
        : - A1 it has no sound
        : + S5 the ring/silent switch is on silent
        : + S1 vibrating is switched off
23s   given condition silent off; set handset quiet-hours 00:00-01:00
23s   push mail alert=Hello sound=letter
        presented mail P16 style=alert listed=yes silenced=quiet-hours rule=S5
        = badge 7, lamp blink since 23s, alert P16 Mail: "Hello" [Close, View] over 2
23s   explain P16 unlike P10
        : - A1 it has no sound
        : + S5 these are quiet hours
        : + S1 vibrating is switched off
24s   push mail alert=Hello sound=letter level=time-sensitive
        presented mail P17 style=alert listed=yes sound=letter vibration=double
        > play mail's letter for P17
        = badge 7, lamp double since 24s, alert P17 Mail: "Hello" [Close, View] over 3
24s   explain P17 unlike P10
        : - A1 it has no sound
        : + N9 time-sensitive: it passes quiet hours
        : + A1 the app has the sound
        : + D3 the motor vibrates, if one is fitted
25s   given set mail time-sensitive off
25s   push mail alert=Hello sound=letter level=time-sensitive
        presented mail P18 style=alert listed=yes silenced=quiet-hours rule=S5
        = badge 7, lamp double since 25s, alert P18 Mail: "Hello" [Close, View] over 4
25s   explain P18 unlike P10
        : - A1 it has no sound
        : + S1 time-sensitive notifications are not allowed for the app: quiet hours apply
        : + S5 these are quiet hours
        : + S1 vibrating is switched off
26s   push mail alert=Hello sound=letter level=critical volume=0.5
        presented mail P19 style=alert listed=yes silenced=quiet-hours rule=S5
        = badge 7, lamp sos since 26s, alert P19 Mail: "Hello" [Close, View] over 5
26s   explain P19 unlike P10
        : - A1 it has no sound
        : + S1 critical notifications are not allowed for the app
        : + S5 these are quiet hours
        : + S1 vibrating is switched off
27s   given set mail critical on
27s   push mail alert=Hello sound=letter level=critical volume=0.5
        presented mail P20 style=alert listed=yes sound=letter vibration=triple
        > play mail's letter for P20, critical, at volume 0.5
        = badge 7, lamp sos since 27s, alert P20 Mail: "Hello" [Close, View] over 6
27s   explain P20 unlike P10
        : - A1 it has no sound
        : + N9 critical notifications are allowed: it passes silence and quiet hours
        : + A1 the app has the sound
        : + D3 the motor vibrates, if one is fitted
28s   given set handset quiet-hours off
28s   push mail alert=Hello sound=letter level=passive
        presented mail P21 style=alert listed=yes silenced=passive rule=N9
        = badge 7, lamp sos since 27s, alert P21 Mail: "Hello" [Close, View] over 7
28s   explain P21 unlike P10
        : - A1 it has no sound
        : - D1 the lamp shows it
        : + N9 a passive notification makes no sound
        : + S1 vibrating is switched off
        : + D1 the lamp does not show it

# S6, N2.
30s   unregister mail
        unregistered mail
        cleared mail reason=unregistered rule=R2 count=8
        > stop the sound of P14
        > stop the sound of P15
        > stop the sound of P16
        > stop the sound of P17
        > stop the sound of P18
        > stop the sound of P19
        > stop the sound of P20
        > stop the sound of P21
        = dark
30s   given register mail sound
30s   push mail alert=Hello badge=8 sound=letter
        badge mail P22 number=8
        presented mail P22 style=none listed=no sound=letter vibration=pulse
        > play mail's letter for P22
30s   explain P22 unlike P2
        : - S6 the app registered for every kind in it
        : - S1 it is listed in Notification Center
        : - N3 a banner shows it for a few seconds
        : - D1 the lamp shows it
        : + S4 a setting hides the badge; its number is kept
        : + S6 the app did not register for badges
        : + S6 the app did not register for alerts
31s   push mail alert=Hello badge=8
        badge mail P23 number=8
        not-presented mail P23 reason=not-registered-for rule=S6
31s   explain P23 unlike P12
        : - S1 notifications are off for this app
        : + A1 it has no sound
        : + S1 notifications are allowed for the app
        : + S6 the app did not register for badges
        : + S6 the app did not register for alerts
32s   unregister mail
        unregistered mail
32s   given register mail badge alert
        = badge 8
32s   push mail alert=Hello sound=letter
        presented mail P24 style=alert listed=yes
        = badge 8, lamp blink since 32s, alert P24 Mail: "Hello" [Close, View]
32s   explain P24 unlike P10
        : - A1 it has no sound
        : - S6 the app registered for every kind in it
        : - N7 its alert is on top of others
        : + S6 the app did not register for sounds
33s   unregister mail
        unregistered mail
        cleared mail reason=unregistered rule=R2 count=1
        > stop the sound of P24
        = dark
33s   given register mail badge sound alert
        = badge 8
33s   launch mail
        lifecycle mail state=foreground
33s   push mail alert=Hello badge=9 sound=letter
        not-presented mail P25 reason=foreground rule=N2
        delivered mail P25 state=foreground
        completed mail P25 result=noData
33s   explain P25
        : R4 the token is the app's
        : F1 the handset is online: it arrives
        : R1 the app is registered
        : U2 it is a notification for the person
        : N2 the app is in the foreground: the system leaves the badge
        : S2 notifications are on
        : S1 notifications are allowed for the app
        : S6 the app registered for every kind in it
        : N2 the app is in the foreground
        : N2 the app is in the foreground: it gets the push
34s   foreground mail alert
        foreground-presentation mail kinds=alert
34s   push mail alert=Hello badge=9 sound=letter
        presented mail P26 style=alert listed=yes
        delivered mail P26 state=foreground
        completed mail P26 result=noData
        = badge 8, lamp blink since 34s, alert P26 Mail: "Hello" [Close, View]
34s   explain P26 unlike P25
        : - N2 the app is in the foreground
        : + N2 the app is in the foreground, and asked for presentation
        : + N2 in the foreground the app asked for no sound
        : + S1 it is listed in Notification Center
        : + N3 an alert shows it, until it is acted on
        : + D1 the lamp shows it
35s   foreground mail badge sound
        foreground-presentation mail kinds=badge,sound
35s   push mail alert=Hello badge=9 sound=letter
        badge mail P27 number=9
        presented mail P27 style=none listed=no sound=letter vibration=pulse
        delivered mail P27 state=foreground
        completed mail P27 result=noData
        > play mail's letter for P27
        = badge 9, lamp blink since 34s, alert P26 Mail: "Hello" [Close, View]
35s   explain P27 unlike P2
        : - N1 the app is not in the foreground: the system presents it
        : - S1 it is listed in Notification Center
        : - N3 a banner shows it for a few seconds
        : - D1 the lamp shows it
        : + N2 the app is in the foreground, and asked for presentation
        : + N2 in the foreground the app asked for no alert
        : + N2 the app is in the foreground: it gets the push

# R4: whose token.
40s   push mail alert=Hello token=T9
        ! no app has that device token
        refused mail P28 status=400 reason=BadDeviceToken detail="no app has that device token"
40s   explain P28
        : R4 no app has that device token
41s   push post alert=Hello token=T5
        ! the device token is another app's
        refused post P29 status=400 reason=DeviceTokenNotForTopic detail="the device token is another app's"
41s   explain P29
        : R4 the device token is another app's
42s   push mail alert=Hello token=T1
        ! the app of that device token has another one now, since 30s
        refused mail P30 status=410 reason=ExpiredToken detail="the app of that device token has another one now"
42s   explain P30
        : R4 the app of that device token has another one now
