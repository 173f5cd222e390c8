story: A tag that names a pattern of the lamp chooses it, unless the person has chosen one
rules: D1
0s    given install mail lamp=breathe sounds=door; register mail sound alert
1s    push mail key alert="The door" sound=default tags=door,sos,heartbeat
        presented mail P1 style=banner listed=yes sound=door vibration=pulse
        > play mail's door for P1
        = lamp sos since 1s, banner P1 Mail: "The door" until 6s
1s    explain P1
        : R1 an access key, or the settings, let it push to the app
        : F1 the handset is online: it arrives
        : R1 the app is registered
        : U2 it is a notification for the person
        : B4 it has no badge: the badge is unchanged
        : S2 notifications are on
        : S1 notifications are allowed for the app
        : S6 the app registered for every kind in it
        : N1 the app is not in the foreground: the system presents it
        : D1 a tag names the lamp's pattern
        : S1 it is listed in Notification Center
        : N3 a banner shows it for a few seconds
        : S5 neither silence nor quiet hours: its sound is played
        : A1 the app has the sound
        : D3 the motor vibrates, if one is fitted
        : D1 the lamp shows it
2s    push mail key alert="Another" tags=door
        presented mail P2 style=banner listed=yes
        = lamp breathe since 2s, banner P2 Mail: "Another" until 7s
3s    clear P2
        cleared mail reason=by-person rule=N10 count=1
        > stop the sound of P2
        = lamp sos since 3s
4s    restart
        = lamp sos since 4s
5s    given set mail lamp steady
        = lamp steady since 5s
6s    push mail key alert="Again" tags=sos
        presented mail P3 style=banner listed=yes
        = lamp steady since 6s, banner P3 Mail: "Again" until 11s
