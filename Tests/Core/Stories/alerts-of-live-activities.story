story: An alert of a Live Activity follows Focus and provisional authorization, and neither waits nor is extended
rules: LA2, Q1, Q2, Q3, Q4, X1

0s    given install match extension; register match badge sound alert; set match summary on
0s    given set handset summary 08:00,18:00; condition low-power on
# Neither low power nor the summary defers it, and the service extension does not get it.
1s    push match key activity=start state.score=0 alert="Start" sound=default mutable priority=5
        activity match P1 activity=7 state=active reason=started rule=LA1
        presented match P1 style=banner listed=no sound=default vibration=pulse
        > play the default sound for P1
        = banner P1 Match: "Start" until 6s
10s   push match key activity=update state.score=1 alert="Goal" sound=default priority=1
        at 6s
        = dark
        at 10s
        activity match P2 activity=7 state=active reason=updated rule=LA3
        presented match P2 style=banner listed=no silenced=passive rule=N9
        = banner P2 Match: "Goal" until 15s
20s   focus work
        at 15s
        = dark
        at 20s
        focus mode=work state=set
20s   set handset focus work
        setting key=focus value=work
        focus mode=work state=on
21s   push match key activity=update state.score=2 alert="Goal" sound=default
        activity match P3 activity=7 state=active reason=updated rule=LA3
        not-presented match P3 reason=focus rule=Q3
22s   push match key activity=update state.score=3 alert="Goal"
        activity match P4 activity=7 state=active reason=updated rule=LA3
        not-presented match P4 reason=focus rule=Q3
23s   push match key activity=update state.score=4 alert="Goal" sound=default level=time-sensitive
        activity match P5 activity=7 state=active reason=updated rule=LA3
        presented match P5 style=banner listed=no sound=default vibration=double
        > play the default sound for P5
        = banner P5 Match: "Goal" until 28s
30s   set handset focus off
        at 28s
        = dark
        at 30s
        setting key=focus value=off
        focus mode=work state=off
30s   given install chess; register chess sound alert provisional
31s   push chess key activity=start state.move=1 alert="White" sound=default
        activity chess P6 activity=29 state=active reason=started rule=LA1
        not-presented chess P6 reason=provisional rule=Q4
32s   activities
        : 7 match active {"score": 4}, on top
        : 29 chess active {"move": 1}
