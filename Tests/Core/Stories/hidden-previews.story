story: The person chooses when an app's messages can be read
rules: N18, N5
0s    given install mail; register mail alert; set mail style alert; set mail show-previews when-unlocked
1s    push mail title="Anna" alert="Two letters"
        presented mail P1 style=alert listed=yes
        = lamp blink since 1s, alert P1 Mail: "Anna | Two letters" [Close, View]
2s    given condition locked on
        = lamp blink since 1s, alert P1 Mail: "Notification" [Close, slide to view]
3s    center
        : P1 Mail: "Notification" unseen
4s    given condition locked off
        = lamp blink since 1s, alert P1 Mail: "Anna | Two letters" [Close, View]
5s    given set mail show-previews never
        = lamp blink since 1s, alert P1 Mail: "Notification" [Close, View]
6s    given set mail show-previews always
        = lamp blink since 1s, alert P1 Mail: "Anna | Two letters" [Close, View]
7s    given condition locked on
        = lamp blink since 1s, alert P1 Mail: "Anna | Two letters" [Close, slide to view]
8s    set mail show-previews sometimes
        ! setting 'show-previews' cannot be 'sometimes': expected always, when-unlocked, never
