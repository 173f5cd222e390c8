story: While the handset is locked the action title is lower-cased into a slide
rules: N5, N4

0s    given install mail action="Read It" string.ANSWER="ÄRGER"; register mail alert; set mail style alert
1s    push mail alert="The app's own title"
        presented mail P1 style=alert listed=yes
        = lamp blink since 1s, alert P1 Mail: "The app's own title" [Close, Read It]
2s    given condition locked on
        = lamp blink since 1s, alert P1 Mail: "The app's own title" [Close, slide to read it]
3s    push mail alert="A title by key" action-key=ANSWER
        presented mail P2 style=alert listed=yes
        = lamp blink since 3s, alert P2 Mail: "A title by key" [Close, slide to ärger] over 1
4s    push mail alert="A single button" no-action
        presented mail P3 style=alert listed=yes
        = lamp blink since 4s, alert P3 Mail: "A single button" [OK] over 2
5s    restart
        = lamp blink since 5s, alert P3 Mail: "A single button" [OK] over 2
6s    press close
        answered mail P3 button=close
        > stop the sound of P3
        = lamp blink since 5s, alert P2 Mail: "A title by key" [Close, slide to ärger] over 1
7s    press close
        answered mail P2 button=close
        > stop the sound of P2
        = lamp blink since 5s, alert P1 Mail: "The app's own title" [Close, slide to read it]
8s    given condition locked off
        = lamp blink since 5s, alert P1 Mail: "The app's own title" [Close, Read It]
9s    given condition locked on
        = lamp blink since 5s, alert P1 Mail: "The app's own title" [Close, slide to read it]
10s   press view
        answered mail P1 button=view
        lifecycle mail state=foreground
        cleared mail P1 reason=notification-opened rule=N10 count=1
        > stop the sound of P1
        > stop the sound of P1
        = dark
