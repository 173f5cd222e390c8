story: a local notification shows all its kinds, whatever its app registered for
rules: L4, S6, S1, R2
# An app that never registered.
0s      given install tea sounds=bell; set tea style alert
1s      state tea
        : notRunning, not registered yet, T1, badge 0, no settings
2s      schedule tea cup in=1m alert="Drink" badge=2 sound=bell
        scheduled tea P1 identifier=cup due=1m2s
3s      state tea
        : notRunning, not registered yet, T1, badge 0, has scheduled
1m2s    wait
        at 1m2s
        due tea P1 identifier=cup
        badge tea P1 number=2
        presented tea P1 style=alert listed=yes sound=bell vibration=pulse
        > play tea's bell for P1
        = badge 2, lamp blink since 1m2s, alert P1 Tea: "Drink" [Close, View]
1m3s    explain P1
        : L1 its time has come
        : U2 it is a notification for the person
        : B1 its number is the app's badge
        : S2 notifications are on
        : S1 notifications are allowed for the app
        : L4 a local notification shows all its kinds, whatever the app registered for
        : N1 the app is not in the foreground: the system presents it
        : S1 it is listed in Notification Center
        : N3 an alert shows it, until it is acted on
        : S5 neither silence nor quiet hours: its sound is played
        : A1 the app has the sound
        : D3 the motor vibrates, if one is fitted
        : D1 the lamp shows it
1m4s    state tea
        : notRunning, not registered yet, T1, badge 2, has scheduled
# A push to it is discarded.
1m5s    push tea alert="Pushed" badge=5
        discarded tea P2 reason=not-registered rule=R1
1m6s    state tea
        : notRunning, not registered yet, T1, badge 2, has scheduled
# The kinds that it registers for bind its pushes; the local notification and its badge stay.
1m7s    register tea sound
        registered tea kinds=sound
1m8s    push tea alert="Pushed" sound=bell
        presented tea P3 style=none listed=no sound=bell vibration=pulse
        > play tea's bell for P3
1m9s    center
        : P1 Tea: "Drink" unseen
# A push's badge is hidden, a local one's is shown.
1m10s   push tea badge=6 sound=bell
        badge tea P4 number=6
        presented tea P4 style=none listed=no sound=bell vibration=pulse
        > play tea's bell for P4
        = lamp blink since 1m2s, alert P1 Tea: "Drink" [Close, View]
1m11s   state tea
        : notRunning, registered for sound, T1, badge 6, icon 0, has scheduled
1m12s   schedule tea pot in=10s badge=7
        scheduled tea P5 identifier=pot due=1m22s
1m22s   wait
        at 1m22s
        due tea P5 identifier=pot
        badge tea P5 number=7
        = badge 7, lamp blink since 1m2s, alert P1 Tea: "Drink" [Close, View]
1m23s   state tea
        : notRunning, registered for sound, T1, badge 7, has scheduled
1m24s   given register tea badge sound alert
1m25s   push tea alert="Third"
        presented tea P6 style=alert listed=yes
        = badge 7, lamp blink since 1m25s, alert P6 Tea: "Third" [Close, View] over 1
1m26s   center
        : P1 Tea: "Drink" unseen
        : P6 Tea: "Third" unseen
# Registered without alerts, it loses those of its pushes.
1m27s   register tea badge
        registered tea kinds=badge
        cleared tea reason=not-allowed rule=S1 count=1
        > stop the sound of P6
        = badge 7, lamp blink since 1m25s, alert P1 Tea: "Drink" [Close, View]
1m28s   center
        : P1 Tea: "Drink" unseen
# The person's settings apply.
1m29s   set tea badge off
        setting tea key=badge value=off
        = lamp blink since 1m25s, alert P1 Tea: "Drink" [Close, View]
1m30s   set tea sound off
        setting tea key=sound value=off
1m31s   schedule tea cup in=1m alert="Again" badge=1 sound=bell
        scheduled tea P7 identifier=cup due=2m31s
2m31s   wait
        at 2m31s
        due tea P7 identifier=cup
        badge tea P7 number=1
        presented tea P7 style=alert listed=yes replaces=P1
        > stop the sound of P1
        = lamp blink since 2m31s, alert P7 Tea: "Again" [Close, View]
2m32s   set tea alert off
        setting tea key=alert value=off
        cleared tea reason=not-allowed rule=S1 count=1
        > stop the sound of P7
        = dark
2m33s   schedule tea cup in=1m alert="Not shown"
        scheduled tea P8 identifier=cup due=3m33s
3m33s   wait
        at 3m33s
        due tea P8 identifier=cup
        not-presented tea P8 reason=switched-off rule=S1
# Unregistering ends it, until the app schedules again.
3m34s   given set tea alert on; set tea badge on; set tea sound on
        = badge 1
3m35s   schedule tea cup in=1m alert="Too late" badge=3
        scheduled tea P9 identifier=cup due=4m35s
3m36s   unregister tea
        unregistered tea
        = dark
3m37s   state tea
        : notRunning, unregistered since 3m36s, T1, badge 1, icon 0, no settings
4m35s   wait
        at 4m35s
        due tea P9 identifier=cup
        discarded tea P9 reason=unregistered rule=R2
4m36s   schedule tea cup in=1m alert="In time" badge=4 sound=bell
        scheduled tea P10 identifier=cup due=5m36s
4m37s   state tea
        : notRunning, unregistered since 3m36s, T1, badge 1, icon 0, has scheduled
5m36s   wait
        at 5m36s
        due tea P10 identifier=cup
        badge tea P10 number=4
        presented tea P10 style=alert listed=yes sound=bell vibration=pulse
        > play tea's bell for P10
        = badge 4, lamp blink since 5m36s, alert P10 Tea: "In time" [Close, View]
5m37s   unregister tea
        unregistered tea
        cleared tea reason=unregistered rule=R2 count=1
        > stop the sound of P10
        = dark
5m38s   center
        : empty
5m39s   state tea
        : notRunning, unregistered since 3m36s, T1, badge 4, icon 0, no settings
