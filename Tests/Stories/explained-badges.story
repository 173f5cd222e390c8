story: Of each badge it can be told why it is shown, or not
rules: F3
0s    install mail
0s    install shop
1s    register mail badge sound alert
1s    register shop badge
2s    push mail alert=Hello badge=-1
2s    explain P1
3s    push mail badge=-1
3s    explain P2
4s    push mail alert=Hello badge=3
4s    explain P3
5s    push mail badge=0
5s    explain P4
6s    set mail badge off
6s    push mail badge=4
6s    explain P5
7s    set mail badge on
7s    set handset badge-shows shop
7s    push mail badge=5
7s    explain P6
8s    push shop badge=6
8s    explain P7
9s    set handset notifications off
9s    push shop badge=7
9s    explain P8
