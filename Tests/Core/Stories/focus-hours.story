story: A Focus mode turns on and off at its hours, and the person may turn it off meanwhile
rules: Q3

0s    given install mail; register mail sound alert
0s    zone berlin
        time-zone name=Europe/Berlin
1s    focus sleep hours=22:00-07:00
        focus mode=sleep state=set
        setting key=focus value=sleep
        focus mode=sleep state=on
2s    focus work hours=09:00-17:00
        focus mode=work state=set
40h   modes
        at 6h
        setting key=focus value=off
        focus mode=sleep state=off
        at 8h
        setting key=focus value=work
        focus mode=work state=on
        at 16h
        setting key=focus value=off
        focus mode=work state=off
        at 21h
        setting key=focus value=sleep
        focus mode=sleep state=on
        at 1d6h
        setting key=focus value=off
        focus mode=sleep state=off
        at 1d8h
        setting key=focus value=work
        focus mode=work state=on
        at 1d16h
        setting key=focus value=off
        focus mode=work state=off
        : sleep
        : work
40h1s set handset focus off
        setting key=focus value=off
64h   wait
        at 1d21h
        setting key=focus value=sleep
        focus mode=sleep state=on
        at 2d6h
        setting key=focus value=off
        focus mode=sleep state=off
        at 2d8h
        setting key=focus value=work
        focus mode=work state=on
        at 2d16h
        setting key=focus value=off
        focus mode=work state=off
64h   modes
        : sleep
        : work
# One that the person turned on is not replaced, and stays.
65h   focus reading allow=mail
        focus mode=reading state=set
65h   set handset focus reading
        setting key=focus value=reading
        focus mode=reading state=on
100h  modes
        at 2d21h
        at 3d6h
        at 3d8h
        at 3d16h
        at 3d21h
        at 4d4h
        : reading on
        : sleep
        : work
101h  set handset focus off
        setting key=focus value=off
        focus mode=reading state=off
# A mode whose hours it is at once.
102h  focus day hours=00:00-23:59
        at 4d6h
        focus mode=day state=set
        setting key=focus value=day
        focus mode=day state=on
103h  focus day
        focus mode=day state=set
104h  boot
