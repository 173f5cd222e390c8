story: A background update never lights, sounds or badges; with something for the person it is a notification too
rules: U2, U3

0s    given install mail background sounds=letter; register mail badge sound alert
1s    push mail background
        lifecycle mail state=background
        delivered mail P1 state=background
        completed mail P1 result=noData
2s    push mail background badge=3 alert="Quiet" sound=letter
        delivered mail P2 state=background
        completed mail P2 result=noData
3s    center
        : empty
4s    push mail badge=1 alert="For the person, and the app" sound=letter content-available
        badge mail P3 number=1
        presented mail P3 style=banner listed=yes sound=letter vibration=pulse
        delivered mail P3 state=background
        completed mail P3 result=noData
        > play mail's letter for P3
        = badge 1, lamp blink since 4s, banner P3 Mail: "For the person, and the app" until 9s
5s    held mail
        : nothing
6s    push mail
        not-presented mail P4 reason=nothing-to-show
