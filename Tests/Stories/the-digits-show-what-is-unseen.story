story: For senders that do not count, an app's number is how many of its notifications are unseen
rules: B1, B4, B5, S4

0s    install mail
0s    register mail badge alert
0s    install news
0s    register news badge alert
1s    set mail badge-shows unseen
2s    push mail alert="One"
3s    push mail alert="Two" level=passive
4s    push news alert="Three" badge=10
5s    explain P2
# The sum of both: two that are unseen, and a badge that is never counted.
5s    push news alert="Four" badge=10
# Its own badge is kept, and not shown.
6s    push mail alert="Five" badge=7
6s    explain P5
7s    clear P1
8s    set mail badge off
9s    set mail badge on
10s   set handset badge-shows mail
11s   restart
12s   press close
13s   push mail alert="Six"
14s   set mail badge-shows sent
15s   set mail badge-shows unseen
# Opening the app clears what it had.
16s   launch mail
17s   background mail
18s   push mail alert="Seven" collapse=a
19s   push mail alert="Eight" collapse=a
20s   set mail show-in-notification-center off
21s   set mail badge-shows all
22s   uninstall mail
