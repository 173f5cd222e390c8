story: Passive makes no sound and lights nothing but the badge; the others are heard and felt by their level
rules: N9, D1, D3

0s    given install mail sounds=letter; register mail badge sound alert
1s    push mail alert="Passive" badge=1 sound=letter level=passive
        badge mail P1 number=1
        presented mail P1 style=banner listed=yes silenced=passive rule=N9
        = badge 1, banner P1 Mail: "Passive" until 6s
2s    push mail sound=letter level=passive
        not-presented mail P2 reason=passive rule=N9
3s    push mail badge=2 sound=default volume=1 level=passive
        badge mail P3 number=2
        not-presented mail P3 reason=passive rule=N9
        = badge 2, banner P1 Mail: "Passive" until 6s
10s   push mail sound=letter level=active
        at 6s
        = badge 2
        at 10s
        presented mail P4 style=none listed=no sound=letter vibration=pulse
        > play mail's letter for P4
11s   push mail sound=letter level=time-sensitive
        presented mail P5 style=none listed=no sound=letter vibration=double
        > play mail's letter for P5
12s   push mail sound=letter level=critical
        presented mail P6 style=none listed=no sound=letter vibration=triple
        > play mail's letter for P6
13s   given set mail critical on
14s   push mail sound=missing volume=0.5 level=critical
        presented mail P7 style=none listed=no sound=default vibration=triple
        > play the default sound for P7, critical, at volume 0.5
15s   push mail sound=letter volume=7 level=critical
        presented mail P8 style=none listed=no sound=letter vibration=triple
        > play mail's letter for P8, critical, at volume 1.0
# Off for the whole handset is off for critical ones too.
16s   set handset notifications off
        setting key=notifications value=off
        > silence all
        = dark
17s   push mail sound=letter level=critical
        not-presented mail P9 reason=handset-off rule=S2
18s   given set handset notifications on
        = badge 2
19s   given set mail sound off
20s   push mail alert="Seen" sound=letter volume=1 level=critical
        presented mail P10 style=banner listed=yes
        = badge 2, lamp sos since 20s, banner P10 Mail: "Seen" until 25s
