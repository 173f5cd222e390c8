story: The person chooses when an app's messages can be read
rules: N18, N5
0s    install mail
        installed mail
0s    register mail alert
        registered mail kinds=alert
0s    set mail style alert
        setting mail key=style value=alert
0s    set mail show-previews when-unlocked
        setting mail key=show-previews value=when-unlocked
1s    push mail title="Anna" alert="Two letters"
        accepted mail P1 type=alert
        presented mail P1 style=alert listed=yes
        = lamp blink since 1s, alert P1 Mail: "Anna | Two letters" [Close, View]
2s    condition locked on
        condition condition=locked on=yes
        = lamp blink since 1s, alert P1 Mail: "Notification" [Close, slide to view]
3s    center
        : P1 Mail: "Notification" unseen
4s    condition locked off
        condition condition=locked on=no
        = lamp blink since 1s, alert P1 Mail: "Anna | Two letters" [Close, View]
5s    set mail show-previews never
        setting mail key=show-previews value=never
        = lamp blink since 1s, alert P1 Mail: "Notification" [Close, View]
6s    set mail show-previews always
        setting mail key=show-previews value=always
        = lamp blink since 1s, alert P1 Mail: "Anna | Two letters" [Close, View]
7s    condition locked on
        condition condition=locked on=yes
        = lamp blink since 1s, alert P1 Mail: "Anna | Two letters" [Close, slide to view]
8s    set mail show-previews sometimes
        ! setting 'show-previews' cannot be 'sometimes': expected always, when-unlocked, never
