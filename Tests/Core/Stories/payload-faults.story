story: What is wrong inside a payload is ignored with an event, and the rest is honoured
rules: B2, F3

0s    given install mail; register mail badge alert
1s    push mail badge=1.5 alert="Read me" fault="aps.thread-id:expected a string, got a number"
        ignored mail P1 path=aps.thread-id problem="expected a string, got a number"
        bad-badge mail P1 value=1.5
        presented mail P1 style=banner listed=yes
        = lamp blink since 1s, banner P1 Mail: "Read me" until 6s
2s    push mail badge=none
        bad-badge mail P2 value=none
        not-presented mail P2 reason=nothing-to-show
3s    push mail badge="01234567890123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789012345678901"
        bad-badge mail P3 value=012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789…
        not-presented mail P3 reason=nothing-to-show
