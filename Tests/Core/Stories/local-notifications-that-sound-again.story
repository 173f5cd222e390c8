story: local notifications sound again without a registration
rules: L4, N11, N12
0s      given install tea; set tea repeat all; set tea repeat-every 10s; register tea badge sound alert
1s      schedule tea cup in=1s alert="Drink" sound=default
        scheduled tea P1 identifier=cup due=2s
2s      push tea alert="Pushed" sound=default
        at 2s
        due tea P1 identifier=cup
        presented tea P1 style=banner listed=yes sound=default vibration=pulse
        > play the default sound for P1
        = lamp blink since 2s, banner P1 Tea: "Drink" until 7s
        presented tea P2 style=banner listed=yes sound=default vibration=pulse
        > play the default sound for P2
        = lamp blink since 2s, banner P2 Tea: "Pushed" until 7s
3s      register tea alert
        registered tea kinds=alert
        repeat-ended tea P2 reason=not-allowed rule=S1
13s     wait
        at 7s
        = lamp blink since 2s
        at 12s
        repeated tea P1 time=1 times=30 sound=default vibration=pulse
        > play the default sound for P1
14s     snooze tea 1m
        snoozed tea until=1m14s
        > stop the sound of P1
        > stop the sound of P2
1m15s   wait
        at 22s
        at 1m14s
        snooze-ended tea reason=over rule=N12
        repeated tea P1 sound=default vibration=pulse
        > play the default sound for P1
1m16s   set tea sound off
        setting tea key=sound value=off
        repeat-ended tea P1 reason=not-allowed rule=S1
1m40s   wait
