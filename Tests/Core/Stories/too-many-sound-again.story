story: Too many at once: the least urgent and oldest stop
rules: N11
0s    install a
        installed a
0s    register a sound alert
        registered a kinds=sound,alert
0s    install b
        installed b
0s    register b sound alert
        registered b kinds=sound,alert
0s    install c
        installed c
0s    register c sound alert
        registered c kinds=sound,alert
0s    install d
        installed d
0s    register d sound alert
        registered d kinds=sound,alert
0s    install e
        installed e
0s    register e sound alert
        registered e kinds=sound,alert
0s    install f
        installed f
0s    register f sound alert
        registered f kinds=sound,alert
0s    install g
        installed g
0s    register g sound alert
        registered g kinds=sound,alert
0s    install h
        installed h
0s    register h sound alert
        registered h kinds=sound,alert
0s    install i
        installed i
0s    register i sound alert
        registered i kinds=sound,alert
# Eight of one app.
1s    push a alert="A1" sound=default repeat every=1h level=critical
        accepted a P1 type=alert
        presented a P1 style=banner listed=yes sound=default vibration=triple
        > play the default sound for P1
        > vibrate triple for P1
        = lamp sos since 1s, banner P1 A: "A1" until 6s
2s    push a alert="A2" sound=default repeat every=1h
        accepted a P2 type=alert
        presented a P2 style=banner listed=yes sound=default vibration=pulse
        > play the default sound for P2
        > vibrate pulse for P2
        = lamp sos since 1s, banner P2 A: "A2" until 7s
3s    push a alert="A3" sound=default repeat every=1h
        accepted a P3 type=alert
        presented a P3 style=banner listed=yes sound=default vibration=pulse
        > play the default sound for P3
        > vibrate pulse for P3
        = lamp sos since 1s, banner P3 A: "A3" until 8s
4s    push a alert="A4" sound=default repeat every=1h
        accepted a P4 type=alert
        presented a P4 style=banner listed=yes sound=default vibration=pulse
        > play the default sound for P4
        > vibrate pulse for P4
        = lamp sos since 1s, banner P4 A: "A4" until 9s
5s    push a alert="A5" sound=default repeat every=1h
        accepted a P5 type=alert
        presented a P5 style=banner listed=yes sound=default vibration=pulse
        > play the default sound for P5
        > vibrate pulse for P5
        = lamp sos since 1s, banner P5 A: "A5" until 10s
6s    push a alert="A6" sound=default repeat every=1h
        accepted a P6 type=alert
        presented a P6 style=banner listed=yes sound=default vibration=pulse
        > play the default sound for P6
        > vibrate pulse for P6
        = lamp sos since 1s, banner P6 A: "A6" until 11s
7s    push a alert="A7" sound=default repeat every=1h
        accepted a P7 type=alert
        presented a P7 style=banner listed=yes sound=default vibration=pulse
        > play the default sound for P7
        > vibrate pulse for P7
        = lamp sos since 1s, banner P7 A: "A7" until 12s
8s    push a alert="A8" sound=default repeat every=1h
        accepted a P8 type=alert
        presented a P8 style=banner listed=yes sound=default vibration=pulse
        > play the default sound for P8
        > vibrate pulse for P8
        = lamp sos since 1s, banner P8 A: "A8" until 13s
9s    push a alert="A9" sound=default repeat every=1h
        accepted a P9 type=alert
        repeat-ended a P2 reason=repeat-limit rule=N11
        presented a P9 style=banner listed=yes sound=default vibration=pulse
        > play the default sound for P9
        > vibrate pulse for P9
        = lamp sos since 1s, banner P9 A: "A9" until 14s
# Sixty-four of all.
10s    push b alert="b0" sound=default repeat every=1h level=time-sensitive
        accepted b P10 type=alert
        presented b P10 style=banner listed=yes sound=default vibration=double
        > play the default sound for P10
        > vibrate double for P10
        = lamp sos since 1s, banner P10 B: "b0" until 15s
11s    push b alert="b1" sound=default repeat every=1h level=time-sensitive
        accepted b P11 type=alert
        presented b P11 style=banner listed=yes sound=default vibration=double
        > play the default sound for P11
        > vibrate double for P11
        = lamp sos since 1s, banner P11 B: "b1" until 16s
12s    push b alert="b2" sound=default repeat every=1h level=time-sensitive
        accepted b P12 type=alert
        presented b P12 style=banner listed=yes sound=default vibration=double
        > play the default sound for P12
        > vibrate double for P12
        = lamp sos since 1s, banner P12 B: "b2" until 17s
13s    push b alert="b3" sound=default repeat every=1h level=time-sensitive
        accepted b P13 type=alert
        presented b P13 style=banner listed=yes sound=default vibration=double
        > play the default sound for P13
        > vibrate double for P13
        = lamp sos since 1s, banner P13 B: "b3" until 18s
14s    push b alert="b4" sound=default repeat every=1h level=time-sensitive
        accepted b P14 type=alert
        presented b P14 style=banner listed=yes sound=default vibration=double
        > play the default sound for P14
        > vibrate double for P14
        = lamp sos since 1s, banner P14 B: "b4" until 19s
15s    push b alert="b5" sound=default repeat every=1h level=time-sensitive
        accepted b P15 type=alert
        presented b P15 style=banner listed=yes sound=default vibration=double
        > play the default sound for P15
        > vibrate double for P15
        = lamp sos since 1s, banner P15 B: "b5" until 20s
16s    push b alert="b6" sound=default repeat every=1h level=time-sensitive
        accepted b P16 type=alert
        presented b P16 style=banner listed=yes sound=default vibration=double
        > play the default sound for P16
        > vibrate double for P16
        = lamp sos since 1s, banner P16 B: "b6" until 21s
17s    push b alert="b7" sound=default repeat every=1h level=time-sensitive
        accepted b P17 type=alert
        presented b P17 style=banner listed=yes sound=default vibration=double
        > play the default sound for P17
        > vibrate double for P17
        = lamp sos since 1s, banner P17 B: "b7" until 22s
18s    push c alert="c0" sound=default repeat every=1h level=time-sensitive
        accepted c P18 type=alert
        presented c P18 style=banner listed=yes sound=default vibration=double
        > play the default sound for P18
        > vibrate double for P18
        = lamp sos since 1s, banner P18 C: "c0" until 23s
19s    push c alert="c1" sound=default repeat every=1h level=time-sensitive
        accepted c P19 type=alert
        presented c P19 style=banner listed=yes sound=default vibration=double
        > play the default sound for P19
        > vibrate double for P19
        = lamp sos since 1s, banner P19 C: "c1" until 24s
20s    push c alert="c2" sound=default repeat every=1h level=time-sensitive
        accepted c P20 type=alert
        presented c P20 style=banner listed=yes sound=default vibration=double
        > play the default sound for P20
        > vibrate double for P20
        = lamp sos since 1s, banner P20 C: "c2" until 25s
21s    push c alert="c3" sound=default repeat every=1h level=time-sensitive
        accepted c P21 type=alert
        presented c P21 style=banner listed=yes sound=default vibration=double
        > play the default sound for P21
        > vibrate double for P21
        = lamp sos since 1s, banner P21 C: "c3" until 26s
22s    push c alert="c4" sound=default repeat every=1h level=time-sensitive
        accepted c P22 type=alert
        presented c P22 style=banner listed=yes sound=default vibration=double
        > play the default sound for P22
        > vibrate double for P22
        = lamp sos since 1s, banner P22 C: "c4" until 27s
23s    push c alert="c5" sound=default repeat every=1h level=time-sensitive
        accepted c P23 type=alert
        presented c P23 style=banner listed=yes sound=default vibration=double
        > play the default sound for P23
        > vibrate double for P23
        = lamp sos since 1s, banner P23 C: "c5" until 28s
24s    push c alert="c6" sound=default repeat every=1h level=time-sensitive
        accepted c P24 type=alert
        presented c P24 style=banner listed=yes sound=default vibration=double
        > play the default sound for P24
        > vibrate double for P24
        = lamp sos since 1s, banner P24 C: "c6" until 29s
25s    push c alert="c7" sound=default repeat every=1h level=time-sensitive
        accepted c P25 type=alert
        presented c P25 style=banner listed=yes sound=default vibration=double
        > play the default sound for P25
        > vibrate double for P25
        = lamp sos since 1s, banner P25 C: "c7" until 30s
26s    push d alert="d0" sound=default repeat every=1h level=time-sensitive
        accepted d P26 type=alert
        presented d P26 style=banner listed=yes sound=default vibration=double
        > play the default sound for P26
        > vibrate double for P26
        = lamp sos since 1s, banner P26 D: "d0" until 31s
27s    push d alert="d1" sound=default repeat every=1h level=time-sensitive
        accepted d P27 type=alert
        presented d P27 style=banner listed=yes sound=default vibration=double
        > play the default sound for P27
        > vibrate double for P27
        = lamp sos since 1s, banner P27 D: "d1" until 32s
28s    push d alert="d2" sound=default repeat every=1h level=time-sensitive
        accepted d P28 type=alert
        presented d P28 style=banner listed=yes sound=default vibration=double
        > play the default sound for P28
        > vibrate double for P28
        = lamp sos since 1s, banner P28 D: "d2" until 33s
29s    push d alert="d3" sound=default repeat every=1h level=time-sensitive
        accepted d P29 type=alert
        presented d P29 style=banner listed=yes sound=default vibration=double
        > play the default sound for P29
        > vibrate double for P29
        = lamp sos since 1s, banner P29 D: "d3" until 34s
30s    push d alert="d4" sound=default repeat every=1h level=time-sensitive
        accepted d P30 type=alert
        presented d P30 style=banner listed=yes sound=default vibration=double
        > play the default sound for P30
        > vibrate double for P30
        = lamp sos since 1s, banner P30 D: "d4" until 35s
31s    push d alert="d5" sound=default repeat every=1h level=time-sensitive
        accepted d P31 type=alert
        presented d P31 style=banner listed=yes sound=default vibration=double
        > play the default sound for P31
        > vibrate double for P31
        = lamp sos since 1s, banner P31 D: "d5" until 36s
32s    push d alert="d6" sound=default repeat every=1h level=time-sensitive
        accepted d P32 type=alert
        presented d P32 style=banner listed=yes sound=default vibration=double
        > play the default sound for P32
        > vibrate double for P32
        = lamp sos since 1s, banner P32 D: "d6" until 37s
33s    push d alert="d7" sound=default repeat every=1h level=time-sensitive
        accepted d P33 type=alert
        presented d P33 style=banner listed=yes sound=default vibration=double
        > play the default sound for P33
        > vibrate double for P33
        = lamp sos since 1s, banner P33 D: "d7" until 38s
34s    push e alert="e0" sound=default repeat every=1h level=time-sensitive
        accepted e P34 type=alert
        presented e P34 style=banner listed=yes sound=default vibration=double
        > play the default sound for P34
        > vibrate double for P34
        = lamp sos since 1s, banner P34 E: "e0" until 39s
35s    push e alert="e1" sound=default repeat every=1h level=time-sensitive
        accepted e P35 type=alert
        presented e P35 style=banner listed=yes sound=default vibration=double
        > play the default sound for P35
        > vibrate double for P35
        = lamp sos since 1s, banner P35 E: "e1" until 40s
36s    push e alert="e2" sound=default repeat every=1h level=time-sensitive
        accepted e P36 type=alert
        presented e P36 style=banner listed=yes sound=default vibration=double
        > play the default sound for P36
        > vibrate double for P36
        = lamp sos since 1s, banner P36 E: "e2" until 41s
37s    push e alert="e3" sound=default repeat every=1h level=time-sensitive
        accepted e P37 type=alert
        presented e P37 style=banner listed=yes sound=default vibration=double
        > play the default sound for P37
        > vibrate double for P37
        = lamp sos since 1s, banner P37 E: "e3" until 42s
38s    push e alert="e4" sound=default repeat every=1h level=time-sensitive
        accepted e P38 type=alert
        presented e P38 style=banner listed=yes sound=default vibration=double
        > play the default sound for P38
        > vibrate double for P38
        = lamp sos since 1s, banner P38 E: "e4" until 43s
39s    push e alert="e5" sound=default repeat every=1h level=time-sensitive
        accepted e P39 type=alert
        presented e P39 style=banner listed=yes sound=default vibration=double
        > play the default sound for P39
        > vibrate double for P39
        = lamp sos since 1s, banner P39 E: "e5" until 44s
40s    push e alert="e6" sound=default repeat every=1h level=time-sensitive
        accepted e P40 type=alert
        presented e P40 style=banner listed=yes sound=default vibration=double
        > play the default sound for P40
        > vibrate double for P40
        = lamp sos since 1s, banner P40 E: "e6" until 45s
41s    push e alert="e7" sound=default repeat every=1h level=time-sensitive
        accepted e P41 type=alert
        presented e P41 style=banner listed=yes sound=default vibration=double
        > play the default sound for P41
        > vibrate double for P41
        = lamp sos since 1s, banner P41 E: "e7" until 46s
42s    push f alert="f0" sound=default repeat every=1h level=time-sensitive
        accepted f P42 type=alert
        presented f P42 style=banner listed=yes sound=default vibration=double
        > play the default sound for P42
        > vibrate double for P42
        = lamp sos since 1s, banner P42 F: "f0" until 47s
43s    push f alert="f1" sound=default repeat every=1h level=time-sensitive
        accepted f P43 type=alert
        presented f P43 style=banner listed=yes sound=default vibration=double
        > play the default sound for P43
        > vibrate double for P43
        = lamp sos since 1s, banner P43 F: "f1" until 48s
44s    push f alert="f2" sound=default repeat every=1h level=time-sensitive
        accepted f P44 type=alert
        presented f P44 style=banner listed=yes sound=default vibration=double
        > play the default sound for P44
        > vibrate double for P44
        = lamp sos since 1s, banner P44 F: "f2" until 49s
45s    push f alert="f3" sound=default repeat every=1h level=time-sensitive
        accepted f P45 type=alert
        presented f P45 style=banner listed=yes sound=default vibration=double
        > play the default sound for P45
        > vibrate double for P45
        = lamp sos since 1s, banner P45 F: "f3" until 50s
46s    push f alert="f4" sound=default repeat every=1h level=time-sensitive
        accepted f P46 type=alert
        presented f P46 style=banner listed=yes sound=default vibration=double
        > play the default sound for P46
        > vibrate double for P46
        = lamp sos since 1s, banner P46 F: "f4" until 51s
47s    push f alert="f5" sound=default repeat every=1h level=time-sensitive
        accepted f P47 type=alert
        presented f P47 style=banner listed=yes sound=default vibration=double
        > play the default sound for P47
        > vibrate double for P47
        = lamp sos since 1s, banner P47 F: "f5" until 52s
48s    push f alert="f6" sound=default repeat every=1h level=time-sensitive
        accepted f P48 type=alert
        presented f P48 style=banner listed=yes sound=default vibration=double
        > play the default sound for P48
        > vibrate double for P48
        = lamp sos since 1s, banner P48 F: "f6" until 53s
49s    push f alert="f7" sound=default repeat every=1h level=time-sensitive
        accepted f P49 type=alert
        presented f P49 style=banner listed=yes sound=default vibration=double
        > play the default sound for P49
        > vibrate double for P49
        = lamp sos since 1s, banner P49 F: "f7" until 54s
50s    push g alert="g0" sound=default repeat every=1h level=time-sensitive
        accepted g P50 type=alert
        presented g P50 style=banner listed=yes sound=default vibration=double
        > play the default sound for P50
        > vibrate double for P50
        = lamp sos since 1s, banner P50 G: "g0" until 55s
51s    push g alert="g1" sound=default repeat every=1h level=time-sensitive
        accepted g P51 type=alert
        presented g P51 style=banner listed=yes sound=default vibration=double
        > play the default sound for P51
        > vibrate double for P51
        = lamp sos since 1s, banner P51 G: "g1" until 56s
52s    push g alert="g2" sound=default repeat every=1h level=time-sensitive
        accepted g P52 type=alert
        presented g P52 style=banner listed=yes sound=default vibration=double
        > play the default sound for P52
        > vibrate double for P52
        = lamp sos since 1s, banner P52 G: "g2" until 57s
53s    push g alert="g3" sound=default repeat every=1h level=time-sensitive
        accepted g P53 type=alert
        presented g P53 style=banner listed=yes sound=default vibration=double
        > play the default sound for P53
        > vibrate double for P53
        = lamp sos since 1s, banner P53 G: "g3" until 58s
54s    push g alert="g4" sound=default repeat every=1h level=time-sensitive
        accepted g P54 type=alert
        presented g P54 style=banner listed=yes sound=default vibration=double
        > play the default sound for P54
        > vibrate double for P54
        = lamp sos since 1s, banner P54 G: "g4" until 59s
55s    push g alert="g5" sound=default repeat every=1h level=time-sensitive
        accepted g P55 type=alert
        presented g P55 style=banner listed=yes sound=default vibration=double
        > play the default sound for P55
        > vibrate double for P55
        = lamp sos since 1s, banner P55 G: "g5" until 1m
56s    push g alert="g6" sound=default repeat every=1h level=time-sensitive
        accepted g P56 type=alert
        presented g P56 style=banner listed=yes sound=default vibration=double
        > play the default sound for P56
        > vibrate double for P56
        = lamp sos since 1s, banner P56 G: "g6" until 1m1s
57s    push g alert="g7" sound=default repeat every=1h level=time-sensitive
        accepted g P57 type=alert
        presented g P57 style=banner listed=yes sound=default vibration=double
        > play the default sound for P57
        > vibrate double for P57
        = lamp sos since 1s, banner P57 G: "g7" until 1m2s
58s    push h alert="h0" sound=default repeat every=1h level=time-sensitive
        accepted h P58 type=alert
        presented h P58 style=banner listed=yes sound=default vibration=double
        > play the default sound for P58
        > vibrate double for P58
        = lamp sos since 1s, banner P58 H: "h0" until 1m3s
59s    push h alert="h1" sound=default repeat every=1h level=time-sensitive
        accepted h P59 type=alert
        presented h P59 style=banner listed=yes sound=default vibration=double
        > play the default sound for P59
        > vibrate double for P59
        = lamp sos since 1s, banner P59 H: "h1" until 1m4s
60s    push h alert="h2" sound=default repeat every=1h level=time-sensitive
        accepted h P60 type=alert
        presented h P60 style=banner listed=yes sound=default vibration=double
        > play the default sound for P60
        > vibrate double for P60
        = lamp sos since 1s, banner P60 H: "h2" until 1m5s
61s    push h alert="h3" sound=default repeat every=1h level=time-sensitive
        accepted h P61 type=alert
        presented h P61 style=banner listed=yes sound=default vibration=double
        > play the default sound for P61
        > vibrate double for P61
        = lamp sos since 1s, banner P61 H: "h3" until 1m6s
62s    push h alert="h4" sound=default repeat every=1h level=time-sensitive
        accepted h P62 type=alert
        presented h P62 style=banner listed=yes sound=default vibration=double
        > play the default sound for P62
        > vibrate double for P62
        = lamp sos since 1s, banner P62 H: "h4" until 1m7s
63s    push h alert="h5" sound=default repeat every=1h level=time-sensitive
        accepted h P63 type=alert
        presented h P63 style=banner listed=yes sound=default vibration=double
        > play the default sound for P63
        > vibrate double for P63
        = lamp sos since 1s, banner P63 H: "h5" until 1m8s
64s    push h alert="h6" sound=default repeat every=1h level=time-sensitive
        accepted h P64 type=alert
        presented h P64 style=banner listed=yes sound=default vibration=double
        > play the default sound for P64
        > vibrate double for P64
        = lamp sos since 1s, banner P64 H: "h6" until 1m9s
65s    push h alert="h7" sound=default repeat every=1h level=time-sensitive
        accepted h P65 type=alert
        presented h P65 style=banner listed=yes sound=default vibration=double
        > play the default sound for P65
        > vibrate double for P65
        = lamp sos since 1s, banner P65 H: "h7" until 1m10s
66s    push i alert="I" sound=default repeat every=1h
        accepted i P66 type=alert
        repeat-ended a P3 reason=repeat-limit rule=N11
        presented i P66 style=banner listed=yes sound=default vibration=pulse
        > play the default sound for P66
        > vibrate pulse for P66
        = lamp sos since 1s, banner P66 I: "I" until 1m11s
