story: One and then one is one: the handset shows what was sent and never counts
rules: B1, B4, R1, S6

0s    given install mail sounds=letter; register mail badge sound alert
1s    push mail badge=1
        badge mail P1 number=1
        = badge 1
2s    push mail badge=1
        badge mail P2 number=1
3s    push mail alert="No number in this one"
        presented mail P3 style=banner listed=yes
        = badge 1, lamp blink since 3s, banner P3 Mail: "No number in this one" until 8s
10s   push mail badge=7 sound=letter
        at 8s
        = badge 1, lamp blink since 3s
        at 10s
        badge mail P4 number=7
        presented mail P4 style=none listed=no sound=letter vibration=pulse
        > play mail's letter for P4
        = badge 7, lamp blink since 3s
