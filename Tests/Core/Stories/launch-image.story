story: A notification keeps the name of its launch image, which shows while the notification opens the app
rules: N14

0s    given install mail category.ask=ACCEPT*; register mail badge sound alert
1s    push mail alert="Two letters" launch-image=Letters
        presented mail P1 style=banner listed=yes
        = lamp blink since 1s, banner P1 Mail: "Two letters" until 6s
2s    center
        : P1 Mail: "Two letters" unseen image Letters
# A category that the app lacks takes nothing else away.
3s    push mail alert="A parcel" category=other launch-image=Parcel
        presented mail P2 style=banner listed=yes
        = lamp blink since 3s, banner P2 Mail: "A parcel" until 8s
4s    center
        : P1 Mail: "Two letters" unseen image Letters
        : P2 Mail: "A parcel" unseen image Parcel
5s    open P1
        responded mail P1 action=com.apple.UNNotificationDefaultActionIdentifier
        lifecycle mail state=foreground
        seen mail count=1
        cleared mail P1 reason=notification-opened rule=N10 count=1
        > stop the sound of P1
        > stop the sound of P2
        > stop the sound of P1
        = dark
