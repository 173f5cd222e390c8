story: Two buttons are Close and the action, one is OK; only the action launches the app
rules: N4, N10, U6

# Low power: background updates are held.
0s    given condition low-power on; install mail background action="Read" string.ANSWER="Reply"; register mail alert
0s    given set mail style alert; install news; register news alert; set news style alert
1s    push mail alert="The app's own title" content-available
        presented mail P1 style=alert listed=yes
        held mail P1 reason=low-power rule=U7
        = lamp blink since 1s, alert P1 Mail: "The app's own title" [Close, Read]
2s    push news alert="The system's title"
        presented news P2 style=alert listed=yes
        = lamp blink since 2s, alert P2 News: "The system's title" [Close, View] over 1
3s    push mail alert="A title by key" action-key=ANSWER
        presented mail P3 style=alert listed=yes
        = lamp blink since 3s, alert P3 Mail: "A title by key" [Close, Reply] over 2
4s    push mail alert="A key that it lacks" action-key=Open
        presented mail P4 style=alert listed=yes
        = lamp blink since 4s, alert P4 Mail: "A key that it lacks" [Close, Open] over 3
5s    push mail alert="A single button" no-action
        presented mail P5 style=alert listed=yes
        = lamp blink since 5s, alert P5 Mail: "A single button" [OK] over 4
6s    press view
        ! the alert has no action button, only OK
7s    press close
        answered mail P5 button=close
        > stop the sound of P5
        = lamp blink since 5s, alert P4 Mail: "A key that it lacks" [Close, Open] over 3
8s    press close
        answered mail P4 button=close
        > stop the sound of P4
        = lamp blink since 5s, alert P3 Mail: "A title by key" [Close, Reply] over 2
9s    press close
        answered mail P3 button=close
        > stop the sound of P3
        = lamp blink since 5s, alert P2 News: "The system's title" [Close, View] over 1
10s   center
        : P1 Mail: "The app's own title" unseen
        : P2 News: "The system's title" unseen
        : P3 Mail: "A title by key"
        : P4 Mail: "A key that it lacks"
        : P5 Mail: "A single button"
10s   state news
        : notRunning, registered for alert, T3, badge 0
11s   press view
        answered news P2 button=view
        lifecycle news state=foreground
        cleared news P2 reason=notification-opened rule=N10 count=1
        > stop the sound of P2
        > stop the sound of P2
        = lamp blink since 5s, alert P1 Mail: "The app's own title" [Close, Read]
11s   state news
        : foreground, registered for alert, T3, badge 0
12s   press view
        answered mail P1 button=view
        lifecycle news state=background
        lifecycle mail state=foreground
        delivered mail P1 state=foreground
        completed mail P1 result=noData
        cleared mail P1 reason=notification-opened rule=N10 count=1
        > stop the sound of P1
        > stop the sound of P1
        = dark
12s   state mail
        : foreground, registered for alert, T1, badge 0
13s   press close
        button button=close press=short
        > silence all
14s   press view
        ! no alert is up
