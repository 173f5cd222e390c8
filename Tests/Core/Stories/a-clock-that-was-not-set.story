story: A board boots in 1970, and nothing expires or falls due only because it then learns the time
rules: R3, U9, F1, L1, L3

0s    given install mail background; register mail badge sound alert; install news background; register news alert
0s    given install gone; register gone alert
# In 1970, until further notice.
1h    clock -20500d unnoticed
1h    boot late
1h1s  uninstall gone
        uninstalled gone
1h2s  given condition low-power on
1h3s  push mail background
        held mail P1 reason=low-power rule=U7
1h4s  push mail background expires=once
        discarded mail P1 reason=replaced rule=U4 replacedBy=P2
        held mail P2 reason=low-power rule=U7
1h4s  held mail
        : P2 until -20469d22h59m56s
1h5s  schedule mail daily at=07:00 repeat alert="Seven"
        scheduled mail P3 identifier=daily due=-20499d17h
1h5s  schedule mail alarm at=07:00 alert="Once at seven"
        scheduled mail P4 identifier=alarm due=-20499d17h
1h5s  schedule mail tea in=2h alert="Tea"
        scheduled mail P5 identifier=tea due=-20499d20h59m55s
1h5s  schedule mail date at=12:00 on=2026-01-02 alert="A day that is known"
        scheduled mail P6 identifier=date due=1d12h
1h5s  schedule mail past at=12:00 on=1975-01-01 alert="A day that has gone by when the time is known"
        scheduled mail P7 identifier=past due=-18627d12h
1h6s  scheduled mail
        : tea P5 due -20499d20h59m55s
        : alarm P4 due -20499d17h
        : daily P3 due -20499d17h
        : past P7 due -18627d12h
        : date P6 due 1d12h
# Ten minutes later it meets a time server: it is 2026.
1h10m clock 20500d
        due mail P7 identifier=past
        presented mail P7 style=banner listed=yes
        = lamp blink since 1h10m, banner P7 Mail: "A day that has gone by when the time is known" until 1h10m5s
1h10m held mail
        : P2 until 30d1h10m
1h10m scheduled mail
        : tea P5 due 3h5s
        : alarm P4 due 7h
        : daily P3 due 7h
        : date P6 due 1d12h
1h11m push gone token=T5 alert="Gone, and known to be"
        at 1h10m5s
        = lamp blink since 1h10m
        at 1h11m
        ! the app of that device token is no longer registered, since 1h10m
        refused gone P8 status=410 reason=Unregistered detail="the app of that device token is no longer registered"
# What was presented since goes on from there.
8h    wait
        at 3h5s
        due mail P5 identifier=tea
        presented mail P5 style=banner listed=yes
        = lamp blink since 3h5s, banner P5 Mail: "Tea" until 3h10s
        at 3h10s
        = lamp blink since 3h5s
        at 7h
        due mail P4 identifier=alarm
        presented mail P4 style=banner listed=yes
        due mail P3 identifier=daily
        presented mail P3 style=banner listed=yes
        = lamp blink since 7h, banner P3 Mail: "Seven" until 7h5s
        at 7h5s
        = lamp blink since 7h
8h    scheduled mail
        : daily P3 due 1d7h
        : date P6 due 1d12h
# The same in the service's slot.
9h    condition low-power off
        condition condition=low-power on=no
        lifecycle mail state=background
        delivered mail P2 state=background
        completed mail P2 result=noData
10h   clock -20500d unnoticed
10h   boot late
        lifecycle mail state=notRunning
        = lamp blink since 10h
10h1s given condition offline on
10h2s push news alert="Kept"
        kept news P9 reason=offline rule=F1
10h3s kept news
        : P9 until -20469d13h59m58s
10h4s clock 20500d
10h4s kept news
        : P9 until 30d10h4s
10h5s condition offline off
        condition condition=offline on=no
        arrived news P9
        presented news P9 style=banner listed=yes
        = lamp blink since 10h5s, banner P9 News: "Kept" until 10h10s
10h6s center news
        : P9 News: "Kept" unseen
10h7s cancel mail
        unscheduled mail P3 identifier=daily reason=cancelled rule=L1
        unscheduled mail P6 identifier=date reason=cancelled rule=L1
# The gone token is remembered for its 30 days from when the time was known.
30d1h9m push gone token=T5 alert="Still"
        at 10h10s
        = lamp blink since 10h5s
        at 30d1h9m
        ! the app of that device token is no longer registered, since 1h10m
        refused gone P10 status=410 reason=Unregistered detail="the app of that device token is no longer registered"
30d1h11m push gone token=T5 alert="Nobody's"
        ! no app has that device token
        refused gone P11 status=400 reason=BadDeviceToken detail="no app has that device token"
