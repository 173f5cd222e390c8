story: A badge that is switched off keeps its number, and the numbers that come meanwhile
rules: S4, B1, B4, B5

0s    given install mail; register mail badge sound alert
1s    push mail badge=3
        badge mail P1 number=3
        = badge 3
2s    given set mail badge off
        = dark
3s    display 4
        : "    "
4s    push mail badge=8
        badge mail P2 number=8
        not-presented mail P2 reason=switched-off rule=S1
5s    push mail alert="No badge in it"
        presented mail P3 style=banner listed=yes
        = lamp blink since 5s, banner P3 Mail: "No badge in it" until 10s
6s    state mail
        : notRunning, registered for badge,sound,alert, T1, badge 8, icon 0
7s    given set mail badge on
        = badge 8, lamp blink since 5s, banner P3 Mail: "No badge in it" until 10s
8s    display 4
        : "   8"
# Zero counts also while it is off.
20s   set mail badge off
        at 10s
        = badge 8, lamp blink since 5s
        at 20s
        setting mail key=badge value=off
        = lamp blink since 5s
21s   push mail badge=0
        badge mail P4 number=0
        cleared mail P4 reason=badge-zero rule=B3 count=1
        not-presented mail P4 reason=switched-off rule=S1
        = dark
22s   given set mail badge on
