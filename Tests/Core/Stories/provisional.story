story: An app that registers provisionally is only listed, until the person decides
rules: Q4, R1, S4

0s    given install mail; set mail style alert
1s    register mail badge sound alert provisional
        registered mail kinds=badge,sound,alert,provisional
2s    push mail alert="Quiet" badge=3 sound=default level=time-sensitive
        badge mail P1 number=3
        presented mail P1 style=none listed=yes
2s    explain P1
        : R4 the token is the app's
        : F1 the handset is online: it arrives
        : R1 the app is registered
        : U2 it is a notification for the person
        : B1 its number is the app's badge
        : S4 a setting hides the badge; its number is kept
        : S2 notifications are on
        : S1 notifications are allowed for the app
        : S6 the app registered for every kind in it
        : Q4 the app's authorization is provisional: it is only listed
        : N1 the app is not in the foreground: the system presents it
        : S1 it is listed in Notification Center
        : D1 the lamp does not show it
2s    center
        : P1 Mail: "Quiet" unseen
2s    state mail
        : notRunning, registered for badge,sound,alert,provisional, T1, badge 3, icon 0
# The person keeps it.
3s    set mail allow-notifications on
        setting mail key=allow-notifications value=on
        registered mail kinds=badge,sound,alert
        = badge 3
4s    push mail alert="Loud" sound=default
        presented mail P2 style=alert listed=yes sound=default vibration=pulse
        > play the default sound for P2
        = badge 3, lamp blink since 4s, alert P2 Mail: "Loud" [Close, View]
# Asking provisionally changes nothing any more.
5s    register mail badge sound alert provisional
        registered mail kinds=badge,sound,alert
6s    given install chat
6s    register chat alert provisional
        registered chat kinds=alert,provisional
7s    set chat style banner
        setting chat key=style value=banner
        registered chat kinds=alert
8s    given install news
8s    register news alert badge provisional
        registered news kinds=badge,alert,provisional
9s    register news alert badge
        registered news kinds=badge,alert
10s   foreground mail provisional
        ! 'mail' is not running
