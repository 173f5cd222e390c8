story: A clock that is set back repeats nothing that was presented, however it gets there again
rules: L3

0s    install timer
0s    register timer alert
0s    schedule timer daily at=07:00 repeat alert="Seven"
1d12h wait

# Back to before the first of all: what was never presented is, and of the first two of January nothing is again.
1d12h clock -3d
5d12h scheduled timer

# Back to before one that was presented, and the daemon restarts before that comes again.
5d12h clock -6h
5d12h scheduled timer
5d13h restart
5d13h scheduled timer
6d12h wait
