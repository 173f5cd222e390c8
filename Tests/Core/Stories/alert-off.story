story: the text of an app whose alerts are off is neither listed nor lights the lamp
rules: S1, D1, B1
0s      given install mail; register mail badge sound alert
1s      push mail alert="One" badge=1
        badge mail P1 number=1
        presented mail P1 style=banner listed=yes
        = badge 1, lamp blink since 1s, banner P1 Mail: "One" until 6s
2s      set mail alert off
        setting mail key=alert value=off
        cleared mail reason=not-allowed rule=S1 count=1
        > stop the sound of P1
        = badge 1
3s      push mail alert="Two" badge=2 sound=default
        badge mail P2 number=2
        presented mail P2 style=none listed=no sound=default vibration=pulse
        > play the default sound for P2
        = badge 2
4s      explain P2
        : R4 the token is the app's
        : F1 the handset is online: it arrives
        : R1 the app is registered
        : U2 it is a notification for the person
        : B1 its number is the app's badge
        : S2 notifications are on
        : S1 notifications are allowed for the app
        : S6 the app registered for every kind in it
        : S1 the app's alerts are switched off
        : N1 the app is not in the foreground: the system presents it
        : S5 neither silence nor quiet hours: its sound is played
        : A1 it asks for the default sound
        : D3 the motor vibrates, if one is fitted
5s      center
        : empty
6s      push mail alert="Three"
        not-presented mail P3 reason=switched-off rule=S1
7s      set mail alert on
        setting mail key=alert value=on
8s      push mail alert="Four"
        presented mail P4 style=banner listed=yes
        = badge 2, lamp blink since 8s, banner P4 Mail: "Four" until 13s
9s      center
        : P4 Mail: "Four" unseen
