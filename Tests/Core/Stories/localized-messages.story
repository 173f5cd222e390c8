story: Localised messages are looked up in the app's own strings
rules: N4, N3

0s    given install game string.INVITE="%@ wants to play %@" string.SWAPPED="%2$@ against %1$@" string.PLAY="Play" name="Chess"
0s    given register game alert; set game style alert
1s    push game alert-key=INVITE args=Jenna,chess action-key=PLAY
        presented game P1 style=alert listed=yes
        = lamp blink since 1s, alert P1 Chess: "Jenna wants to play chess" [Close, Play]
2s    push game title-key=PLAY alert-key=SWAPPED args=Jenna,Frank
        presented game P2 style=alert listed=yes
        = lamp blink since 2s, alert P2 Chess: "Play | Frank against Jenna" [Close, View] over 1
3s    push game alert-key=UNKNOWN args=Jenna no-action
        presented game P3 style=alert listed=yes
        = lamp blink since 3s, alert P3 Chess: "UNKNOWN" [OK] over 2
