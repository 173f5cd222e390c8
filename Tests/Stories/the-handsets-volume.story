story: The handset has a volume by day and one at night, of which an app's own is a share
rules: S1, N9, B5

0s    install mail
0s    register mail badge sound alert
1s    set handset volume 40
2s    push mail sound=default
3s    set mail volume 50
4s    push mail sound=default
5s    set handset night-volume 10%
6s    push mail sound=default
7s    set handset night-hours 00:00-06:00
8s    push mail sound=default
# At 0% it is silent and vibrates, except for what is critical.
9s    set handset night-volume 0%
10s   push mail sound=default level=time-sensitive
10s   explain P5
11s   set mail critical on
12s   push mail sound=default volume=0.9 level=critical
6h    wait
6h1m  push mail sound=default
6h2m  set handset volume 0
6h3m  push mail sound=default
6h4m  set handset volume 101
6h5m  set handset night-volume same
6h6m  set handset night-volume loud
