story: Updates of Live Activities wait in the service as other pushes do, the newest of each activity
rules: LA7, LA8, F1, F4, S3

0s    given install match display=score
0s    register match alert sound
        registered match kinds=sound,alert
        > make the push-to-start token of match
1s    activity match start state.score=0 channel=dHN0
        activity match activity=3 state=active reason=started rule=LA1
        > make the push-to-start token of match
        = digits 0
2s    activity match start state.score=0 channel=dHN0 relevance=5
        activity match activity=4 state=active reason=started rule=LA1
        > make the push-to-start token of match
3s    set handset fetch-mode manual
        setting key=fetch-mode value=manual
4s    push match key activity=update state.score=1
        kept match P1 reason=fetch-manual rule=S3
5s    push match key activity=update state.score=3 stamp=3s
        discarded match P1 reason=replaced-in-service rule=F1 replacedBy=P2
        kept match P2 reason=fetch-manual rule=S3
# One that is older than the one that waits does not replace it.
6s    push match key activity=update state.score=2
        discarded match P3 reason=older-timestamp rule=LA3
9s    broadcast match dHN0 activity=update state.score=4 alert="Goal" sound=default
        kept match P4 reason=fetch-manual rule=S3
        discarded match P2 reason=replaced-in-service rule=F1 replacedBy=P4
        kept match P4 reason=fetch-manual rule=S3
10s   push match key alert="Beside it"
        kept match P5 reason=fetch-manual rule=S3
10s   kept match
        : P4 until 30d9s
        : P4 until 30d9s
        : P5 until 30d10s
10s   restart
        > make the push-to-start token of match
# The alert of a broadcast is presented once.
11s   fetch match
        fetched match reason=by-person rule=F4 count=3
        arrived match P4
        activity match P4 activity=3 state=active reason=updated rule=LA3
        presented match P4 style=banner listed=no sound=default vibration=pulse
        arrived match P4
        activity match P4 activity=4 state=active reason=updated rule=LA3
        arrived match P5
        presented match P5 style=banner listed=yes
        > play the default sound for P4
        = digits 4, lamp blink since 11s, banner P5 Match: "Beside it" until 16s
20s   activities
        at 16s
        = digits 4, lamp blink since 11s
        at 20s
        : 3 match active {"score": 4}, on top
        : 4 match active {"score": 4}
21s   broadcast match dHN0 activity=update state.score=5 expires=once
        discarded match P6 reason=not-kept rule=F1
        discarded match P6 reason=not-kept rule=F1
22s   broadcast match dHN0 activity=update state.score=6 expires=10s
        kept match P7 reason=fetch-manual rule=S3
        kept match P7 reason=fetch-manual rule=S3
23s   push match key activity=end state.score=7
        discarded match P7 reason=replaced-in-service rule=F1 replacedBy=P8
        kept match P8 reason=fetch-manual rule=S3
# What waits for an activity that is over is discarded.
24s   dismiss-activity match
        activity match activity=4 state=dismissed reason=by-person rule=LA5
        discarded match P8 reason=no-activity rule=LA2
40s   kept match
        at 32s
        discarded match P7 reason=expired-offline rule=F1
        at 40s
        : nothing
41s   broadcast match dHN0 activity=end state.score=8
        kept match P9 reason=fetch-manual rule=S3
42s   launch match
        lifecycle match state=foreground
        seen match count=1
        fetched match reason=opened rule=F4 count=1
        arrived match P9
        activity match P9 activity=3 state=ended reason=ended rule=LA5
        > stop the sound of P5
        = dark
43s   activities
        : 3 match ended {"score": 8}
# It ends after eight hours although the handset is off, and with it what waits for it: nothing is fetched at the start.
44s   set handset fetch-mode fetch
        setting key=fetch-mode value=fetch
45s   activity match start state.score=0
        activity match activity=48 state=active reason=started rule=LA1
        > make the push-to-start token of match
        > make the activity:48 token of match
        = digits 0
46s   push match key activity=update state.score=9
        kept match P10 reason=fetch-interval rule=S3
20h   restart late
        activity match activity=3 state=dismissed reason=dismissal-time rule=LA5
        activity match activity=48 state=ended reason=time-limit rule=LA5
        discarded match P10 reason=no-activity rule=LA2
        > make the push-to-start token of match
        = dark
