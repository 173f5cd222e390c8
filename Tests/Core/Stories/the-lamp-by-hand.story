story: While no notification lights the lamp it does what the person chose, also where notifications are off
rules: D1, S2

1s    given install mail; register mail badge sound alert; set handset lamp breathe
        = lamp breathe since -16m40s
2s    push mail alert="A notification goes before"
        presented mail P1 style=banner listed=yes
        = lamp blink since 2s, banner P1 Mail: "A notification goes before" until 7s
3s    press close
        button button=close press=short
        seen count=1
        > silence all
        = lamp breathe since -16m40s, banner P1 Mail: "A notification goes before" until 7s
4s    set handset notifications off
        setting key=notifications value=off
        > silence all
        = lamp breathe since -16m40s
5s    restart
6s    given set handset notifications on
7s    given set handset lamp off
        = dark
8s    set handset lamp disco
        ! setting 'lamp' cannot be 'disco': expected off, steady, blink, double, breathe, heartbeat, sos
