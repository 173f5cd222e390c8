story: A sound is the app's own by name, with extension or without, or the default
rules: A1, S6

0s    given install mail sounds=letter,parcel.two; register mail badge sound alert
1s    push mail sound=letter
        presented mail P1 style=none listed=no sound=letter vibration=pulse
        > play mail's letter for P1
2s    push mail sound=letter.caf
        presented mail P2 style=none listed=no sound=letter vibration=pulse
        > play mail's letter for P2
3s    push mail sound=default
        presented mail P3 style=none listed=no sound=default vibration=pulse
        > play the default sound for P3
4s    push mail sound=missing
        presented mail P4 style=none listed=no sound=default vibration=pulse
        > play the default sound for P4
5s    push mail sound=missing.wav
        presented mail P5 style=none listed=no sound=default vibration=pulse
        > play the default sound for P5
6s    push mail sound=parcel.two
        presented mail P6 style=none listed=no sound=parcel.two vibration=pulse
        > play mail's parcel.two for P6
7s    push mail sound=parcel.two.wav
        presented mail P7 style=none listed=no sound=parcel.two vibration=pulse
        > play mail's parcel.two for P7
8s    push mail sound=.wav
        presented mail P8 style=none listed=no sound=default vibration=pulse
        > play the default sound for P8
9s    push mail sound=letter.caf.wav
        presented mail P9 style=none listed=no sound=default vibration=pulse
        > play the default sound for P9
# The bundle that is there now is what counts.
10s   given install mail sounds=stamp
11s   push mail sound=letter
        presented mail P10 style=none listed=no sound=default vibration=pulse
        > play the default sound for P10
12s   push mail sound=stamp
        presented mail P11 style=none listed=no sound=stamp vibration=pulse
        > play mail's stamp for P11
# A notification that is gone takes its sound along.
13s   given set mail style alert
14s   push mail alert="Hear me" sound=stamp
        presented mail P12 style=alert listed=yes sound=stamp vibration=pulse
        > play mail's stamp for P12
        = lamp blink since 14s, alert P12 Mail: "Hear me" [Close, View]
15s   press close
        answered mail P12 button=close
        > stop the sound of P12
        = dark
