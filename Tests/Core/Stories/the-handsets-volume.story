story: The handset has a volume by day and one at night, of which an app's own is a share
rules: S1, N9, B5

0s    given install mail; register mail badge sound alert
1s    set handset volume 40
        setting key=volume value=40%
2s    push mail sound=default
        presented mail P1 style=none listed=no sound=default vibration=pulse
        > play the default sound for P1, at volume 0.4
3s    set mail volume 50
        setting mail key=volume value=50%
4s    push mail sound=default
        presented mail P2 style=none listed=no sound=default vibration=pulse
        > play the default sound for P2, at volume 0.2
5s    given set handset night-volume 10%
6s    push mail sound=default
        presented mail P3 style=none listed=no sound=default vibration=pulse
        > play the default sound for P3, at volume 0.2
7s    given set handset night-hours 00:00-06:00
8s    push mail sound=default
        presented mail P4 style=none listed=no sound=default vibration=pulse
        > play the default sound for P4, at volume 0.05
# At 0% it is silent and vibrates, except for what is critical.
9s    given set handset night-volume 0%
10s   push mail sound=default level=time-sensitive
        presented mail P5 style=none listed=no vibration=double silenced=handset-volume-zero rule=S1
10s   explain P5
        : R4 the token is the app's
        : F1 the handset is online: it arrives
        : R1 the app is registered
        : U2 it is a notification for the person
        : B4 it has no badge: the badge is unchanged
        : S2 notifications are on
        : S1 notifications are allowed for the app
        : S6 the app registered for every kind in it
        : N1 the app is not in the foreground: the system presents it
        : S1 the handset's volume is 0% at this hour
        : D3 the motor vibrates, if one is fitted
11s   given set mail critical on
12s   push mail sound=default volume=0.9 level=critical
        presented mail P6 style=none listed=no sound=default vibration=triple
        > play the default sound for P6, critical, at volume 0.9
6h    wait
6h1m  push mail sound=default
        presented mail P7 style=none listed=no sound=default vibration=pulse
        > play the default sound for P7, at volume 0.2
6h2m  set handset volume 0
        setting key=volume value=0%
6h3m  push mail sound=default
        presented mail P8 style=none listed=no vibration=pulse silenced=handset-volume-zero rule=S1
6h4m  set handset volume 101
        ! setting 'volume' cannot be '101': expected a percentage from 0% to 100%
6h5m  given set handset night-volume same
6h6m  set handset night-volume loud
        ! setting 'night-volume' cannot be 'loud': expected same, a percentage from 0% to 100%
