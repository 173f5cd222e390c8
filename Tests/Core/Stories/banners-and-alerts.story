story: A banner goes by itself after five seconds, an alert stays until acted on
rules: N3, D1

0s    given install mail; register mail alert; install news name="The Daily News"; register news alert
0s    given set news style alert
1s    push mail alert="By itself"
        presented mail P1 style=banner listed=yes
        = lamp blink since 1s, banner P1 Mail: "By itself" until 6s
5999ms wait
6s    wait
        at 6s
        = lamp blink since 1s
7s    push news title="Headline" alert="Until acted on"
        presented news P2 style=alert listed=yes
        = lamp blink since 7s, alert P2 The Daily News: "Headline | Until acted on" [Close, View]
# Both can be up.
8s    push mail alert="Beside it"
        presented mail P3 style=banner listed=yes
        = lamp blink since 8s, banner P3 Mail: "Beside it" until 13s, alert P2 The Daily News: "Headline | Until acted on" [Close, View]
1h    wait
        at 13s
        = lamp blink since 8s, alert P2 The Daily News: "Headline | Until acted on" [Close, View]
1h    center
        : P1 Mail: "By itself" unseen
        : P2 The Daily News: "Headline | Until acted on" unseen
        : P3 Mail: "Beside it" unseen
1h1s  press close
        answered news P2 button=close
        > stop the sound of P2
        = lamp blink since 8s
# Not the wall clock's business: somebody sets it, and the banner stays its five seconds.
2h    push mail alert="Steady"
        presented mail P4 style=banner listed=yes
        = lamp blink since 2h, banner P4 Mail: "Steady" until 2h5s
2h1s  clock 30h
2h2s  clock -60h
2h5s  wait
        at 2h5s
        = lamp blink since 2h
