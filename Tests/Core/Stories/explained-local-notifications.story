story: Of a local notification it can be told why it rang, or did not
rules: F3
1s    given install mail; register mail badge sound alert
2s    schedule mail tea in=1m alert=Tea sound=default
        scheduled mail P1 identifier=tea due=1m2s
3s    explain P1
        : nothing
2m    explain P1
        at 1m2s
        due mail P1 identifier=tea
        presented mail P1 style=banner listed=yes sound=default vibration=pulse
        > play the default sound for P1
        = lamp blink since 1m2s, banner P1 Mail: "Tea" until 1m7s
        at 1m7s
        = lamp blink since 1m2s
        at 2m
        : L1 its time has come
        : R1 the app is registered
        : U2 it is a notification for the person
        : B4 it has no badge: the badge is unchanged
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
3m    condition silent on
        condition condition=silent on=yes
        > silence all but critical
3m    schedule mail tea in=1m alert=Tea sound=default
        scheduled mail P2 identifier=tea due=4m
5m    explain P2
        at 4m
        due mail P2 identifier=tea
        presented mail P2 style=banner listed=yes vibration=pulse silenced=silent-switch rule=S5 replaces=P1
        > stop the sound of P1
        = lamp blink since 4m, banner P2 Mail: "Tea" until 4m5s
        at 4m5s
        = lamp blink since 4m
        at 5m
        : L1 its time has come
        : R1 the app is registered
        : U2 it is a notification for the person
        : B4 it has no badge: the badge is unchanged
        : S2 notifications are on
        : S1 notifications are allowed for the app
        : S6 the app registered for every kind in it
        : N1 the app is not in the foreground: the system presents it
        : N8 it replaced the notification with its collapse identifier
        : S1 it is listed in Notification Center
        : N3 a banner shows it for a few seconds
        : S5 the ring/silent switch is on silent
        : D3 the motor vibrates, if one is fitted
        : D1 the lamp shows it
6m    unregister mail
        unregistered mail
        cleared mail reason=unregistered rule=R2 count=1
        > stop the sound of P2
        = dark
6m    schedule mail tea in=1m alert=Tea sound=default
        scheduled mail P3 identifier=tea due=7m
8m    explain P3
        at 7m
        due mail P3 identifier=tea
        presented mail P3 style=banner listed=yes vibration=pulse silenced=silent-switch rule=S5
        = lamp blink since 7m, banner P3 Mail: "Tea" until 7m5s
        at 7m5s
        = lamp blink since 7m
        at 8m
        : L1 its time has come
        : U2 it is a notification for the person
        : B4 it has no badge: the badge is unchanged
        : S2 notifications are on
        : S1 notifications are allowed for the app
        : L4 a local notification shows all its kinds, whatever the app registered for
        : N1 the app is not in the foreground: the system presents it
        : S1 it is listed in Notification Center
        : N3 a banner shows it for a few seconds
        : S5 the ring/silent switch is on silent
        : D3 the motor vibrates, if one is fitted
        : D1 the lamp shows it
9m    given register mail badge sound alert
9m    launch mail
        lifecycle mail state=foreground
        seen mail count=1
        > stop the sound of P3
        = dark
9m    schedule mail tea in=1m alert=Tea sound=default
        scheduled mail P4 identifier=tea due=10m
11m   explain P4
        at 10m
        due mail P4 identifier=tea
        not-presented mail P4 reason=foreground rule=N2
        delivered mail P4 state=foreground
        completed mail P4 result=noData
        at 11m
        : L1 its time has come
        : R1 the app is registered
        : U2 it is a notification for the person
        : B4 it has no badge: the badge is unchanged
        : S2 notifications are on
        : S1 notifications are allowed for the app
        : S6 the app registered for every kind in it
        : N2 the app is in the foreground
        : N2 the app is in the foreground: it gets the push
12m   given install shop
12m   schedule shop tea in=1m alert=Tea
        scheduled shop P5 identifier=tea due=13m
14m   explain P5
        at 13m
        due shop P5 identifier=tea
        presented shop P5 style=banner listed=yes
        = lamp blink since 13m, banner P5 Shop: "Tea" until 13m5s
        at 13m5s
        = lamp blink since 13m
        at 14m
        : L1 its time has come
        : U2 it is a notification for the person
        : B4 it has no badge: the badge is unchanged
        : A1 it has no sound
        : S2 notifications are on
        : S1 notifications are allowed for the app
        : L4 a local notification shows all its kinds, whatever the app registered for
        : N1 the app is not in the foreground: the system presents it
        : S1 it is listed in Notification Center
        : N3 a banner shows it for a few seconds
        : D1 the lamp shows it
# The lamp shows the most urgent.
20m   background mail
        lifecycle mail state=background
20m   push mail alert=Fire level=time-sensitive
        presented mail P6 style=banner listed=yes
        = lamp double since 20m, banner P6 Mail: "Fire" until 20m5s
20m   schedule mail tea in=1m alert=Tea
        scheduled mail P7 identifier=tea due=21m
22m   explain P7
        at 20m5s
        = lamp double since 20m
        at 21m
        due mail P7 identifier=tea
        presented mail P7 style=banner listed=yes replaces=P3
        > stop the sound of P3
        = lamp double since 20m, banner P7 Mail: "Tea" until 21m5s
        at 21m5s
        = lamp double since 20m
        at 22m
        : L1 its time has come
        : R1 the app is registered
        : U2 it is a notification for the person
        : B4 it has no badge: the badge is unchanged
        : A1 it has no sound
        : S2 notifications are on
        : S1 notifications are allowed for the app
        : S6 the app registered for every kind in it
        : N1 the app is not in the foreground: the system presents it
        : N8 it replaced the notification with its collapse identifier
        : S1 it is listed in Notification Center
        : N3 a banner shows it for a few seconds
        : D1 the lamp does not show it
