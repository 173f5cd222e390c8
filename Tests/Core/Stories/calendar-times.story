story: Calendar times go by the handset's time zone, through both changes of its clocks
rules: L1, L3

# The story begins on Thursday, 2026-01-01, at midnight UTC: 01:00 in Berlin.
0s    zone berlin
        time-zone name=Europe/Berlin
0s    given install clock; register clock alert; set clock style none
0s    schedule clock once at=00:30 alert="Tomorrow in Berlin"
        scheduled clock P1 identifier=once due=23h30m
0s    schedule clock monday at=08:00 weekday=1 alert="Monday"
        scheduled clock P2 identifier=monday due=4d7h
0s    schedule clock leap at=12:00 on=*-02-29 alert="In 2028"
        scheduled clock P3 identifier=leap due=789d11h
0s    scheduled clock
        : once P1 due 23h30m
        : monday P2 due 4d7h
        : leap P3 due 789d11h
0s    cancel clock leap
        unscheduled clock P3 identifier=leap reason=cancelled rule=L1
10d   wait
        at 23h30m
        due clock P1 identifier=once
        presented clock P1 style=none listed=yes
        = lamp blink since 23h30m
        at 4d7h
        due clock P2 identifier=monday
        presented clock P2 style=none listed=yes
        = lamp blink since 4d7h
# Clocks go from 02:00 to 03:00 on 2026-03-29, day 87: 02:30 is when they go on. Noon stays noon.
86d   schedule clock night at=02:30 repeat alert="Half past two"
        scheduled clock P4 identifier=night due=86d1h30m
86d   schedule clock noon at=12:00 repeat alert="Noon"
        scheduled clock P5 identifier=noon due=86d11h
88d12h wait
        at 86d1h30m
        due clock P4 identifier=night
        presented clock P4 style=none listed=yes
        = lamp blink since 86d1h30m
        at 86d11h
        due clock P5 identifier=noon
        presented clock P5 style=none listed=yes
        = lamp blink since 86d11h
        at 87d1h
        due clock P4 identifier=night
        presented clock P4 style=none listed=yes replaces=P4
        > stop the sound of P4
        = lamp blink since 87d1h
        at 87d10h
        due clock P5 identifier=noon
        presented clock P5 style=none listed=yes replaces=P5
        > stop the sound of P5
        = lamp blink since 87d10h
        at 88d30m
        due clock P4 identifier=night
        presented clock P4 style=none listed=yes replaces=P4
        > stop the sound of P4
        = lamp blink since 88d30m
        at 88d10h
        due clock P5 identifier=noon
        presented clock P5 style=none listed=yes replaces=P5
        > stop the sound of P5
        = lamp blink since 88d10h
88d12h cancel clock
        unscheduled clock P4 identifier=night reason=cancelled rule=L1
        unscheduled clock P5 identifier=noon reason=cancelled rule=L1
# They go from 03:00 back to 02:00 on 2026-10-25, day 297: 02:30 comes twice, and counts once.
296d  schedule clock night at=02:30 repeat alert="Half past two"
        scheduled clock P6 identifier=night due=296d30m
296d  schedule clock noon at=12:00 repeat alert="Noon"
        scheduled clock P7 identifier=noon due=296d10h
298d12h wait
        at 296d30m
        due clock P6 identifier=night
        presented clock P6 style=none listed=yes replaces=P4
        > stop the sound of P4
        = lamp blink since 296d30m
        at 296d10h
        due clock P7 identifier=noon
        presented clock P7 style=none listed=yes replaces=P5
        > stop the sound of P5
        = lamp blink since 296d10h
        at 297d30m
        due clock P6 identifier=night
        presented clock P6 style=none listed=yes replaces=P6
        > stop the sound of P6
        = lamp blink since 297d30m
        at 297d11h
        due clock P7 identifier=noon
        presented clock P7 style=none listed=yes replaces=P7
        > stop the sound of P7
        = lamp blink since 297d11h
        at 298d1h30m
        due clock P6 identifier=night
        presented clock P6 style=none listed=yes replaces=P6
        > stop the sound of P6
        = lamp blink since 298d1h30m
        at 298d11h
        due clock P7 identifier=noon
        presented clock P7 style=none listed=yes replaces=P7
        > stop the sound of P7
        = lamp blink since 298d11h
# In another time zone the same times are others.
298d12h zone new-york
        time-zone name=America/New_York
298d12h scheduled clock
        : noon P7 due 298d16h
        : night P6 due 299d6h30m
299d20h wait
        at 298d16h
        due clock P7 identifier=noon
        presented clock P7 style=none listed=yes replaces=P7
        > stop the sound of P7
        = lamp blink since 298d16h
        at 299d6h30m
        due clock P6 identifier=night
        presented clock P6 style=none listed=yes replaces=P6
        > stop the sound of P6
        = lamp blink since 299d6h30m
        at 299d16h
        due clock P7 identifier=noon
        presented clock P7 style=none listed=yes replaces=P7
        > stop the sound of P7
        = lamp blink since 299d16h
