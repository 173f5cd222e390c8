story: An app's service extension changes a notification before it is presented
rules: X1, N1, B1, A1, N15
0s    given install mail extension hooks sounds=bell category.ask=ACCEPT*; register mail badge sound alert
1s    push mail alert="Encrypted" badge=1 sound=default mutable
        held mail P1 reason=service-extension rule=X1
        > extend mail P1: {"push":1}
1s    explain P1
        : R4 the token is the app's
        : F1 the handset is online: it arrives
        : R1 the app is registered
        : X1 the app's service extension has it, before it is presented
2s    extending mail
        : P1, attempt 1
2s    extended mail P1 title="Anna" alert="Lunch?" badge=2 sound=bell category=ask fault=aps.sound
        extended mail P1 result=changed
        ignored mail P1 path=aps.sound problem="it is wrong"
        badge mail P1 number=2
        presented mail P1 style=banner listed=yes sound=bell vibration=pulse
        > play mail's bell for P1
        = badge 2, lamp blink since 2s, banner P1 Mail: "Anna | Lunch?" until 7s
2s    explain P1
        : X1 the app's service extension changed it
        : R1 the app is registered
        : U2 it is a notification for the person
        : B1 its number is the app's badge
        : S2 notifications are on
        : S1 notifications are allowed for the app
        : S6 the app registered for every kind in it
        : N1 the app is not in the foreground: the system presents it
        : N15 it offers actions
        : S1 it is listed in Notification Center
        : N3 a banner shows it for a few seconds
        : S5 neither silence nor quiet hours: its sound is played
        : A1 the app has the sound
        : D3 the motor vibrates, if one is fitted
        : D1 the lamp shows it
3s    center mail
        : P1 Mail: "Anna | Lunch?" unseen
# It runs also if the app was force-quit, and whatever the app does meanwhile.
10s   force-quit mail
        at 7s
        = badge 2, lamp blink since 2s
        at 10s
        lifecycle mail state=forceQuit
11s   push mail alert="Sealed" mutable
        held mail P2 reason=service-extension rule=X1
        > extend mail P2: {"push":2}
12s   extended mail P2 alert="Opened"
        extended mail P2 result=changed
        presented mail P2 style=banner listed=yes
        = badge 2, lamp blink since 12s, banner P2 Mail: "Opened" until 17s
13s   launch mail
        lifecycle mail state=foreground
        seen mail count=2
        > launch mail
        > stop the sound of P1
        > stop the sound of P2
        = badge 2
14s   push mail alert="In front" mutable
        held mail P3 reason=service-extension rule=X1
        > extend mail P3: {"push":3}
15s   background mail
        lifecycle mail state=background
16s   extended mail P3 alert="In the background"
        extended mail P3 result=changed
        presented mail P3 style=banner listed=yes
        = badge 2, lamp blink since 16s, banner P3 Mail: "In the background" until 21s
# Late, failed, or without an alert: as it was sent.
20s   push mail alert="Original 1" mutable
        held mail P4 reason=service-extension rule=X1
        > extend mail P4: {"push":4}
50s   extended mail P4 timed-out
        at 21s
        = badge 2, lamp blink since 16s
        at 50s
        extended mail P4 result=timed-out
        presented mail P4 style=banner listed=yes
        = badge 2, lamp blink since 50s, banner P4 Mail: "Original 1" until 55s
50s   explain P4
        : X1 the app's service extension was late: it is presented as it was sent
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
51s   push mail alert="Original 2" mutable
        held mail P5 reason=service-extension rule=X1
        > extend mail P5: {"push":5}
52s   extended mail P5 failed="ended with exit status 1"
        extended mail P5 result=failed detail="ended with exit status 1"
        presented mail P5 style=banner listed=yes
        = badge 2, lamp blink since 52s, banner P5 Mail: "Original 2" until 57s
52s   explain P5
        : X1 the app's service extension gave no answer: it is presented as it was sent
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
53s   push mail alert="Original 3" mutable
        held mail P6 reason=service-extension rule=X1
        > extend mail P6: {"push":6}
54s   extended mail P6 badge=3
        extended mail P6 result=failed detail="its answer has no alert"
        presented mail P6 style=banner listed=yes
        = badge 2, lamp blink since 54s, banner P6 Mail: "Original 3" until 59s
# What has no alert, or does not ask for it, does not wait. Nor does another type.
60s   push mail badge=4 mutable
        at 59s
        = badge 2, lamp blink since 54s
        at 1m
        badge mail P7 number=4
        = badge 4, lamp blink since 54s
61s   push mail alert="As it is"
        presented mail P8 style=banner listed=yes
        = badge 4, lamp blink since 1m1s, banner P8 Mail: "As it is" until 1m6s
62s   push mail background mutable
        discarded mail P9 reason=no-background-mode rule=U1
63s   given install news; register news alert
64s   push news alert="No extension" mutable
        presented news P10 style=banner listed=yes
        = badge 4, lamp blink since 1m4s, banner P10 News: "No extension" until 1m9s
# What it changes is decided by the settings of that moment.
70s   push mail alert="Quiet" mutable
        at 1m9s
        = badge 4, lamp blink since 1m4s
        at 1m10s
        held mail P11 reason=service-extension rule=X1
        > extend mail P11: {"push":11}
71s   set handset notifications off
        setting key=notifications value=off
        > silence all
        = dark
72s   extended mail P11 alert="Not shown"
        extended mail P11 result=changed
        not-presented mail P11 reason=handset-off rule=S2
73s   set handset notifications on
        setting key=notifications value=on
        = badge 4, lamp blink since 1m4s
74s   push mail alert="Not registered" mutable
        held mail P12 reason=service-extension rule=X1
        > extend mail P12: {"push":12}
75s   unregister mail
        unregistered mail
        cleared mail reason=unregistered rule=R2 count=7
        > stop the sound of P1
        > stop the sound of P2
        > stop the sound of P3
        > stop the sound of P4
        > stop the sound of P5
        > stop the sound of P6
        > stop the sound of P8
        = lamp blink since 1m4s
76s   extended mail P12 alert="Gone"
        extended mail P12 result=changed
        discarded mail P12 reason=unregistered rule=R2
77s   extended mail P12 alert="Again"
        ! 'mail' has no push 00000000-0000-0000-0000-00000000000c to complete
78s   extended late P12 alert="Nobody"
        ! no app 'late' is installed
