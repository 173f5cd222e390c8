story: The app may change what is presented while it is in the foreground
rules: N2, S6

0s    given install mail sounds=letter foreground=badge; register mail badge sound alert
1s    foreground mail alert
        ! 'mail' is not running
2s    foreground nobody alert
        ! no app 'nobody' is installed
3s    launch mail
        lifecycle mail state=foreground
4s    push mail badge=1 alert="The bundle's choice" sound=letter
        badge mail P1 number=1
        delivered mail P1 state=foreground
        completed mail P1 result=noData
        = badge 1
5s    foreground mail alert sound
        foreground-presentation mail kinds=sound,alert
6s    push mail badge=2 alert="The app's choice" sound=letter
        presented mail P2 style=banner listed=yes sound=letter vibration=pulse
        delivered mail P2 state=foreground
        completed mail P2 result=noData
        > play mail's letter for P2
        = badge 1, lamp blink since 6s, banner P2 Mail: "The app's choice" until 11s
7s    restart
        = badge 1, lamp blink since 7s
8s    push mail badge=3 alert="Still the app's choice"
        presented mail P3 style=banner listed=yes
        delivered mail P3 state=foreground
        completed mail P3 result=noData
        = badge 1, lamp blink since 8s, banner P3 Mail: "Still the app's choice" until 13s
20s   foreground mail
        at 13s
        = badge 1, lamp blink since 8s
        at 20s
        foreground-presentation mail kinds=none
21s   push mail badge=4 alert="Nothing"
        not-presented mail P4 reason=foreground rule=N2
        delivered mail P4 state=foreground
        completed mail P4 result=noData
# A new bundle says anew.
22s   given install mail foreground=badge
23s   push mail badge=5 alert="The new bundle's choice"
        badge mail P5 number=5
        delivered mail P5 state=foreground
        completed mail P5 result=noData
        = badge 5, lamp blink since 8s
