story: An app's sounds have a volume of their own; a critical sound brings its own
rules: S1, N9, A1

1s    given install mail sounds=letter; register mail badge sound alert; set mail volume 40%
2s    push mail alert="Quieter" sound=letter
        presented mail P1 style=banner listed=yes sound=letter vibration=pulse
        > play mail's letter for P1, at volume 0.4
        = lamp blink since 2s, banner P1 Mail: "Quieter" until 7s
2s    push mail sound=default
        presented mail P2 style=none listed=no sound=default vibration=pulse
        > play the default sound for P2, at volume 0.4
# What the payload says counts for a critical sound alone.
3s    push mail sound=letter volume=0.9
        presented mail P3 style=none listed=no sound=letter vibration=pulse
        > play mail's letter for P3, at volume 0.4
4s    given set mail critical on
5s    push mail sound=letter volume=0.9 level=critical
        presented mail P4 style=none listed=no sound=letter vibration=triple
        > play mail's letter for P4, critical, at volume 0.9
# At 0% it is silent, and vibrates as a silent handset does.
6s    given set mail volume 0%
7s    set handset vibrate-on-ring off
        at 7s
        = lamp blink since 2s
        setting key=vibrate-on-ring value=off
8s    push mail alert="Not heard" sound=letter
        presented mail P5 style=banner listed=yes vibration=pulse silenced=volume-zero rule=S1
        = lamp blink since 8s, banner P5 Mail: "Not heard" until 13s
8s    explain P5
        : R4 the token is the app's
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
        : S1 the app's volume is 0%
        : D3 the motor vibrates, if one is fitted
        : D1 the lamp shows it
9s    push mail sound=letter volume=0.5 level=critical
        presented mail P6 style=none listed=no sound=letter
        > play mail's letter for P6, critical, at volume 0.5
# At volume 0 it is not heard: an event says why.
9s    push mail sound=letter volume=0 level=critical
        presented mail P7 style=none listed=no vibration=triple silenced=critical-volume-zero rule=N9
9s    explain P7 unlike P5
        : - S1 it is listed in Notification Center
        : - N3 a banner shows it for a few seconds
        : - S1 the app's volume is 0%
        : - D1 the lamp shows it
        : + N9 critical notifications are allowed: it passes silence and quiet hours
        : + N9 the push gives its critical sound the volume 0
10s   set mail volume 101%
        ! setting 'volume' cannot be '101%': expected a percentage from 0% to 100%
10s   set mail volume loud
        ! setting 'volume' cannot be 'loud': expected a percentage from 0% to 100%
11s   set mail volume 100
        setting mail key=volume value=100%
11s   given set mail volume 100%
12s   push mail sound=letter
        presented mail P8 style=none listed=no sound=letter
        > play mail's letter for P8
