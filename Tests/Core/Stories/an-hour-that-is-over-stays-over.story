story: A push whose hour is over is new for ever, whatever the clock shows after a boot
rules: P1
0s    given install mail; register mail badge sound alert
1s    push mail alert="One"
        presented mail P1 style=banner listed=yes
        = lamp blink since 1s, banner P1 Mail: "One" until 6s
2s    push mail alert="Two"
        presented mail P2 style=banner listed=yes
        = lamp blink since 2s, banner P2 Mail: "Two" until 7s
3s    push mail alert="Three"
        presented mail P3 style=banner listed=yes
        = lamp blink since 3s, banner P3 Mail: "Three" until 8s
4s    push mail alert="Four"
        presented mail P4 style=banner listed=yes
        = lamp blink since 4s, banner P4 Mail: "Four" until 9s
# Their hour is over when the fifth comes.
1h10s push mail alert="Five"
        at 9s
        = lamp blink since 4s
        at 1h10s
        presented mail P5 style=banner listed=yes
        = lamp blink since 1h10s, banner P5 Mail: "Five" until 1h15s
1h11s clear all
        cleared mail reason=by-person rule=N10 count=5
        > stop the sound of P1
        > stop the sound of P2
        > stop the sound of P3
        > stop the sound of P4
        > stop the sound of P5
        = dark
# A board without a battery clock boots: the hour of the fifth begins anew, and no other.
1h11s clock -20500d unnoticed
1h11s boot late
1h12s push mail again=P5 alert="Five"
        duplicate mail P5 reason=came-again rule=P1
1h13s push mail again=P4 alert="Four"
        presented mail P4 style=banner listed=yes
        = lamp blink since 1h13s, banner P4 Mail: "Four" until 1h18s
1h14s push mail again=P3 alert="Three"
        presented mail P3 style=banner listed=yes
        = lamp blink since 1h14s, banner P3 Mail: "Three" until 1h19s
1h15s clear all
        cleared mail reason=by-person rule=N10 count=2
        > stop the sound of P4
        > stop the sound of P3
        = dark
# The board is off for longer than an hour, then loses its clock.
1h16s clock 20500d
1h17s push mail alert="Six"
        presented mail P9 style=banner listed=yes
        = lamp blink since 1h17s, banner P9 Mail: "Six" until 1h22s
2h20s boot late
        = lamp blink since 2h20s
2h21s clock -20500d unnoticed
2h21s boot late
        = lamp blink since 2h21s
2h22s push mail again=P9 alert="Six"
        presented mail P9 style=banner listed=yes
        = lamp blink since 2h22s, banner P9 Mail: "Six" until 2h27s
