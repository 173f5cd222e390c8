story: An access key names the app, tags choose among its sounds, and what is critical has another level where it may not be
rules: R1, R2, A1, N9

0s    push mail key alert="Nobody"
        ! no app 'mail' is installed
        refused mail P1 status=404 reason=UnknownApp detail="no app 'mail' is installed"
1s    explain P1
        : R1 the access key's app is not installed
2s    install mail sounds=door,bell
        installed mail
3s    push mail key alert="Not registered yet"
        accepted mail P2 type=alert
        discarded mail P2 reason=not-registered rule=R1
4s    register mail badge sound alert
        registered mail kinds=badge,sound,alert
5s    push mail key alert="One" sound=default tags=house,bell,door
        accepted mail P3 type=alert
        presented mail P3 style=banner listed=yes sound=bell vibration=pulse
        > play mail's bell for P3
        > vibrate pulse for P3
        = lamp blink since 5s, banner P3 Mail: "One" until 10s
6s    explain P3
        : R1 an access key, or the settings, let it push to the app
        : F1 the handset is online: it arrives
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
        : A1 the app has the sound
        : D3 the motor vibrates, if one is fitted
        : D1 the lamp shows it
7s    push mail key alert="Two" sound=door tags=bell
        accepted mail P4 type=alert
        presented mail P4 style=banner listed=yes sound=door vibration=pulse
        > play mail's door for P4
        > vibrate pulse for P4
        = lamp blink since 7s, banner P4 Mail: "Two" until 12s
8s    push mail key alert="Three" tags=bell
        accepted mail P5 type=alert
        presented mail P5 style=banner listed=yes
        = lamp blink since 8s, banner P5 Mail: "Three" until 13s
# Critical ones are not allowed: in quiet hours it passes as time-sensitive.
10s   set handset quiet-hours 00:00-12:00
        setting key=quiet-hours value=00:00-12:00
11s   push mail key alert="Fire" sound=default volume=1 tags=bell level=critical else-level=time-sensitive
        accepted mail P6 type=alert
        presented mail P6 style=banner listed=yes sound=bell vibration=double
        > play mail's bell for P6
        > vibrate double for P6
        = lamp double since 11s, banner P6 Mail: "Fire" until 16s
12s   explain P6
        : R1 an access key, or the settings, let it push to the app
        : F1 the handset is online: it arrives
        : R1 the app is registered
        : U2 it is a notification for the person
        : B4 it has no badge: the badge is unchanged
        : S2 notifications are on
        : S1 notifications are allowed for the app
        : S6 the app registered for every kind in it
        : N1 the app is not in the foreground: the system presents it
        : S1 it is listed in Notification Center
        : N3 a banner shows it for a few seconds
        : N9 time-sensitive: it passes quiet hours
        : A1 the app has the sound
        : D3 the motor vibrates, if one is fitted
        : D1 the lamp shows it
13s   set mail critical on
        setting mail key=critical value=on
14s   push mail key alert="Fire" sound=default volume=1 tags=bell level=critical else-level=time-sensitive
        accepted mail P7 type=alert
        presented mail P7 style=banner listed=yes sound=bell vibration=triple
        > play mail's bell for P7, critical, at volume 1.0
        > vibrate triple for P7
        = lamp sos since 14s, banner P7 Mail: "Fire" until 19s
15s   set mail critical off
        setting mail key=critical value=off
16s   push mail key alert="Fire" sound=default volume=1 level=critical
        accepted mail P8 type=alert
        presented mail P8 style=banner listed=yes vibration=triple silenced=quiet-hours rule=S5
        > vibrate triple for P8
        = lamp sos since 16s, banner P8 Mail: "Fire" until 21s
20s   unregister mail
        unregistered mail
        cleared mail reason=unregistered rule=R2 count=6
        > stop the sound of P3
        > stop the sound of P4
        > stop the sound of P5
        > stop the sound of P6
        > stop the sound of P7
        > stop the sound of P8
        = dark
21s   push mail key alert="Gone"
        ! 'mail' is no longer registered
        refused mail P9 status=410 reason=Unregistered detail="'mail' is no longer registered"
22s   explain P9
        : R2 the app unregistered
