story: What is scheduled survives a restart and a boot; what fell due meanwhile is presented once
rules: L3, D4

0s    given install timer sounds=gong; register timer sound alert
0s    zone berlin
        time-zone name=Europe/Berlin
0s    schedule timer tea in=3m alert="Tea" sound=gong
        scheduled timer P1 identifier=tea due=3m
0s    schedule timer twenty in=20h repeat alert="Twenty hours"
        scheduled timer P2 identifier=twenty due=20h
0s    schedule timer daily at=07:00 repeat alert="Seven"
        scheduled timer P3 identifier=daily due=6h
0s    schedule timer far in=10d alert="Far"
        scheduled timer P4 identifier=far due=10d
1m    restart
1m    scheduled timer
        : tea P1 due 3m
        : daily P3 due 6h
        : twenty P2 due 20h
        : far P4 due 10d
2m    restart late
# The daemon is off while several fall due: each once.
3d30m restart late
        due timer P1 identifier=tea
        presented timer P1 style=banner listed=yes sound=gong vibration=pulse
        due timer P3 identifier=daily
        presented timer P3 style=banner listed=yes
        due timer P2 identifier=twenty
        presented timer P2 style=banner listed=yes
        > play timer's gong for P1
        = lamp blink since 3d30m, banner P2 Timer: "Twenty hours" until 3d30m5s
3d30m scheduled timer
        : daily P3 due 3d6h
        : twenty P2 due 3d8h
        : far P4 due 10d
3d31m center
        at 3d30m5s
        = lamp blink since 3d30m
        at 3d31m
        : P1 Timer: "Tea" unseen
        : P3 Timer: "Seven" unseen
        : P2 Timer: "Twenty hours" unseen
# The board is off.
6d45m boot late
        due timer P3 identifier=daily
        presented timer P3 style=banner listed=yes replaces=P3
        due timer P2 identifier=twenty
        presented timer P2 style=banner listed=yes replaces=P2
        > stop the sound of P3
        > stop the sound of P2
        = lamp blink since 6d45m, banner P2 Timer: "Twenty hours" until 6d45m5s
6d45m scheduled timer
        : daily P3 due 6d6h
        : twenty P2 due 6d16h
        : far P4 due 10d
6d46m restart
        at 6d45m5s
        = lamp blink since 6d45m
        at 6d46m
        = lamp blink since 6d46m
7d2h  wait
        at 6d6h
        due timer P3 identifier=daily
        presented timer P3 style=banner listed=yes replaces=P3
        > stop the sound of P3
        = lamp blink since 6d6h, banner P3 Timer: "Seven" until 6d6h5s
        at 6d6h5s
        = lamp blink since 6d6h
        at 6d16h
        due timer P2 identifier=twenty
        presented timer P2 style=banner listed=yes replaces=P2
        > stop the sound of P2
        = lamp blink since 6d16h, banner P2 Timer: "Twenty hours" until 6d16h5s
        at 6d16h5s
        = lamp blink since 6d16h
