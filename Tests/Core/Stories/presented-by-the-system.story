story: While the app is not in the foreground the system presents badge, alert and sound
rules: N1, N3, D1

0s    given install mail sounds=letter; register mail badge sound alert
1s    push mail badge=1 alert="Not running" sound=letter
        badge mail P1 number=1
        presented mail P1 style=banner listed=yes sound=letter vibration=pulse
        > play mail's letter for P1
        = badge 1, lamp blink since 1s, banner P1 Mail: "Not running" until 6s
2s    background mail
        lifecycle mail state=background
3s    push mail badge=2 title="From Ann" subtitle="Lunch" alert="In the background" sound=letter
        badge mail P2 number=2
        presented mail P2 style=banner listed=yes sound=letter vibration=pulse
        > play mail's letter for P2
        = badge 2, lamp blink since 3s, banner P2 Mail: "From Ann | Lunch | In the background" until 8s
4s    force-quit mail
        lifecycle mail state=forceQuit
5s    push mail badge=3 alert="Force-quit" sound=letter
        badge mail P3 number=3
        presented mail P3 style=banner listed=yes sound=letter vibration=pulse
        > play mail's letter for P3
        = badge 3, lamp blink since 5s, banner P3 Mail: "Force-quit" until 10s
# A second banner takes the place of the first, and goes after its own five seconds.
9s    wait
10s   wait
        at 10s
        = badge 3, lamp blink since 5s
11s   center
        : P1 Mail: "Not running" unseen
        : P2 Mail: "From Ann | Lunch | In the background" unseen
        : P3 Mail: "Force-quit" unseen
