story: An app's categories give its notifications actions, which open it or reach it in the background
rules: N15, N14, N10, U5
0s    given install mail hooks acknowledge=https://mail.example/seen category.ASK=ACCEPT*,REPLY?,DELETE#
0s    given register mail badge alert; set mail style alert
1s    push mail alert="Dinner?" category=ASK
        presented mail P1 style=alert listed=yes
        = lamp blink since 1s, alert P1 Mail: "Dinner?" [Close, View] {Accept, Reply, Delete}
1s    explain P1
        : R4 the token is the app's
        : F1 the handset is online: it arrives
        : R1 the app is registered
        : U2 it is a notification for the person
        : B4 it has no badge: the badge is unchanged
        : A1 it has no sound
        : S2 notifications are on
        : S1 notifications are allowed for the app
        : S6 the app registered for every kind in it
        : N1 the app is not in the foreground: the system presents it
        : N15 it offers actions
        : S1 it is listed in Notification Center
        : N3 an alert shows it, until it is acted on
        : D1 the lamp shows it
# In the background, with a text.
2s    open P1 action=REPLY
        ! the action 'REPLY' needs a text
2s    open P1 action=REPLY text=""
        ! a text has 1 to 4096 bytes
2s    open P1 action=REPLY text="On my way"
        responded mail P1 action=REPLY text=yes
        call-queued mail P1 answer=responded
        lifecycle mail state=background
        delivered mail P1 state=background
        cleared mail reason=responded rule=N15 count=1
        > give mail P1 in the background, action REPLY: "On my way": {"push":1}
        > stop the sound of P1
        > stop the sound of P1
        = dark
2s    calls
        : mail P1 responded https://mail.example/seen
3s    center
        : empty
4s    complete mail P1
        completed mail P1 result=newData
# By its title; it opens the app.
5s    push mail alert="Lunch?" category=ASK
        presented mail P2 style=alert listed=yes
        = lamp blink since 5s, alert P2 Mail: "Lunch?" [Close, View] {Accept, Reply, Delete}
6s    open P2 action=Accept
        responded mail P2 action=ACCEPT
        call-queued mail P2 answer=responded
        lifecycle mail state=foreground
        cleared mail reason=responded rule=N15 count=1
        > stop the sound of P2
        > launch mail with P2, action ACCEPT
        > stop the sound of P2
        = dark
7s    background mail
        lifecycle mail state=background
# Not while the handset is locked.
8s    push mail alert="Tea?" category=ASK
        presented mail P3 style=alert listed=yes
        = lamp blink since 8s, alert P3 Mail: "Tea?" [Close, View] {Accept, Reply, Delete}
9s    given condition locked on
        = lamp blink since 8s, alert P3 Mail: "Tea?" [Close, slide to view] {Accept, Reply, Delete}
10s   open P3 action=DELETE
        ! the handset is locked
11s   given condition locked off
        = lamp blink since 8s, alert P3 Mail: "Tea?" [Close, View] {Accept, Reply, Delete}
12s   open P3 action=DELETE text="Now"
        ! the action 'DELETE' takes no text
12s   open P3 action=DELETE
        responded mail P3 action=DELETE
        call-queued mail P3 answer=responded
        delivered mail P3 state=background
        cleared mail reason=responded rule=N15 count=1
        > give mail P3 in the background, action DELETE: {"push":3}
        > stop the sound of P3
        > stop the sound of P3
        = dark
13s   complete mail P3
        completed mail P3 result=newData
# An app that the person has stopped runs for what the person chooses.
14s   push mail alert="Cake?" category=ASK
        presented mail P4 style=alert listed=yes
        = lamp blink since 14s, alert P4 Mail: "Cake?" [Close, View] {Accept, Reply, Delete}
15s   force-quit mail
        lifecycle mail state=forceQuit
        > stop mail
16s   open P4 action=REPLY text="Yes"
        responded mail P4 action=REPLY text=yes
        call-queued mail P4 answer=responded
        lifecycle mail state=background
        delivered mail P4 state=background
        cleared mail reason=responded rule=N15 count=1
        > give mail P4 in the background, action REPLY: "Yes": {"push":4}
        > stop the sound of P4
        > stop the sound of P4
        = dark
17s   timeout mail P4
        timed-out mail P4 reason=not-completed rule=U8
        lifecycle mail state=notRunning
# It has no such category, or no longer.
18s   push mail alert="Soup?" category=TELL
        presented mail P5 style=alert listed=yes
        = lamp blink since 18s, alert P5 Mail: "Soup?" [Close, View]
18s   explain P5 unlike P1
        : - N15 it offers actions
        : + N15 the app has no category of that name: it offers none of its actions
19s   open P5 action=REPLY text="Yes"
        ! the notification has no action 'REPLY'
20s   push mail alert="Beer?" category=ASK
        presented mail P6 style=alert listed=yes
        = lamp blink since 20s, alert P6 Mail: "Beer?" [Close, View] {Accept, Reply, Delete} over 1
21s   given install mail hooks
        = lamp blink since 20s, alert P6 Mail: "Beer?" [Close, View] over 1
22s   open P6 action=REPLY text="Yes"
        ! the notification has no action 'REPLY'
# An app that listens gets it when it connects.
23s   given install news category.ASK=REPLY?; register news alert
24s   listen news background
        lifecycle news state=background
25s   disconnect news
        lifecycle news state=notRunning
26s   push news alert="News?" category=ASK
        presented news P7 style=banner listed=yes
        = lamp blink since 26s, banner P7 News: "News?" until 31s, alert P6 Mail: "Beer?" [Close, View] over 1
27s   open P7 action=REPLY text="None"
        responded news P7 action=REPLY text=yes
        held news P7 reason=not-connected rule=U8
        cleared news reason=responded rule=N15 count=1
        > stop the sound of P7
        > stop the sound of P7
        = lamp blink since 26s, alert P6 Mail: "Beer?" [Close, View] over 1
28s   offered news
        : P7, attempt 0, action REPLY: "None", waits
29s   restart
        = lamp blink since 29s, alert P6 Mail: "Beer?" [Close, View] over 1
30s   listen news background
        lifecycle news state=background
        delivered news P7 state=background
        > give news P7 in the background, action REPLY: "None": {"push":7}
31s   complete news P7
        completed news P7 result=newData
