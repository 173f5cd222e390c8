story: Before its app registers, a push is accepted and reaches nobody
rules: R1

0s    install mail background sounds=letter
        installed mail
0s    state mail
        : notRunning, not registered yet, T1, badge 0, no settings
# Not even opening the app makes up for it: nothing was kept.
1s    push mail badge=3 alert="Too early" sound=letter
        discarded mail P1 reason=not-registered rule=R1
2s    push mail background
        discarded mail P2 reason=not-registered rule=R1
2s    held mail
        : nothing
3s    launch mail
        lifecycle mail state=foreground
4s    push mail alert="Still too early"
        discarded mail P3 reason=not-registered rule=R1
5s    register mail badge sound alert
        registered mail kinds=badge,sound,alert
6s    background mail
        lifecycle mail state=background
# The token that the installation minted is the one that works now.
7s    push mail token=T1 badge=3 alert="In time"
        badge mail P4 number=3
        presented mail P4 style=banner listed=yes
        = badge 3, lamp blink since 7s, banner P4 Mail: "In time" until 12s
7s    state mail
        : background, registered for badge,sound,alert, T1, badge 3
8s    center
        : P4 Mail: "In time" unseen
