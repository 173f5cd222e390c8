story: A clock that is set, another time zone and a restart neither repeat nor skip a summary
rules: Q2, L3

0s    given install mail; register mail alert; set mail summary on; set handset summary 08:00,18:00
1s    push mail alert="One"
        deferred mail P1 reason=summary rule=Q2 until=8h
2s    clock -1h
3s    clock 50d
        discarded mail P1 reason=expired-deferred rule=Q1
4s    push mail alert="Two"
        deferred mail P2 reason=summary rule=Q2 until=50d8h
5s    zone berlin
        time-zone name=Europe/Berlin
6s    clock -50d
30h   wait
        at 8h
        arrived mail P2
        presented mail P2 style=banner listed=yes
        = lamp blink since 8h, banner P2 Mail: "Two" until 8h5s
        at 8h5s
        = lamp blink since 8h
31h   push mail alert="Three"
        deferred mail P3 reason=summary rule=Q2 until=1d7h
31h   restart
        = lamp blink since 1d7h
80h   restart late
        arrived mail P3
        presented mail P3 style=banner listed=yes
        = lamp blink since 3d8h, banner P3 Mail: "Three" until 3d8h5s
