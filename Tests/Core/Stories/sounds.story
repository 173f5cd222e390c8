story: A sound is the app's own by name, with extension or without, or the default
rules: A1, S6

0s    given install mail sounds=letter,parcel.two; register mail badge sound alert
1s    push mail sound=letter
        accepted mail P1 type=alert
        presented mail P1 style=none listed=no sound=letter vibration=pulse
        > play mail's letter for P1
        > vibrate pulse for P1
2s    push mail sound=letter.caf
        accepted mail P2 type=alert
        presented mail P2 style=none listed=no sound=letter vibration=pulse
        > play mail's letter for P2
        > vibrate pulse for P2
3s    push mail sound=default
        accepted mail P3 type=alert
        presented mail P3 style=none listed=no sound=default vibration=pulse
        > play the default sound for P3
        > vibrate pulse for P3
4s    push mail sound=missing
        accepted mail P4 type=alert
        presented mail P4 style=none listed=no sound=default vibration=pulse
        > play the default sound for P4
        > vibrate pulse for P4
5s    push mail sound=missing.wav
        accepted mail P5 type=alert
        presented mail P5 style=none listed=no sound=default vibration=pulse
        > play the default sound for P5
        > vibrate pulse for P5
6s    push mail sound=parcel.two
        accepted mail P6 type=alert
        presented mail P6 style=none listed=no sound=parcel.two vibration=pulse
        > play mail's parcel.two for P6
        > vibrate pulse for P6
7s    push mail sound=parcel.two.wav
        accepted mail P7 type=alert
        presented mail P7 style=none listed=no sound=parcel.two vibration=pulse
        > play mail's parcel.two for P7
        > vibrate pulse for P7
8s    push mail sound=.wav
        accepted mail P8 type=alert
        presented mail P8 style=none listed=no sound=default vibration=pulse
        > play the default sound for P8
        > vibrate pulse for P8
9s    push mail sound=letter.caf.wav
        accepted mail P9 type=alert
        presented mail P9 style=none listed=no sound=default vibration=pulse
        > play the default sound for P9
        > vibrate pulse for P9
# The bundle that is there now is what counts.
10s   given install mail sounds=stamp
11s   push mail sound=letter
        accepted mail P10 type=alert
        presented mail P10 style=none listed=no sound=default vibration=pulse
        > play the default sound for P10
        > vibrate pulse for P10
12s   push mail sound=stamp
        accepted mail P11 type=alert
        presented mail P11 style=none listed=no sound=stamp vibration=pulse
        > play mail's stamp for P11
        > vibrate pulse for P11
# A notification that is gone takes its sound along.
13s   given set mail style alert
14s   push mail alert="Hear me" sound=stamp
        accepted mail P12 type=alert
        presented mail P12 style=alert listed=yes sound=stamp vibration=pulse
        > play mail's stamp for P12
        > vibrate pulse for P12
        = lamp blink since 14s, alert P12 Mail: "Hear me" [Close, View]
15s   press close
        answered mail P12 button=close
        > stop the sound of P12
        = dark
