story: Unregistering takes the app out of the settings, and its token answers since when
rules: R2, R4, F3

# Low power: background updates are held.
0s    condition low-power on
        condition condition=low-power on=yes
0s    install mail background
        installed mail
0s    register mail badge sound alert
        registered mail kinds=badge,sound,alert
1s    push mail badge=2 alert="One" content-available
        badge mail P1 number=2
        presented mail P1 style=banner listed=yes
        held mail P1 reason=low-power rule=U7
        = badge 2, lamp blink since 1s, banner P1 Mail: "One" until 6s
2s    unregister mail
        unregistered mail
        discarded mail P1 reason=unregistered rule=R2
        cleared mail reason=unregistered rule=R2 count=1
        > stop the sound of P1
        = dark
2s    state mail
        : notRunning, unregistered since 2s, T1, badge 2, icon 0, no settings
3s    center
        : empty
# 410, with the time since when.
4s    push mail alert="Two"
        ! the app of that device token is no longer registered, since 2s
        refused mail P2 status=410 reason=Unregistered detail="the app of that device token is no longer registered"
1h    push mail alert="Three"
        ! the app of that device token is no longer registered, since 2s
        refused mail P3 status=410 reason=Unregistered detail="the app of that device token is no longer registered"
# Doing it twice changes nothing, not even the time.
1h1s  unregister mail
1h2s  push mail alert="Four"
        ! the app of that device token is no longer registered, since 2s
        refused mail P4 status=410 reason=Unregistered detail="the app of that device token is no longer registered"
# Another token, and the old one stays gone.
2h    register mail alert
        registered mail kinds=alert
2h1s  state mail
        : notRunning, registered for alert, T3, badge 2, icon 0
2h2s  push mail token=T1 alert="To the old token"
        ! the app of that device token has another one now, since 2s
        refused mail P5 status=410 reason=ExpiredToken detail="the app of that device token has another one now"
2h3s  push mail alert="To the new token"
        presented mail P6 style=banner listed=yes
        = lamp blink since 2h3s, banner P6 Mail: "To the new token" until 2h8s
