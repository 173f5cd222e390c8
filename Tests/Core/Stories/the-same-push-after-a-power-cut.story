story: An hour of a push goes on over a boot, whatever the clock shows then
rules: P1
0s    given install mail; register mail badge sound alert
1s    push mail alert="One"
        presented mail P1 style=banner listed=yes
        = lamp blink since 1s, banner P1 Mail: "One" until 6s
# The clock is kept: the time that the board was off counts.
30m   boot late
        = lamp blink since 30m
30m1s push mail again=P1 alert="One"
        duplicate mail P1 reason=came-again rule=P1
1h    push mail again=P1 alert="One"
        duplicate mail P1 reason=came-again rule=P1
1h1s  push mail again=P1 alert="One"
        presented mail P1 style=banner listed=yes
        = lamp blink since 1h1s, banner P1 Mail: "One" until 1h6s
# A board without a battery clock boots in 1970: how long it was off is not known.
1h1s  clear all
        cleared mail reason=by-person rule=N10 count=2
        > stop the sound of P1
        > stop the sound of P1
        = dark
1h2s  clock -20500d unnoticed
1h2s  boot late
1h2s  push mail again=P1 alert="One"
        duplicate mail P1 reason=came-again rule=P1
# Then it learns the time.
1h30m clock 20500d
1h30m push mail again=P1 alert="One"
        duplicate mail P1 reason=came-again rule=P1
2h2s  push mail again=P1 alert="One"
        presented mail P1 style=banner listed=yes
        = lamp blink since 2h2s, banner P1 Mail: "One" until 2h7s
# While it runs nobody's setting of the clock plays a part.
2h3s  clock 50d
2h4s  push mail again=P1 alert="One"
        duplicate mail P1 reason=came-again rule=P1
2h5s  clock -50d
2h6s  push mail again=P1 alert="One"
        duplicate mail P1 reason=came-again rule=P1
