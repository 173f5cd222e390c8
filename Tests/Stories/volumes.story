story: An app's sounds have a volume of their own; a critical sound brings its own
rules: S1, N9, A1

0s    install mail sounds=letter
0s    register mail badge sound alert
1s    set mail volume 40%
2s    push mail alert="Quieter" sound=letter
2s    push mail sound=default
# What the payload says counts for a critical sound alone.
3s    push mail sound=letter volume=0.9
4s    set mail critical on
5s    push mail sound=letter volume=0.9 level=critical
# At 0% it is silent, and vibrates as a silent handset does.
6s    set mail volume 0%
7s    set handset vibrate-on-ring off
8s    push mail alert="Not heard" sound=letter
8s    explain P5
9s    push mail sound=letter volume=0.5 level=critical
10s   set mail volume 101%
10s   set mail volume loud
11s   set mail volume 100
12s   push mail sound=letter
