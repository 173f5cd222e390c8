story: What is scheduled survives a restart and a boot; what fell due meanwhile is presented once
rules: L3, D4

0s    install timer sounds=gong
        installed timer
0s    register timer sound alert
        registered timer kinds=sound,alert
0s    zone berlin
        time-zone name=Europe/Berlin
0s    schedule timer tea in=3m alert="Tea" sound=gong
        scheduled timer P1 identifier=tea due=3m
0s    schedule timer hour in=1h repeat alert="An hour"
        scheduled timer P2 identifier=hour due=1h
0s    schedule timer daily at=07:00 repeat alert="Seven"
        scheduled timer P3 identifier=daily due=6h
0s    schedule timer far in=10d alert="Far"
        scheduled timer P4 identifier=far due=10d
1m    restart
        started after=daemon
1m    scheduled timer
        : tea P1 due 3m
        : hour P2 due 1h
        : daily P3 due 6h
        : far P4 due 10d
2m    restart late
        started after=daemon
# The daemon is off while several fall due: each once.
3d30m restart late
        started after=daemon
        due timer P1 identifier=tea
        presented timer P1 style=banner listed=yes sound=gong vibration=pulse
        due timer P2 identifier=hour
        presented timer P2 style=banner listed=yes
        due timer P3 identifier=daily
        presented timer P3 style=banner listed=yes
        > play timer's gong for P1
        > vibrate pulse for P1
        = lamp blink since 3d30m, banner P3 Timer: "Seven" until 3d30m5s
3d30m scheduled timer
        : hour P2 due 3d1h
        : daily P3 due 3d6h
        : far P4 due 10d
3d31m center
        at 3d30m5s
        = lamp blink since 3d30m
        at 3d31m
        : P1 Timer: "Tea" unseen
        : P2 Timer: "An hour" unseen
        : P3 Timer: "Seven" unseen
# The board is off.
6d45m boot late
        started after=board
        due timer P2 identifier=hour
        presented timer P2 style=banner listed=yes replaces=P2
        due timer P3 identifier=daily
        presented timer P3 style=banner listed=yes replaces=P3
        > stop the sound of P2
        > stop the sound of P3
        = lamp blink since 6d45m, banner P3 Timer: "Seven" until 6d45m5s
6d45m scheduled timer
        : hour P2 due 6d1h
        : daily P3 due 6d6h
        : far P4 due 10d
6d46m restart
        at 6d45m5s
        = lamp blink since 6d45m
        at 6d46m
        started after=daemon
        = lamp blink since 6d46m
10d1m wait
        at 6d1h
        due timer P2 identifier=hour
        presented timer P2 style=banner listed=yes replaces=P2
        > stop the sound of P2
        = lamp blink since 6d46m, banner P2 Timer: "An hour" until 6d1h5s
        at 6d1h5s
        = lamp blink since 6d46m
        at 6d2h
        due timer P2 identifier=hour
        presented timer P2 style=banner listed=yes replaces=P2
        > stop the sound of P2
        = lamp blink since 6d46m, banner P2 Timer: "An hour" until 6d2h5s
        at 6d2h5s
        = lamp blink since 6d46m
        at 6d3h
        due timer P2 identifier=hour
        presented timer P2 style=banner listed=yes replaces=P2
        > stop the sound of P2
        = lamp blink since 6d46m, banner P2 Timer: "An hour" until 6d3h5s
        at 6d3h5s
        = lamp blink since 6d46m
        at 6d4h
        due timer P2 identifier=hour
        presented timer P2 style=banner listed=yes replaces=P2
        > stop the sound of P2
        = lamp blink since 6d46m, banner P2 Timer: "An hour" until 6d4h5s
        at 6d4h5s
        = lamp blink since 6d46m
        at 6d5h
        due timer P2 identifier=hour
        presented timer P2 style=banner listed=yes replaces=P2
        > stop the sound of P2
        = lamp blink since 6d46m, banner P2 Timer: "An hour" until 6d5h5s
        at 6d5h5s
        = lamp blink since 6d46m
        at 6d6h
        due timer P2 identifier=hour
        presented timer P2 style=banner listed=yes replaces=P2
        due timer P3 identifier=daily
        presented timer P3 style=banner listed=yes replaces=P3
        > stop the sound of P2
        > stop the sound of P3
        = lamp blink since 6d46m, banner P3 Timer: "Seven" until 6d6h5s
        at 6d6h5s
        = lamp blink since 6d46m
        at 6d7h
        due timer P2 identifier=hour
        presented timer P2 style=banner listed=yes replaces=P2
        > stop the sound of P2
        = lamp blink since 6d46m, banner P2 Timer: "An hour" until 6d7h5s
        at 6d7h5s
        = lamp blink since 6d46m
        at 6d8h
        due timer P2 identifier=hour
        presented timer P2 style=banner listed=yes replaces=P2
        > stop the sound of P2
        = lamp blink since 6d46m, banner P2 Timer: "An hour" until 6d8h5s
        at 6d8h5s
        = lamp blink since 6d46m
        at 6d9h
        due timer P2 identifier=hour
        presented timer P2 style=banner listed=yes replaces=P2
        > stop the sound of P2
        = lamp blink since 6d46m, banner P2 Timer: "An hour" until 6d9h5s
        at 6d9h5s
        = lamp blink since 6d46m
        at 6d10h
        due timer P2 identifier=hour
        presented timer P2 style=banner listed=yes replaces=P2
        > stop the sound of P2
        = lamp blink since 6d46m, banner P2 Timer: "An hour" until 6d10h5s
        at 6d10h5s
        = lamp blink since 6d46m
        at 6d11h
        due timer P2 identifier=hour
        presented timer P2 style=banner listed=yes replaces=P2
        > stop the sound of P2
        = lamp blink since 6d46m, banner P2 Timer: "An hour" until 6d11h5s
        at 6d11h5s
        = lamp blink since 6d46m
        at 6d12h
        due timer P2 identifier=hour
        presented timer P2 style=banner listed=yes replaces=P2
        > stop the sound of P2
        = lamp blink since 6d46m, banner P2 Timer: "An hour" until 6d12h5s
        at 6d12h5s
        = lamp blink since 6d46m
        at 6d13h
        due timer P2 identifier=hour
        presented timer P2 style=banner listed=yes replaces=P2
        > stop the sound of P2
        = lamp blink since 6d46m, banner P2 Timer: "An hour" until 6d13h5s
        at 6d13h5s
        = lamp blink since 6d46m
        at 6d14h
        due timer P2 identifier=hour
        presented timer P2 style=banner listed=yes replaces=P2
        > stop the sound of P2
        = lamp blink since 6d46m, banner P2 Timer: "An hour" until 6d14h5s
        at 6d14h5s
        = lamp blink since 6d46m
        at 6d15h
        due timer P2 identifier=hour
        presented timer P2 style=banner listed=yes replaces=P2
        > stop the sound of P2
        = lamp blink since 6d46m, banner P2 Timer: "An hour" until 6d15h5s
        at 6d15h5s
        = lamp blink since 6d46m
        at 6d16h
        due timer P2 identifier=hour
        presented timer P2 style=banner listed=yes replaces=P2
        > stop the sound of P2
        = lamp blink since 6d46m, banner P2 Timer: "An hour" until 6d16h5s
        at 6d16h5s
        = lamp blink since 6d46m
        at 6d17h
        due timer P2 identifier=hour
        presented timer P2 style=banner listed=yes replaces=P2
        > stop the sound of P2
        = lamp blink since 6d46m, banner P2 Timer: "An hour" until 6d17h5s
        at 6d17h5s
        = lamp blink since 6d46m
        at 6d18h
        due timer P2 identifier=hour
        presented timer P2 style=banner listed=yes replaces=P2
        > stop the sound of P2
        = lamp blink since 6d46m, banner P2 Timer: "An hour" until 6d18h5s
        at 6d18h5s
        = lamp blink since 6d46m
        at 6d19h
        due timer P2 identifier=hour
        presented timer P2 style=banner listed=yes replaces=P2
        > stop the sound of P2
        = lamp blink since 6d46m, banner P2 Timer: "An hour" until 6d19h5s
        at 6d19h5s
        = lamp blink since 6d46m
        at 6d20h
        due timer P2 identifier=hour
        presented timer P2 style=banner listed=yes replaces=P2
        > stop the sound of P2
        = lamp blink since 6d46m, banner P2 Timer: "An hour" until 6d20h5s
        at 6d20h5s
        = lamp blink since 6d46m
        at 6d21h
        due timer P2 identifier=hour
        presented timer P2 style=banner listed=yes replaces=P2
        > stop the sound of P2
        = lamp blink since 6d46m, banner P2 Timer: "An hour" until 6d21h5s
        at 6d21h5s
        = lamp blink since 6d46m
        at 6d22h
        due timer P2 identifier=hour
        presented timer P2 style=banner listed=yes replaces=P2
        > stop the sound of P2
        = lamp blink since 6d46m, banner P2 Timer: "An hour" until 6d22h5s
        at 6d22h5s
        = lamp blink since 6d46m
        at 6d23h
        due timer P2 identifier=hour
        presented timer P2 style=banner listed=yes replaces=P2
        > stop the sound of P2
        = lamp blink since 6d46m, banner P2 Timer: "An hour" until 6d23h5s
        at 6d23h5s
        = lamp blink since 6d46m
        at 7d
        due timer P2 identifier=hour
        presented timer P2 style=banner listed=yes replaces=P2
        > stop the sound of P2
        = lamp blink since 6d46m, banner P2 Timer: "An hour" until 7d5s
        at 7d5s
        = lamp blink since 6d46m
        at 7d1h
        due timer P2 identifier=hour
        presented timer P2 style=banner listed=yes replaces=P2
        > stop the sound of P2
        = lamp blink since 6d46m, banner P2 Timer: "An hour" until 7d1h5s
        at 7d1h5s
        = lamp blink since 6d46m
        at 7d2h
        due timer P2 identifier=hour
        presented timer P2 style=banner listed=yes replaces=P2
        > stop the sound of P2
        = lamp blink since 6d46m, banner P2 Timer: "An hour" until 7d2h5s
        at 7d2h5s
        = lamp blink since 6d46m
        at 7d3h
        due timer P2 identifier=hour
        presented timer P2 style=banner listed=yes replaces=P2
        > stop the sound of P2
        = lamp blink since 6d46m, banner P2 Timer: "An hour" until 7d3h5s
        at 7d3h5s
        = lamp blink since 6d46m
        at 7d4h
        due timer P2 identifier=hour
        presented timer P2 style=banner listed=yes replaces=P2
        > stop the sound of P2
        = lamp blink since 6d46m, banner P2 Timer: "An hour" until 7d4h5s
        at 7d4h5s
        = lamp blink since 6d46m
        at 7d5h
        due timer P2 identifier=hour
        presented timer P2 style=banner listed=yes replaces=P2
        > stop the sound of P2
        = lamp blink since 6d46m, banner P2 Timer: "An hour" until 7d5h5s
        at 7d5h5s
        = lamp blink since 6d46m
        at 7d6h
        due timer P2 identifier=hour
        presented timer P2 style=banner listed=yes replaces=P2
        due timer P3 identifier=daily
        presented timer P3 style=banner listed=yes replaces=P3
        > stop the sound of P2
        > stop the sound of P3
        = lamp blink since 6d46m, banner P3 Timer: "Seven" until 7d6h5s
        at 7d6h5s
        = lamp blink since 6d46m
        at 7d7h
        due timer P2 identifier=hour
        presented timer P2 style=banner listed=yes replaces=P2
        > stop the sound of P2
        = lamp blink since 6d46m, banner P2 Timer: "An hour" until 7d7h5s
        at 7d7h5s
        = lamp blink since 6d46m
        at 7d8h
        due timer P2 identifier=hour
        presented timer P2 style=banner listed=yes replaces=P2
        > stop the sound of P2
        = lamp blink since 6d46m, banner P2 Timer: "An hour" until 7d8h5s
        at 7d8h5s
        = lamp blink since 6d46m
        at 7d9h
        due timer P2 identifier=hour
        presented timer P2 style=banner listed=yes replaces=P2
        > stop the sound of P2
        = lamp blink since 6d46m, banner P2 Timer: "An hour" until 7d9h5s
        at 7d9h5s
        = lamp blink since 6d46m
        at 7d10h
        due timer P2 identifier=hour
        presented timer P2 style=banner listed=yes replaces=P2
        > stop the sound of P2
        = lamp blink since 6d46m, banner P2 Timer: "An hour" until 7d10h5s
        at 7d10h5s
        = lamp blink since 6d46m
        at 7d11h
        due timer P2 identifier=hour
        presented timer P2 style=banner listed=yes replaces=P2
        > stop the sound of P2
        = lamp blink since 6d46m, banner P2 Timer: "An hour" until 7d11h5s
        at 7d11h5s
        = lamp blink since 6d46m
        at 7d12h
        due timer P2 identifier=hour
        presented timer P2 style=banner listed=yes replaces=P2
        > stop the sound of P2
        = lamp blink since 6d46m, banner P2 Timer: "An hour" until 7d12h5s
        at 7d12h5s
        = lamp blink since 6d46m
        at 7d13h
        due timer P2 identifier=hour
        presented timer P2 style=banner listed=yes replaces=P2
        > stop the sound of P2
        = lamp blink since 6d46m, banner P2 Timer: "An hour" until 7d13h5s
        at 7d13h5s
        = lamp blink since 6d46m
        at 7d14h
        due timer P2 identifier=hour
        presented timer P2 style=banner listed=yes replaces=P2
        > stop the sound of P2
        = lamp blink since 6d46m, banner P2 Timer: "An hour" until 7d14h5s
        at 7d14h5s
        = lamp blink since 6d46m
        at 7d15h
        due timer P2 identifier=hour
        presented timer P2 style=banner listed=yes replaces=P2
        > stop the sound of P2
        = lamp blink since 6d46m, banner P2 Timer: "An hour" until 7d15h5s
        at 7d15h5s
        = lamp blink since 6d46m
        at 7d16h
        due timer P2 identifier=hour
        presented timer P2 style=banner listed=yes replaces=P2
        > stop the sound of P2
        = lamp blink since 6d46m, banner P2 Timer: "An hour" until 7d16h5s
        at 7d16h5s
        = lamp blink since 6d46m
        at 7d17h
        due timer P2 identifier=hour
        presented timer P2 style=banner listed=yes replaces=P2
        > stop the sound of P2
        = lamp blink since 6d46m, banner P2 Timer: "An hour" until 7d17h5s
        at 7d17h5s
        = lamp blink since 6d46m
        at 7d18h
        due timer P2 identifier=hour
        presented timer P2 style=banner listed=yes replaces=P2
        > stop the sound of P2
        = lamp blink since 6d46m, banner P2 Timer: "An hour" until 7d18h5s
        at 7d18h5s
        = lamp blink since 6d46m
        at 7d19h
        due timer P2 identifier=hour
        presented timer P2 style=banner listed=yes replaces=P2
        > stop the sound of P2
        = lamp blink since 6d46m, banner P2 Timer: "An hour" until 7d19h5s
        at 7d19h5s
        = lamp blink since 6d46m
        at 7d20h
        due timer P2 identifier=hour
        presented timer P2 style=banner listed=yes replaces=P2
        > stop the sound of P2
        = lamp blink since 6d46m, banner P2 Timer: "An hour" until 7d20h5s
        at 7d20h5s
        = lamp blink since 6d46m
        at 7d21h
        due timer P2 identifier=hour
        presented timer P2 style=banner listed=yes replaces=P2
        > stop the sound of P2
        = lamp blink since 6d46m, banner P2 Timer: "An hour" until 7d21h5s
        at 7d21h5s
        = lamp blink since 6d46m
        at 7d22h
        due timer P2 identifier=hour
        presented timer P2 style=banner listed=yes replaces=P2
        > stop the sound of P2
        = lamp blink since 6d46m, banner P2 Timer: "An hour" until 7d22h5s
        at 7d22h5s
        = lamp blink since 6d46m
        at 7d23h
        due timer P2 identifier=hour
        presented timer P2 style=banner listed=yes replaces=P2
        > stop the sound of P2
        = lamp blink since 6d46m, banner P2 Timer: "An hour" until 7d23h5s
        at 7d23h5s
        = lamp blink since 6d46m
        at 8d
        due timer P2 identifier=hour
        presented timer P2 style=banner listed=yes replaces=P2
        > stop the sound of P2
        = lamp blink since 6d46m, banner P2 Timer: "An hour" until 8d5s
        at 8d5s
        = lamp blink since 6d46m
        at 8d1h
        due timer P2 identifier=hour
        presented timer P2 style=banner listed=yes replaces=P2
        > stop the sound of P2
        = lamp blink since 6d46m, banner P2 Timer: "An hour" until 8d1h5s
        at 8d1h5s
        = lamp blink since 6d46m
        at 8d2h
        due timer P2 identifier=hour
        presented timer P2 style=banner listed=yes replaces=P2
        > stop the sound of P2
        = lamp blink since 6d46m, banner P2 Timer: "An hour" until 8d2h5s
        at 8d2h5s
        = lamp blink since 6d46m
        at 8d3h
        due timer P2 identifier=hour
        presented timer P2 style=banner listed=yes replaces=P2
        > stop the sound of P2
        = lamp blink since 6d46m, banner P2 Timer: "An hour" until 8d3h5s
        at 8d3h5s
        = lamp blink since 6d46m
        at 8d4h
        due timer P2 identifier=hour
        presented timer P2 style=banner listed=yes replaces=P2
        > stop the sound of P2
        = lamp blink since 6d46m, banner P2 Timer: "An hour" until 8d4h5s
        at 8d4h5s
        = lamp blink since 6d46m
        at 8d5h
        due timer P2 identifier=hour
        presented timer P2 style=banner listed=yes replaces=P2
        > stop the sound of P2
        = lamp blink since 6d46m, banner P2 Timer: "An hour" until 8d5h5s
        at 8d5h5s
        = lamp blink since 6d46m
        at 8d6h
        due timer P2 identifier=hour
        presented timer P2 style=banner listed=yes replaces=P2
        due timer P3 identifier=daily
        presented timer P3 style=banner listed=yes replaces=P3
        > stop the sound of P2
        > stop the sound of P3
        = lamp blink since 6d46m, banner P3 Timer: "Seven" until 8d6h5s
        at 8d6h5s
        = lamp blink since 6d46m
        at 8d7h
        due timer P2 identifier=hour
        presented timer P2 style=banner listed=yes replaces=P2
        > stop the sound of P2
        = lamp blink since 6d46m, banner P2 Timer: "An hour" until 8d7h5s
        at 8d7h5s
        = lamp blink since 6d46m
        at 8d8h
        due timer P2 identifier=hour
        presented timer P2 style=banner listed=yes replaces=P2
        > stop the sound of P2
        = lamp blink since 6d46m, banner P2 Timer: "An hour" until 8d8h5s
        at 8d8h5s
        = lamp blink since 6d46m
        at 8d9h
        due timer P2 identifier=hour
        presented timer P2 style=banner listed=yes replaces=P2
        > stop the sound of P2
        = lamp blink since 6d46m, banner P2 Timer: "An hour" until 8d9h5s
        at 8d9h5s
        = lamp blink since 6d46m
        at 8d10h
        due timer P2 identifier=hour
        presented timer P2 style=banner listed=yes replaces=P2
        > stop the sound of P2
        = lamp blink since 6d46m, banner P2 Timer: "An hour" until 8d10h5s
        at 8d10h5s
        = lamp blink since 6d46m
        at 8d11h
        due timer P2 identifier=hour
        presented timer P2 style=banner listed=yes replaces=P2
        > stop the sound of P2
        = lamp blink since 6d46m, banner P2 Timer: "An hour" until 8d11h5s
        at 8d11h5s
        = lamp blink since 6d46m
        at 8d12h
        due timer P2 identifier=hour
        presented timer P2 style=banner listed=yes replaces=P2
        > stop the sound of P2
        = lamp blink since 6d46m, banner P2 Timer: "An hour" until 8d12h5s
        at 8d12h5s
        = lamp blink since 6d46m
        at 8d13h
        due timer P2 identifier=hour
        presented timer P2 style=banner listed=yes replaces=P2
        > stop the sound of P2
        = lamp blink since 6d46m, banner P2 Timer: "An hour" until 8d13h5s
        at 8d13h5s
        = lamp blink since 6d46m
        at 8d14h
        due timer P2 identifier=hour
        presented timer P2 style=banner listed=yes replaces=P2
        > stop the sound of P2
        = lamp blink since 6d46m, banner P2 Timer: "An hour" until 8d14h5s
        at 8d14h5s
        = lamp blink since 6d46m
        at 8d15h
        due timer P2 identifier=hour
        presented timer P2 style=banner listed=yes replaces=P2
        > stop the sound of P2
        = lamp blink since 6d46m, banner P2 Timer: "An hour" until 8d15h5s
        at 8d15h5s
        = lamp blink since 6d46m
        at 8d16h
        due timer P2 identifier=hour
        presented timer P2 style=banner listed=yes replaces=P2
        > stop the sound of P2
        = lamp blink since 6d46m, banner P2 Timer: "An hour" until 8d16h5s
        at 8d16h5s
        = lamp blink since 6d46m
        at 8d17h
        due timer P2 identifier=hour
        presented timer P2 style=banner listed=yes replaces=P2
        > stop the sound of P2
        = lamp blink since 6d46m, banner P2 Timer: "An hour" until 8d17h5s
        at 8d17h5s
        = lamp blink since 6d46m
        at 8d18h
        due timer P2 identifier=hour
        presented timer P2 style=banner listed=yes replaces=P2
        > stop the sound of P2
        = lamp blink since 6d46m, banner P2 Timer: "An hour" until 8d18h5s
        at 8d18h5s
        = lamp blink since 6d46m
        at 8d19h
        due timer P2 identifier=hour
        presented timer P2 style=banner listed=yes replaces=P2
        > stop the sound of P2
        = lamp blink since 6d46m, banner P2 Timer: "An hour" until 8d19h5s
        at 8d19h5s
        = lamp blink since 6d46m
        at 8d20h
        due timer P2 identifier=hour
        presented timer P2 style=banner listed=yes replaces=P2
        > stop the sound of P2
        = lamp blink since 6d46m, banner P2 Timer: "An hour" until 8d20h5s
        at 8d20h5s
        = lamp blink since 6d46m
        at 8d21h
        due timer P2 identifier=hour
        presented timer P2 style=banner listed=yes replaces=P2
        > stop the sound of P2
        = lamp blink since 6d46m, banner P2 Timer: "An hour" until 8d21h5s
        at 8d21h5s
        = lamp blink since 6d46m
        at 8d22h
        due timer P2 identifier=hour
        presented timer P2 style=banner listed=yes replaces=P2
        > stop the sound of P2
        = lamp blink since 6d46m, banner P2 Timer: "An hour" until 8d22h5s
        at 8d22h5s
        = lamp blink since 6d46m
        at 8d23h
        due timer P2 identifier=hour
        presented timer P2 style=banner listed=yes replaces=P2
        > stop the sound of P2
        = lamp blink since 6d46m, banner P2 Timer: "An hour" until 8d23h5s
        at 8d23h5s
        = lamp blink since 6d46m
        at 9d
        due timer P2 identifier=hour
        presented timer P2 style=banner listed=yes replaces=P2
        > stop the sound of P2
        = lamp blink since 6d46m, banner P2 Timer: "An hour" until 9d5s
        at 9d5s
        = lamp blink since 6d46m
        at 9d1h
        due timer P2 identifier=hour
        presented timer P2 style=banner listed=yes replaces=P2
        > stop the sound of P2
        = lamp blink since 6d46m, banner P2 Timer: "An hour" until 9d1h5s
        at 9d1h5s
        = lamp blink since 6d46m
        at 9d2h
        due timer P2 identifier=hour
        presented timer P2 style=banner listed=yes replaces=P2
        > stop the sound of P2
        = lamp blink since 6d46m, banner P2 Timer: "An hour" until 9d2h5s
        at 9d2h5s
        = lamp blink since 6d46m
        at 9d3h
        due timer P2 identifier=hour
        presented timer P2 style=banner listed=yes replaces=P2
        > stop the sound of P2
        = lamp blink since 6d46m, banner P2 Timer: "An hour" until 9d3h5s
        at 9d3h5s
        = lamp blink since 6d46m
        at 9d4h
        due timer P2 identifier=hour
        presented timer P2 style=banner listed=yes replaces=P2
        > stop the sound of P2
        = lamp blink since 6d46m, banner P2 Timer: "An hour" until 9d4h5s
        at 9d4h5s
        = lamp blink since 6d46m
        at 9d5h
        due timer P2 identifier=hour
        presented timer P2 style=banner listed=yes replaces=P2
        > stop the sound of P2
        = lamp blink since 6d46m, banner P2 Timer: "An hour" until 9d5h5s
        at 9d5h5s
        = lamp blink since 6d46m
        at 9d6h
        due timer P2 identifier=hour
        presented timer P2 style=banner listed=yes replaces=P2
        due timer P3 identifier=daily
        presented timer P3 style=banner listed=yes replaces=P3
        > stop the sound of P2
        > stop the sound of P3
        = lamp blink since 6d46m, banner P3 Timer: "Seven" until 9d6h5s
        at 9d6h5s
        = lamp blink since 6d46m
        at 9d7h
        due timer P2 identifier=hour
        presented timer P2 style=banner listed=yes replaces=P2
        > stop the sound of P2
        = lamp blink since 6d46m, banner P2 Timer: "An hour" until 9d7h5s
        at 9d7h5s
        = lamp blink since 6d46m
        at 9d8h
        due timer P2 identifier=hour
        presented timer P2 style=banner listed=yes replaces=P2
        > stop the sound of P2
        = lamp blink since 6d46m, banner P2 Timer: "An hour" until 9d8h5s
        at 9d8h5s
        = lamp blink since 6d46m
        at 9d9h
        due timer P2 identifier=hour
        presented timer P2 style=banner listed=yes replaces=P2
        > stop the sound of P2
        = lamp blink since 6d46m, banner P2 Timer: "An hour" until 9d9h5s
        at 9d9h5s
        = lamp blink since 6d46m
        at 9d10h
        due timer P2 identifier=hour
        presented timer P2 style=banner listed=yes replaces=P2
        > stop the sound of P2
        = lamp blink since 6d46m, banner P2 Timer: "An hour" until 9d10h5s
        at 9d10h5s
        = lamp blink since 6d46m
        at 9d11h
        due timer P2 identifier=hour
        presented timer P2 style=banner listed=yes replaces=P2
        > stop the sound of P2
        = lamp blink since 6d46m, banner P2 Timer: "An hour" until 9d11h5s
        at 9d11h5s
        = lamp blink since 6d46m
        at 9d12h
        due timer P2 identifier=hour
        presented timer P2 style=banner listed=yes replaces=P2
        > stop the sound of P2
        = lamp blink since 6d46m, banner P2 Timer: "An hour" until 9d12h5s
        at 9d12h5s
        = lamp blink since 6d46m
        at 9d13h
        due timer P2 identifier=hour
        presented timer P2 style=banner listed=yes replaces=P2
        > stop the sound of P2
        = lamp blink since 6d46m, banner P2 Timer: "An hour" until 9d13h5s
        at 9d13h5s
        = lamp blink since 6d46m
        at 9d14h
        due timer P2 identifier=hour
        presented timer P2 style=banner listed=yes replaces=P2
        > stop the sound of P2
        = lamp blink since 6d46m, banner P2 Timer: "An hour" until 9d14h5s
        at 9d14h5s
        = lamp blink since 6d46m
        at 9d15h
        due timer P2 identifier=hour
        presented timer P2 style=banner listed=yes replaces=P2
        > stop the sound of P2
        = lamp blink since 6d46m, banner P2 Timer: "An hour" until 9d15h5s
        at 9d15h5s
        = lamp blink since 6d46m
        at 9d16h
        due timer P2 identifier=hour
        presented timer P2 style=banner listed=yes replaces=P2
        > stop the sound of P2
        = lamp blink since 6d46m, banner P2 Timer: "An hour" until 9d16h5s
        at 9d16h5s
        = lamp blink since 6d46m
        at 9d17h
        due timer P2 identifier=hour
        presented timer P2 style=banner listed=yes replaces=P2
        > stop the sound of P2
        = lamp blink since 6d46m, banner P2 Timer: "An hour" until 9d17h5s
        at 9d17h5s
        = lamp blink since 6d46m
        at 9d18h
        due timer P2 identifier=hour
        presented timer P2 style=banner listed=yes replaces=P2
        > stop the sound of P2
        = lamp blink since 6d46m, banner P2 Timer: "An hour" until 9d18h5s
        at 9d18h5s
        = lamp blink since 6d46m
        at 9d19h
        due timer P2 identifier=hour
        presented timer P2 style=banner listed=yes replaces=P2
        > stop the sound of P2
        = lamp blink since 6d46m, banner P2 Timer: "An hour" until 9d19h5s
        at 9d19h5s
        = lamp blink since 6d46m
        at 9d20h
        due timer P2 identifier=hour
        presented timer P2 style=banner listed=yes replaces=P2
        > stop the sound of P2
        = lamp blink since 6d46m, banner P2 Timer: "An hour" until 9d20h5s
        at 9d20h5s
        = lamp blink since 6d46m
        at 9d21h
        due timer P2 identifier=hour
        presented timer P2 style=banner listed=yes replaces=P2
        > stop the sound of P2
        = lamp blink since 6d46m, banner P2 Timer: "An hour" until 9d21h5s
        at 9d21h5s
        = lamp blink since 6d46m
        at 9d22h
        due timer P2 identifier=hour
        presented timer P2 style=banner listed=yes replaces=P2
        > stop the sound of P2
        = lamp blink since 6d46m, banner P2 Timer: "An hour" until 9d22h5s
        at 9d22h5s
        = lamp blink since 6d46m
        at 9d23h
        due timer P2 identifier=hour
        presented timer P2 style=banner listed=yes replaces=P2
        > stop the sound of P2
        = lamp blink since 6d46m, banner P2 Timer: "An hour" until 9d23h5s
        at 9d23h5s
        = lamp blink since 6d46m
        at 10d
        due timer P4 identifier=far
        presented timer P4 style=banner listed=yes
        due timer P2 identifier=hour
        presented timer P2 style=banner listed=yes replaces=P2
        > stop the sound of P2
        = lamp blink since 10d, banner P2 Timer: "An hour" until 10d5s
        at 10d5s
        = lamp blink since 10d
