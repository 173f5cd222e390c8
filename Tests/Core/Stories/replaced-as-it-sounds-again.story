story: What falls due as its earlier notification would sound again replaces it
rules: N11, L1
0s    given install mail; register mail alert sound; set mail repeat all
0s    schedule mail tea in=1m alert="Tea" sound=default repeat
        scheduled mail P1 identifier=tea due=1m
3m30s wait
        at 1m
        due mail P1 identifier=tea
        presented mail P1 style=banner listed=yes sound=default vibration=pulse
        > play the default sound for P1
        = lamp blink since 1m, banner P1 Mail: "Tea" until 1m5s
        at 1m5s
        = lamp blink since 1m
        at 2m
        due mail P1 identifier=tea
        presented mail P1 style=banner listed=yes sound=default vibration=pulse replaces=P1
        > stop the sound of P1
        > play the default sound for P1
        = lamp blink since 2m, banner P1 Mail: "Tea" until 2m5s
        at 2m5s
        = lamp blink since 2m
        at 3m
        due mail P1 identifier=tea
        presented mail P1 style=banner listed=yes sound=default vibration=pulse replaces=P1
        > stop the sound of P1
        > play the default sound for P1
        = lamp blink since 3m, banner P1 Mail: "Tea" until 3m5s
        at 3m5s
        = lamp blink since 3m
