story: With notifications off nothing is presented; background updates are not stopped
rules: S2, S4, U2

0s    given install mail background sounds=letter; register mail badge sound alert; set mail style alert
1s    push mail badge=2 alert="One"
        badge mail P1 number=2
        presented mail P1 style=alert listed=yes
        = badge 2, lamp blink since 1s, alert P1 Mail: "One" [Close, View]
2s    set handset notifications off
        setting key=notifications value=off
        > silence all
        = dark
3s    push mail badge=3 alert="Two" sound=letter
        badge mail P2 number=3
        not-presented mail P2 reason=handset-off rule=S2
3s    state mail
        : notRunning, registered for badge,sound,alert, T1, badge 3, icon 0
4s    push mail background
        lifecycle mail state=background
        delivered mail P3 state=background
        completed mail P3 result=noData
5s    push mail alert="Three" content-available
        not-presented mail P4 reason=handset-off rule=S2
        delivered mail P4 state=background
        completed mail P4 result=noData
6s    held mail
        : nothing
7s    press close
        button button=close press=short
        seen count=1
        > silence all
8s    center
        : P1 Mail: "One"
# What waited before waits again; what came meanwhile was not presented, and its badge was kept.
9s    given set handset notifications on
        = badge 3, alert P1 Mail: "One" [Close, View]
9s    state mail
        : background, registered for badge,sound,alert, T1, badge 3
10s   set handset notifications maybe
        ! setting 'notifications' cannot be 'maybe': expected on, off
