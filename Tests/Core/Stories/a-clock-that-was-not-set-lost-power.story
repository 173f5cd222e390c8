story: What a clock that was never set left behind begins anew when the board boots with the time
rules: R3, U9, F1, L1, L3, U8

0s    given install mail background; register mail alert; install chat background; register chat alert; install gone
0s    given register gone alert
1s    clock -20500d unnoticed
1s    boot late
2s    listen chat background
        lifecycle chat state=background
3s    push chat background
        delivered chat P1 state=background
        > give chat P1 in the background: {"push":1}
3s    offered chat
        : P1, attempt 1, to complete by 33s
4s    given condition low-power on
5s    push mail background
        held mail P2 reason=low-power rule=U7
6s    uninstall gone
        uninstalled gone
7s    schedule mail tea in=10h alert="Tea"
        scheduled mail P3 identifier=tea due=-20499d13h59m53s
8s    schedule mail daily at=07:00 repeat alert="Seven"
        scheduled mail P4 identifier=daily due=-20499d17h
# The power goes, and comes back an hour later with a clock that was set.
9s    clock 20500d unnoticed
1h    boot late
        lifecycle chat state=notRunning
1h    held mail
        : P2 until 30d1h
1h    offered chat
        : P1, attempt 1, waits
1h    scheduled mail
        : daily P4 due 7h
        : tea P3 due 11h
2h    listen chat background
        lifecycle chat state=background
        delivered chat P1 state=background attempt=2
        > give chat P1 in the background, attempt 2: {"push":1}
2h    complete chat P1
        completed chat P1 result=newData
3h    push gone token=T5 alert="Known to be gone"
        ! the app of that device token is no longer registered, since 1h
        refused gone P5 status=410 reason=Unregistered detail="the app of that device token is no longer registered"
12h   wait
        at 7h
        due mail P4 identifier=daily
        presented mail P4 style=banner listed=yes
        = lamp blink since 7h, banner P4 Mail: "Seven" until 7h5s
        at 7h5s
        = lamp blink since 7h
        at 11h
        due mail P3 identifier=tea
        presented mail P3 style=banner listed=yes
        = lamp blink since 11h, banner P3 Mail: "Tea" until 11h5s
        at 11h5s
        = lamp blink since 11h
13h   cancel mail
        unscheduled mail P4 identifier=daily reason=cancelled rule=L1
30d59m push gone token=T5 alert="Still"
        ! the app of that device token is no longer registered, since 1h
        refused gone P6 status=410 reason=Unregistered detail="the app of that device token is no longer registered"
30d1h push gone token=T5 alert="Nobody's"
        at 30d1h
        discarded mail P2 reason=expired rule=U9
        ! no app has that device token
        refused gone P7 status=400 reason=BadDeviceToken detail="no app has that device token"
