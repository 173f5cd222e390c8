story: While no notification lights the lamp it does what the person chose, also where notifications are off
rules: D1, S2

0s    install mail
0s    register mail badge sound alert
1s    set handset lamp breathe
2s    push mail alert="A notification goes before"
3s    press close
4s    set handset notifications off
5s    restart
6s    set handset notifications on
7s    set handset lamp off
8s    set handset lamp disco
