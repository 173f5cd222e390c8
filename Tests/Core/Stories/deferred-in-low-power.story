story: In low power alerts of priority 5 and 1 wait, and are presented together with one sound when it ends
rules: Q1, N8, B1, B3

0s    given install mail sounds=letter; register mail badge sound alert; install chat; register chat badge sound alert
0s    given condition low-power on
# Priority 10 is presented at once.
1s    push mail alert="Now" badge=1 sound=letter
        badge mail P1 number=1
        presented mail P1 style=banner listed=yes sound=letter vibration=pulse
        > play mail's letter for P1
        = badge 1, lamp blink since 1s, banner P1 Mail: "Now" until 6s
2s    push mail alert="First" badge=2 sound=letter priority=5
        deferred mail P2 reason=low-power rule=Q1
2s    explain P2
        : R4 the token is the app's
        : F1 the handset is online: it arrives
        : R1 the app is registered
        : Q1 its priority is below 10, and the handset saves power: it waits
3s    push chat alert="Hello" sound=default priority=5 level=time-sensitive
        deferred chat P3 reason=low-power rule=Q1
4s    push mail alert="Second" badge=3 priority=5
        deferred mail P4 reason=low-power rule=Q1
5s    deferred
        : mail P2 low-power until 30d2s
        : chat P3 low-power until 30d3s
        : mail P4 low-power until 30d4s
# One with the same collapse identifier replaces the one that waits, whatever its own priority.
6s    push chat alert="Old" collapse=c1 priority=5
        at 6s
        = badge 1, lamp blink since 1s
        deferred chat P5 reason=low-power rule=Q1
7s    push chat alert="New" collapse=c1 priority=5
        discarded chat P5 reason=replaced-deferred rule=Q1 replacedBy=P6
        deferred chat P6 reason=low-power rule=Q1
8s    push chat alert="Newest" collapse=c1
        discarded chat P6 reason=replaced-deferred rule=Q1 replacedBy=P7
        presented chat P7 style=banner listed=yes
        = badge 1, lamp blink since 8s, banner P7 Chat: "Newest" until 13s
# The provider takes one back.
9s    push chat alert="Mistake" collapse=c2 priority=5
        deferred chat P8 reason=low-power rule=Q1
10s   retract chat c2 removed
        discarded chat P8 reason=retracted rule=N8
20s   condition low-power off
        at 13s
        = badge 1, lamp blink since 8s
        at 20s
        condition condition=low-power on=no
        arrived mail P2
        badge mail P2 number=2
        presented mail P2 style=banner listed=yes silenced=grouped rule=Q1
        arrived chat P3
        presented chat P3 style=banner listed=yes sound=default vibration=double
        arrived mail P4
        badge mail P4 number=3
        presented mail P4 style=banner listed=yes
        > play the default sound for P3
        = badge 3, lamp double since 20s, banner P4 Mail: "Second" until 25s
20s   explain P3
        : Q1 it was deferred: it goes on now
        : U2 it is a notification for the person
        : B4 it has no badge: the badge is unchanged
        : S2 notifications are on
        : S1 notifications are allowed for the app
        : S6 the app registered for every kind in it
        : N1 the app is not in the foreground: the system presents it
        : S1 it is listed in Notification Center
        : N3 a banner shows it for a few seconds
        : S5 neither silence nor quiet hours: its sound is played
        : A1 it asks for the default sound
        : D3 the motor vibrates, if one is fitted
        : D1 the lamp shows it
20s   explain P2
        : Q1 it was deferred: it goes on now
        : U2 it is a notification for the person
        : B1 its number is the app's badge
        : S2 notifications are on
        : S1 notifications are allowed for the app
        : S6 the app registered for every kind in it
        : N1 the app is not in the foreground: the system presents it
        : S1 it is listed in Notification Center
        : N3 a banner shows it for a few seconds
        : Q1 it is presented with others that waited: at most one of them sounds
        : D1 the lamp does not show it
20s   center
        : P1 Mail: "Now" unseen
        : P7 Chat: "Newest" unseen
        : P2 Mail: "First" unseen
        : P3 Chat: "Hello" unseen
        : P4 Mail: "Second" unseen
21s   deferred
        : nothing
