story: What is no non-negative integer is no badge, and the rest of the push is honoured
rules: B2, B4

0s    given install mail sounds=letter; register mail badge sound alert
1s    push mail badge=3
        badge mail P1 number=3
        = badge 3
2s    push mail badge=-1 alert="Below zero"
        bad-badge mail P2 value=-1
        presented mail P2 style=banner listed=yes
        = badge 3, lamp blink since 2s, banner P2 Mail: "Below zero" until 7s
3s    push mail badge=1.5 sound=letter
        bad-badge mail P3 value=1.5
        presented mail P3 style=none listed=no sound=letter vibration=pulse
        > play mail's letter for P3
4s    push mail badge=many
        bad-badge mail P4 value=many
        not-presented mail P4 reason=nothing-to-show
5s    push mail badge=9223372036854775807
        badge mail P5 number=9223372036854775807
        = badge 9223372036854775807, lamp blink since 2s, banner P2 Mail: "Below zero" until 7s
6s    display 4 points
        : "9.9.9.9."
7s    display 4
        at 7s
        = badge 9223372036854775807, lamp blink since 2s
        : "9999" blinking
8s    push mail badge=0
        badge mail P6 number=0
        cleared mail P6 reason=badge-zero rule=B3 count=1
        = dark
9s    display 4
        : "    "
