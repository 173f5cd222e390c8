story: While the handset is offline the newest update of each Live Activity is kept
rules: LA7, F1

0s    given install match display=score
0s    register match alert
        registered match kinds=alert
        > make the push-to-start token of match
1s    activity match start state.score=0
        activity match activity=3 state=active reason=started rule=LA1
        > make the push-to-start token of match
        > make the activity:3 token of match
        = digits 0
2s    condition offline on
        condition condition=offline on=yes
3s    push match key activity=update state.score=1
        kept match P1 reason=offline rule=F1
4s    push match key activity=update state.score=2
        discarded match P1 reason=replaced-offline rule=F1 replacedBy=P2
        kept match P2 reason=offline rule=F1
5s    push match key alert="An alert"
        kept match P3 reason=offline rule=F1
6s    push match key activity=update state.score=3 expires=once
        discarded match P4 reason=not-kept rule=F1
7s    activities
        : 3 match active {"score": 0}, on top
8s    condition offline off
        condition condition=offline on=no
        arrived match P2
        activity match P2 activity=3 state=active reason=updated rule=LA3
        arrived match P3
        presented match P3 style=banner listed=yes
        = digits 2, lamp blink since 8s, banner P3 Match: "An alert" until 13s
# What has expired meanwhile is discarded.
10s   condition offline on
        condition condition=offline on=yes
11s   push match key activity=update state.score=4 expires=1m
        kept match P5 reason=offline rule=F1
2m    condition offline off
        at 13s
        = digits 2, lamp blink since 8s
        at 1m11s
        discarded match P5 reason=expired-offline rule=F1
        at 2m
        condition condition=offline on=no
2m1s  condition offline on
        condition condition=offline on=yes
2m2s  push match key activity=update state.score=5
        kept match P6 reason=offline rule=F1
2m3s  uninstall match
        discarded match P6 reason=uninstalled rule=R3
        activity match activity=3 state=dismissed reason=uninstalled rule=R3
        uninstalled match
        > stop the sound of P3
        = dark
