story: An app may ask for presentation while it is in the foreground
rules: N2, S1, S6, D1

0s    given install mail sounds=letter foreground=badge,alert; register mail badge sound alert
0s    launch mail
        lifecycle mail state=foreground
1s    push mail badge=2 alert="Shown" sound=letter
        badge mail P1 number=2
        presented mail P1 style=banner listed=yes
        delivered mail P1 state=foreground
        completed mail P1 result=noData
        = badge 2, lamp blink since 1s, banner P1 Mail: "Shown" until 6s
2s    center
        : P1 Mail: "Shown" unseen
3s    set mail alert off
        setting mail key=alert value=off
        cleared mail reason=not-allowed rule=S1 count=1
        > stop the sound of P1
        = badge 2
4s    push mail badge=3 alert="The badge alone"
        badge mail P2 number=3
        delivered mail P2 state=foreground
        completed mail P2 result=noData
        = badge 3
5s    push mail sound=letter
        not-presented mail P3 reason=foreground rule=N2
        delivered mail P3 state=foreground
        completed mail P3 result=noData
6s    set mail allow-notifications off
        setting mail key=allow-notifications value=off
        = dark
7s    push mail badge=4 alert="Not allowed"
        badge mail P4 number=4
        not-presented mail P4 reason=app-not-allowed rule=S1
        delivered mail P4 state=foreground
        completed mail P4 result=noData
8s    given register mail sound
9s    given set mail allow-notifications on
10s   push mail badge=5 alert="No kind of its own"
        badge mail P5 number=5
        not-presented mail P5 reason=not-registered-for rule=S6
        delivered mail P5 state=foreground
        completed mail P5 result=noData
# What it asks for and may have is all switched off.
11s   given register mail badge sound alert
        = badge 5
12s   push mail alert="Alerts are off"
        not-presented mail P6 reason=switched-off rule=S1
        delivered mail P6 state=foreground
        completed mail P6 result=noData
13s   given set mail alert on
14s   given set mail style none
15s   push mail alert="Listed alone"
        presented mail P7 style=none listed=yes
        delivered mail P7 state=foreground
        completed mail P7 result=noData
        = badge 5, lamp blink since 15s
16s   set mail show-in-notification-center off
        setting mail key=show-in-notification-center value=off
        cleared mail reason=not-allowed rule=S1 count=1
        = badge 5
17s   push mail alert="Nowhere to be shown" badge=0
        badge mail P8 number=0
        delivered mail P8 state=foreground
        completed mail P8 result=noData
        = dark
18s   push mail alert="Nowhere either"
        not-presented mail P9 reason=switched-off rule=S1
        delivered mail P9 state=foreground
        completed mail P9 result=noData
18s   explain P9
        : R4 the token is the app's
        : F1 the handset is online: it arrives
        : R1 the app is registered
        : U2 it is a notification for the person
        : B4 it has no badge: the badge is unchanged
        : A1 it has no sound
        : S2 notifications are on
        : S1 notifications are allowed for the app
        : S6 the app registered for every kind in it
        : N2 the app is in the foreground, and asked for presentation
        : S1 the app is not shown in Notification Center
        : S1 the app's style is none: no banner, no alert
        : N2 the app is in the foreground: it gets the push
19s   foreground mail sound
        foreground-presentation mail kinds=sound
20s   given set mail sound off
21s   push mail alert="Sounds are off" sound=letter
        not-presented mail P10 reason=switched-off rule=S1
        delivered mail P10 state=foreground
        completed mail P10 result=noData
# It asks for a kind that it did not register for.
22s   given register mail badge alert
23s   push mail alert="Alert and sound" sound=letter
        not-presented mail P11 reason=foreground rule=N2
        delivered mail P11 state=foreground
        completed mail P11 result=noData
23s   explain P11
        : R4 the token is the app's
        : F1 the handset is online: it arrives
        : R1 the app is registered
        : U2 it is a notification for the person
        : B4 it has no badge: the badge is unchanged
        : S2 notifications are on
        : S1 notifications are allowed for the app
        : S6 the app did not register for sounds
        : N2 the app is in the foreground
        : N2 the app is in the foreground: it gets the push
