story: The most relevant Live Activity is on top; without scores the first started
rules: LA9, LA1

0s    given install match display=score; install tea countdown=ready
0s    register match alert
        registered match kinds=alert
        > make the push-to-start token of match
0s    register tea alert
        registered tea kinds=alert
        > make the push-to-start token of tea
1s    activity match start state.score=1
        activity match activity=5 state=active reason=started rule=LA1
        > make the push-to-start token of match
        > make the activity:5 token of match
        = digits 1
2s    activity match start state.score=2
        activity match activity=6 state=active reason=started rule=LA1
        > make the push-to-start token of match
        > make the activity:5 token of match
        > make the activity:6 token of match
3s    activity tea start state.ready=60 relevance=10
        activity tea activity=7 state=active reason=started rule=LA1
        > make the push-to-start token of tea
        > make the activity:7 token of tea
        = digits count down to 1m3s
4s    activity match update state.score=12 relevance=50
        activity match activity=6 state=active reason=updated rule=LA3
        = digits 12
5s    activity match end state.score=13
        activity match activity=6 state=ended reason=ended rule=LA5
        = digits count down to 1m3s
6s    activities
        : 5 match active {"score": 1}
        : 6 match ended {"score": 13}
        : 7 tea active {"ready": 60}, on top
# Five of an app, and no more.
7s    many 4 activity match start state.score=#
        ! 'match' may have 5 Live Activities, and all apps 50
8s    activity match start state.score=9
        ! 'match' may have 5 Live Activities, and all apps 50
9s    push match key activity=start state.score=9 alert="One more"
        discarded match P1 reason=activity-limit rule=LA1
