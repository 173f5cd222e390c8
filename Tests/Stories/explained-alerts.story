story: Of each notification it can be told why it rang, or did not
rules: F3
0s    install mail sounds=letter
1s    push mail alert=Hello badge=1 sound=letter
1s    explain P1
2s    register mail badge sound alert
3s    push mail alert=Hello badge=3 sound=letter
3s    explain P2
# What the app has not, is the default sound.
4s    push mail alert=Hello sound=bell
4s    explain P3
5s    push mail alert=Hello sound=default
5s    explain P4
6s    push mail alert=Hello
6s    explain P5

# S1: each switch.
10s   set mail sound off
10s   push mail alert=Hello badge=4 sound=letter
10s   explain P6
11s   set mail sound on
11s   set mail badge off
11s   set mail alert off
11s   push mail alert=Hello badge=5 sound=letter
11s   explain P7
12s   set mail badge on
12s   set mail alert on
12s   set mail style none
12s   push mail alert=Hello sound=letter
12s   explain P8
13s   set mail style alert
13s   set mail show-in-notification-center off
13s   push mail alert=Hello sound=letter
13s   explain P9
14s   set mail show-in-notification-center on
14s   push mail alert=Hello collapse=a
14s   explain P10
15s   push mail alert="Hello again" collapse=a
15s   explain P11
16s   set mail allow-notifications off
16s   push mail alert=Hello badge=6 sound=letter
16s   explain P12
17s   set mail allow-notifications on

# S2, S5, N9.
20s   set handset notifications off
20s   push mail alert=Hello badge=7 sound=letter
20s   explain P13
21s   set handset notifications on
21s   condition silent on
21s   push mail alert=Hello sound=letter
21s   explain P14
22s   set handset vibrate-on-silent off
22s   push mail alert=Hello sound=letter
22s   explain P15
23s   condition silent off
23s   set handset quiet-hours 00:00-01:00
23s   push mail alert=Hello sound=letter
23s   explain P16
24s   push mail alert=Hello sound=letter level=time-sensitive
24s   explain P17
25s   set mail time-sensitive off
25s   push mail alert=Hello sound=letter level=time-sensitive
25s   explain P18
26s   push mail alert=Hello sound=letter level=critical volume=0.5
26s   explain P19
27s   set mail critical on
27s   push mail alert=Hello sound=letter level=critical volume=0.5
27s   explain P20
28s   set handset quiet-hours off
28s   push mail alert=Hello sound=letter level=passive
28s   explain P21

# S6, N2.
30s   unregister mail
30s   register mail sound
30s   push mail alert=Hello badge=8 sound=letter
30s   explain P22
31s   push mail alert=Hello badge=8
31s   explain P23
32s   unregister mail
32s   register mail badge alert
32s   push mail alert=Hello sound=letter
32s   explain P24
33s   unregister mail
33s   register mail badge sound alert
33s   launch mail
33s   push mail alert=Hello badge=9 sound=letter
33s   explain P25
34s   foreground mail alert
34s   push mail alert=Hello badge=9 sound=letter
34s   explain P26
35s   foreground mail badge sound
35s   push mail alert=Hello badge=9 sound=letter
35s   explain P27

# R4: whose token.
40s   push mail alert=Hello token=T9
40s   explain P28
41s   push post alert=Hello token=T5
41s   explain P29
42s   push mail alert=Hello token=T2
42s   explain P30
