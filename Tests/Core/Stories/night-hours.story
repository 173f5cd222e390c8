story: At night the display is dimmed, for as long as it shows something, and local clocks may jump
rules: B5

1s    given install mail; register mail badge; set handset night-hours 00:10-07:00
2s    wait
# It is night since 00:10, and dark is dark: nothing is due while nothing is shown.
11m   wait
12m   push mail badge=5
        badge mail P1 number=5
        = badge 5, dimmed
13m   settings
        : notifications=on
        : badge-shows=sum
        : vibrate-on-ring=on
        : vibrate-on-silent=on
        : fetch-mode=push
        : fetch-interval=15m
        : quiet-hours=off
        : night-hours=00:10-07:00
        : snooze=10m
        : lamp=off
        : default-sound=default
        : volume=100%
        : night-volume=same
        : summary=off
        : focus=off
6h    wait
7h1m  wait
        at 7h
        = badge 5
# Off, the badge is dark, and so is the night.
8h    set handset notifications off
        setting key=notifications value=off
        > silence all
        = dark
25h   wait
26h   given set handset notifications on
        = badge 5, dimmed
27h   given set handset night-hours off
        = badge 5
28h   set handset night-hours 7-22
        ! setting 'night-hours' cannot be '7-22': expected off, two times that differ: 22:00-07:00
28h   given set handset night-hours 20:00-03:30
47h   restart
        at 1d20h
        = badge 5, dimmed
# At 18:00 UTC it is day; in New York it is an hour after noon, and 20:00 comes seven hours later.
48h   clock -6h
        = badge 5
48h   zone new-york
        time-zone name=America/New_York
56h   wait
        at 2d7h
        = badge 5, dimmed
57h   push mail badge=0
        badge mail P2 number=0
        = dark
