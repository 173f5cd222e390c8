story: Silent and quiet hours play nothing and vibrate where that is wanted; what passes them does
rules: S5, N9, S1, D3, A4

0s    given install mail sounds=letter; register mail badge sound alert; install door sounds=bell
0s    given register door badge sound alert; set door critical on
# The ring/silent switch. It stops what plays, but a critical sound.
1s    push mail alert="Heard" sound=letter
        presented mail P1 style=banner listed=yes sound=letter vibration=pulse
        > play mail's letter for P1
        = lamp blink since 1s, banner P1 Mail: "Heard" until 6s
2s    condition silent on
        condition condition=silent on=yes
        > silence all but critical
2s    condition silent on
3s    push mail sound=letter
        presented mail P2 style=none listed=no vibration=pulse silenced=silent-switch rule=S5
4s    push mail alert="Time-sensitive" sound=letter level=time-sensitive
        presented mail P3 style=banner listed=yes vibration=double silenced=silent-switch rule=S5
        = lamp double since 4s, banner P3 Mail: "Time-sensitive" until 9s
5s    push mail alert="Critical, not allowed" sound=letter level=critical
        presented mail P4 style=banner listed=yes vibration=triple silenced=silent-switch rule=S5
        = lamp sos since 5s, banner P4 Mail: "Critical, not allowed" until 10s
6s    push door alert="Critical, allowed" sound=bell volume=0.4 level=critical
        presented door P5 style=banner listed=yes sound=bell vibration=triple
        > play door's bell for P5, critical, at volume 0.4
        = lamp sos since 6s, banner P5 Door: "Critical, allowed" until 11s
7s    push door alert="At full volume" sound=bell level=critical
        presented door P6 style=banner listed=yes sound=bell vibration=triple
        > play door's bell for P6, critical, at volume 1.0
        = lamp sos since 7s, banner P6 Door: "At full volume" until 12s
# Neither sound nor motor: an event says why.
8s    given set handset vibrate-on-silent off
9s    push mail sound=letter
        not-presented mail P7 reason=silent-switch rule=S5
10s   push mail alert="Seen, not felt" sound=letter
        presented mail P8 style=banner listed=yes silenced=silent-switch rule=S5
        = lamp sos since 7s, banner P8 Mail: "Seen, not felt" until 15s
11s   push door sound=default volume=1 level=critical
        presented door P9 style=none listed=no sound=default vibration=triple
        > play the default sound for P9, critical, at volume 1.0
12s   given set handset vibrate-on-ring off
13s   push door sound=default volume=0 level=critical
        not-presented door P10 reason=critical-volume-zero rule=N9
# A critical sound of a notification that is not critical is a sound like others.
14s   given condition silent off
15s   push door sound=bell volume=0.9
        at 15s
        = lamp sos since 7s
        presented door P11 style=none listed=no sound=bell
        > play door's bell for P11
16s   given set handset vibrate-on-ring on; set handset vibrate-on-silent on
# Quiet hours, from 22:00 on the handset's own clock, until 07:00. The story begins at midnight UTC, 01:00 in Berlin.
20s   zone berlin
        time-zone name=Europe/Berlin
20s   given set handset quiet-hours 22:00-07:00
21s   push mail alert="Quiet" sound=letter
        presented mail P12 style=banner listed=yes vibration=pulse silenced=quiet-hours rule=S5
        = lamp sos since 7s, banner P12 Mail: "Quiet" until 26s
22s   push mail alert="Passes" sound=letter level=time-sensitive
        presented mail P13 style=banner listed=yes sound=letter vibration=double
        > play mail's letter for P13
        = lamp sos since 7s, banner P13 Mail: "Passes" until 27s
23s   given set mail time-sensitive off
24s   push mail alert="Passes no more" sound=letter level=time-sensitive
        presented mail P14 style=banner listed=yes vibration=double silenced=quiet-hours rule=S5
        = lamp sos since 7s, banner P14 Mail: "Passes no more" until 29s
25s   push door alert="Critical" sound=bell volume=0.4 level=critical
        presented door P15 style=banner listed=yes sound=bell vibration=triple
        > play door's bell for P15, critical, at volume 0.4
        = lamp sos since 25s, banner P15 Door: "Critical" until 30s
5h59m59s push mail sound=letter
        at 30s
        = lamp sos since 25s
        at 5h59m59s
        presented mail P16 style=none listed=no vibration=pulse silenced=quiet-hours rule=S5
6h    push mail sound=letter
        presented mail P17 style=none listed=no sound=letter vibration=pulse
        > play mail's letter for P17
20h59m59s push mail sound=letter
        presented mail P18 style=none listed=no sound=letter vibration=pulse
        > play mail's letter for P18
21h   push mail sound=letter
        presented mail P19 style=none listed=no vibration=pulse silenced=quiet-hours rule=S5
# Both at once: the switch is named.
21h1s condition silent on
        condition condition=silent on=yes
        > silence all but critical
21h2s push mail sound=letter
        presented mail P20 style=none listed=no vibration=pulse silenced=silent-switch rule=S5
21h3s given condition silent off
21h4s given set handset quiet-hours off
21h5s push mail sound=letter
        presented mail P21 style=none listed=no sound=letter vibration=pulse
        > play mail's letter for P21
# They survive a restart and a boot.
21h6s given set handset quiet-hours 22:00-07:00
21h6s condition silent on
        condition condition=silent on=yes
        > silence all but critical
21h7s boot
        = lamp sos since 21h7s
21h8s push mail sound=letter
        presented mail P22 style=none listed=no vibration=pulse silenced=silent-switch rule=S5
21h9s given condition silent off
21h10s push mail sound=letter
        presented mail P23 style=none listed=no vibration=pulse silenced=quiet-hours rule=S5
