story: The newest badge counts, whether it waited or not, and zero discards what waits
rules: Q1, B1, B3

0s    given install mail background; register mail badge sound alert; condition low-power on
1s    push mail alert="One" badge=1 priority=5
        deferred mail P1 reason=low-power rule=Q1
2s    push mail badge=2 priority=5
        deferred mail P2 reason=low-power rule=Q1
3s    push mail badge=7
        badge mail P3 number=7
        discarded mail P2 reason=replaced-deferred rule=Q1 replacedBy=P3
        = badge 7
4s    condition low-power off
        condition condition=low-power on=no
        arrived mail P1
        presented mail P1 style=banner listed=yes
        = badge 7, lamp blink since 4s, banner P1 Mail: "One" until 9s
4s    state mail
        : notRunning, registered for badge,sound,alert, T1, badge 7
5s    given condition low-power on
6s    push mail alert="Two" badge=3 priority=5
        deferred mail P4 reason=low-power rule=Q1
7s    push mail badge=0
        badge mail P5 number=0
        discarded mail P4 reason=badge-zero rule=B3 replacedBy=P5
        cleared mail P5 reason=badge-zero rule=B3 count=1
        = banner P1 Mail: "One" until 9s
8s    deferred
        : nothing
9s    condition low-power off
        at 9s
        = dark
        condition condition=low-power on=no
