story: Background updates come as they are pushed, at an interval, or when the person opens the app
rules: S3, U7, U6, U10, U4

0s    given install mail background; register mail alert; install news background; register news alert
# By hand.
1s    given set handset fetch-mode manual
2s    push mail background
        held mail P1 reason=fetch-manual rule=S3
3s    held mail
        : P1 until 30d2s
4s    launch mail
        lifecycle mail state=foreground
        delivered mail P1 state=foreground
        completed mail P1 result=noData
5s    push mail background
        delivered mail P2 state=foreground
        completed mail P2 result=noData
6s    background mail
        lifecycle mail state=background
7s    push mail background
        held mail P3 reason=fetch-manual rule=S3
1h    held mail
        : P3 until 30d7s
# At an interval, counted from when it was chosen.
1h1s  given set handset fetch-mode fetch
1h2s  held mail
        : P3 until 30d7s, due 1h15m1s
1h3s  push news background
        held news P4 reason=fetch-interval rule=S3
1h16m  held mail
        at 1h15m1s
        delivered mail P3 state=background
        completed mail P3 result=noData
        lifecycle news state=background
        delivered news P4 state=background
        completed news P4 result=noData
        at 1h16m
        : nothing
1h16m1s  wait
1h16m2s  push mail background
        held mail P5 reason=fetch-interval rule=S3
1h16m3s  held mail
        : P5 until 30d1h16m2s, due 1h30m1s
# Another interval, counted anew.
1h20m given set handset fetch-interval 2h
1h20m1s  held mail
        : P5 until 30d1h16m2s, due 3h20m
1h20m2s  set handset fetch-interval 30s
        ! setting 'fetch-interval' cannot be '30s': expected minutes or hours from 1m to 24h, such as 15m
# A notification for the person is not kept back, and what it brings the app is.
1h21m  push news alert="At once" content-available
        presented news P6 style=banner listed=yes
        held news P6 reason=fetch-interval rule=S3
        = lamp blink since 1h21m, banner P6 News: "At once" until 1h21m5s
1h22m  held news
        at 1h21m5s
        = lamp blink since 1h21m
        at 1h22m
        : P6 until 30d1h21m, due 3h20m
# As they are pushed: what is held goes out at once.
1h23m  set handset fetch-mode push
        setting key=fetch-mode value=push
        delivered mail P5 state=background
        completed mail P5 result=noData
        delivered news P6 state=background
        completed news P6 result=noData
# The budget holds at intervals too: three of them in an hour, and the next one is the first after that.
2h30m given set handset fetch-interval 1m; set handset fetch-mode fetch
2h30m30s  push mail background
        held mail P7 reason=fetch-interval rule=S3
2h31m30s  push mail background
        at 2h31m
        delivered mail P7 state=background
        completed mail P7 result=noData
        at 2h31m30s
        held mail P8 reason=fetch-interval rule=S3
2h32m30s  push mail background
        at 2h32m
        delivered mail P8 state=background
        completed mail P8 result=noData
        at 2h32m30s
        held mail P9 reason=fetch-interval rule=S3
2h33m30s  push mail background
        at 2h33m
        delivered mail P9 state=background
        completed mail P9 result=noData
        at 2h33m30s
        held mail P10 reason=budget rule=U7
2h34m30s  budget mail
        : 2h31m, 2h32m, 2h33m; free at 3h31m
2h34m30s  held mail
        : P10 until 30d2h33m30s, due 3h31m
# What came exactly at an interval is delivered there.
2h35m  push news background
        delivered news P11 state=background
        completed news P11 result=noData
3h32m  wait
        at 3h31m
        delivered mail P10 state=background
        completed mail P10 result=noData
# An interval that passes in low power is passed.
4h    given set handset fetch-interval 30m
4h1s  given condition low-power on
4h2s  push mail background
        held mail P12 reason=low-power rule=U7
4h31m given condition low-power off
4h31m1s  held mail
        : P12 until 30d4h2s, due 5h
5h    wait
        at 5h
        delivered mail P12 state=background
        completed mail P12 result=noData
# The intervals go on through a restart, and through a boot where the wall clock can be believed.
5h1m  push mail background
        held mail P13 reason=fetch-interval rule=S3
5h2m  restart
        = lamp blink since 5h2m
5h2m1s  held mail
        : P13 until 30d5h1m, due 5h30m
5h3m  boot
        lifecycle mail state=notRunning
        lifecycle news state=notRunning
        = lamp blink since 5h3m
5h3m1s  held mail
        : P13 until 30d5h1m, due 5h30m
5h4m  settings
        : notifications=on
        : badge-shows=sum
        : vibrate-on-ring=on
        : vibrate-on-silent=on
        : fetch-mode=fetch
        : fetch-interval=30m
        : quiet-hours=off
        : night-hours=off
        : snooze=10m
        : lamp=off
        : default-sound=default
        : volume=100%
        : night-volume=same
