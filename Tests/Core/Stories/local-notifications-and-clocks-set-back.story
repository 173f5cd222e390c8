story: A clock that is set back repeats nothing that was presented, however it gets there again
rules: L3

0s    given install timer; register timer alert
0s    schedule timer daily at=07:00 repeat alert="Seven"
        scheduled timer P1 identifier=daily due=7h
1d12h wait
        at 7h
        due timer P1 identifier=daily
        presented timer P1 style=banner listed=yes
        = lamp blink since 7h, banner P1 Timer: "Seven" until 7h5s
        at 7h5s
        = lamp blink since 7h
        at 1d7h
        due timer P1 identifier=daily
        presented timer P1 style=banner listed=yes replaces=P1
        > stop the sound of P1
        = lamp blink since 1d7h, banner P1 Timer: "Seven" until 1d7h5s
        at 1d7h5s
        = lamp blink since 1d7h

# Back to before the first of all: what was never presented is, and of the first two of January nothing is again.
1d12h clock -3d
5d12h scheduled timer
        at 2d7h
        due timer P1 identifier=daily
        presented timer P1 style=banner listed=yes replaces=P1
        > stop the sound of P1
        = lamp blink since 2d7h, banner P1 Timer: "Seven" until 2d7h5s
        at 2d7h5s
        = lamp blink since 2d7h
        at 5d7h
        due timer P1 identifier=daily
        presented timer P1 style=banner listed=yes replaces=P1
        > stop the sound of P1
        = lamp blink since 5d7h, banner P1 Timer: "Seven" until 5d7h5s
        at 5d7h5s
        = lamp blink since 5d7h
        at 5d12h
        : daily P1 due 3d7h

# Back to before one that was presented, and the daemon restarts before that comes again.
5d12h clock -6h
5d12h scheduled timer
        : daily P1 due 3d7h
5d13h restart
        = lamp blink since 5d13h
5d13h scheduled timer
        : daily P1 due 3d7h
6d12h wait
