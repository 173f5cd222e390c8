story: Too many at once: the least urgent and oldest stop
rules: N11
0s    many 9 install app#
        installed app9
0s    many 9 register app# sound alert
        registered app9 kinds=sound,alert
# Eight of one app.
1s    push app1 alert="A" sound=default repeat every=1h level=critical
        accepted app1 P1 type=alert
        presented app1 P1 style=banner listed=yes sound=default vibration=triple
        > play the default sound for P1
        > vibrate triple for P1
        = lamp sos since 1s, banner P1 App1: "A" until 6s
2s    many 7 push app1 alert="A#" sound=default repeat every=1h
        accepted app1 P8 type=alert
        presented app1 P8 style=banner listed=yes sound=default vibration=pulse
        > play the default sound for P8
        > vibrate pulse for P8
        = lamp sos since 1s, banner P8 App1: "A7" until 7s
3s    push app1 alert="A8" sound=default repeat every=1h
        accepted app1 P9 type=alert
        repeat-ended app1 P2 reason=repeat-limit rule=N11
        presented app1 P9 style=banner listed=yes sound=default vibration=pulse
        > play the default sound for P9
        > vibrate pulse for P9
        = lamp sos since 1s, banner P9 App1: "A8" until 8s
# Sixty-four of all.
4s    many 8 push app2 alert="B#" sound=default repeat every=1h level=time-sensitive
        accepted app2 P17 type=alert
        presented app2 P17 style=banner listed=yes sound=default vibration=double
        > play the default sound for P17
        > vibrate double for P17
        = lamp sos since 1s, banner P17 App2: "B8" until 9s
5s    many 8 push app3 alert="C#" sound=default repeat every=1h level=time-sensitive
        accepted app3 P25 type=alert
        presented app3 P25 style=banner listed=yes sound=default vibration=double
        > play the default sound for P25
        > vibrate double for P25
        = lamp sos since 1s, banner P25 App3: "C8" until 10s
6s    many 8 push app4 alert="D#" sound=default repeat every=1h level=time-sensitive
        accepted app4 P33 type=alert
        presented app4 P33 style=banner listed=yes sound=default vibration=double
        > play the default sound for P33
        > vibrate double for P33
        = lamp sos since 1s, banner P33 App4: "D8" until 11s
7s    many 8 push app5 alert="E#" sound=default repeat every=1h level=time-sensitive
        accepted app5 P41 type=alert
        presented app5 P41 style=banner listed=yes sound=default vibration=double
        > play the default sound for P41
        > vibrate double for P41
        = lamp sos since 1s, banner P41 App5: "E8" until 12s
8s    many 8 push app6 alert="F#" sound=default repeat every=1h level=time-sensitive
        accepted app6 P49 type=alert
        presented app6 P49 style=banner listed=yes sound=default vibration=double
        > play the default sound for P49
        > vibrate double for P49
        = lamp sos since 1s, banner P49 App6: "F8" until 13s
9s    many 8 push app7 alert="G#" sound=default repeat every=1h level=time-sensitive
        accepted app7 P57 type=alert
        presented app7 P57 style=banner listed=yes sound=default vibration=double
        > play the default sound for P57
        > vibrate double for P57
        = lamp sos since 1s, banner P57 App7: "G8" until 14s
10s   many 8 push app8 alert="H#" sound=default repeat every=1h level=time-sensitive
        accepted app8 P65 type=alert
        presented app8 P65 style=banner listed=yes sound=default vibration=double
        > play the default sound for P65
        > vibrate double for P65
        = lamp sos since 1s, banner P65 App8: "H8" until 15s
11s   push app9 alert="I" sound=default repeat every=1h
        accepted app9 P66 type=alert
        repeat-ended app1 P3 reason=repeat-limit rule=N11
        presented app9 P66 style=banner listed=yes sound=default vibration=pulse
        > play the default sound for P66
        > vibrate pulse for P66
        = lamp sos since 1s, banner P66 App9: "I" until 16s
