story: Of each badge it can be told why it is shown, or not
rules: F3
1s    given install mail; install shop; register mail badge sound alert; register shop badge
2s    push mail alert=Hello badge=-1
        bad-badge mail P1 value=-1
        presented mail P1 style=banner listed=yes
        = lamp blink since 2s, banner P1 Mail: "Hello" until 7s
2s    explain P1
        : R4 the token is the app's
        : B2 its badge is not a whole number of zero or more and is ignored
        : F1 the handset is online: it arrives
        : R1 the app is registered
        : U2 it is a notification for the person
        : A1 it has no sound
        : S2 notifications are on
        : S1 notifications are allowed for the app
        : S6 the app registered for every kind in it
        : N1 the app is not in the foreground: the system presents it
        : S1 it is listed in Notification Center
        : N3 a banner shows it for a few seconds
        : D1 the lamp shows it
3s    push mail badge=-1
        bad-badge mail P2 value=-1
        not-presented mail P2 reason=nothing-to-show
3s    explain P2
        : R4 the token is the app's
        : B2 its badge is not a whole number of zero or more and is ignored
        : F1 the handset is online: it arrives
        : R1 the app is registered
        : U2 it contains nothing for a person and no update
4s    push mail alert=Hello badge=3
        badge mail P3 number=3
        presented mail P3 style=banner listed=yes
        = badge 3, lamp blink since 4s, banner P3 Mail: "Hello" until 9s
4s    explain P3 unlike P1
        : - B2 its badge is not a whole number of zero or more and is ignored
        : + B1 its number is the app's badge
5s    push mail badge=0
        badge mail P4 number=0
        cleared mail P4 reason=badge-zero rule=B3 count=2
        = banner P3 Mail: "Hello" until 9s
5s    explain P4 unlike P1
        : - B2 its badge is not a whole number of zero or more and is ignored
        : - S1 it is listed in Notification Center
        : - N3 a banner shows it for a few seconds
        : - D1 the lamp shows it
        : + B1 its number is the app's badge
        : + B3 zero cleared the app's notifications
6s    given set mail badge off
6s    push mail badge=4
        badge mail P5 number=4
        not-presented mail P5 reason=switched-off rule=S1
6s    explain P5 unlike P1
        : - B2 its badge is not a whole number of zero or more and is ignored
        : - S1 it is listed in Notification Center
        : - N3 a banner shows it for a few seconds
        : - D1 the lamp shows it
        : + B1 its number is the app's badge
        : + S4 a setting hides the badge; its number is kept
        : + S1 the app's badge is switched off
7s    given set mail badge on; set handset badge-shows shop
7s    push mail badge=5
        badge mail P6 number=5
7s    explain P6 unlike P1
        : - B2 its badge is not a whole number of zero or more and is ignored
        : - S1 it is listed in Notification Center
        : - N3 a banner shows it for a few seconds
        : - D1 the lamp shows it
        : + B1 its number is the app's badge
        : + B5 the display shows another app's badge
8s    push shop badge=6
        badge shop P7 number=6
        = badge 6, banner P3 Mail: "Hello" until 9s
8s    explain P7 unlike P1
        : - B2 its badge is not a whole number of zero or more and is ignored
        : - S1 it is listed in Notification Center
        : - N3 a banner shows it for a few seconds
        : - D1 the lamp shows it
        : + B1 its number is the app's badge
9s    set handset notifications off
        at 9s
        = badge 6
        setting key=notifications value=off
        > silence all
        = dark
9s    push shop badge=7
        badge shop P8 number=7
        not-presented shop P8 reason=handset-off rule=S2
9s    explain P8
        : R4 the token is the app's
        : F1 the handset is online: it arrives
        : R1 the app is registered
        : U2 it is a notification for the person
        : B1 its number is the app's badge
        : S4 a setting hides the badge; its number is kept
        : A1 it has no sound
        : S2 notifications are off for the whole handset
