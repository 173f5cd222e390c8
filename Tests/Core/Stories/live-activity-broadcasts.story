story: A broadcast updates every Live Activity that is subscribed to its channel
rules: LA8, LA2, P1

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
3s    activity match start state.score=0
        activity match activity=5 state=active reason=started rule=LA1
        > make the push-to-start token of match
        > make the activity:5 token of match
4s    broadcast match dHN0 activity=update state.score=1 alert="Goal" sound=default
        activity match P1 activity=3 state=active reason=updated rule=LA3
        presented match P1 style=banner listed=no sound=default vibration=pulse
        activity match P1 activity=4 state=active reason=updated rule=LA3
        > play the default sound for P1
        = digits 1, banner P1 Match: "Goal" until 9s
5s    activities
        : 3 match active {"score": 1}, on top
        : 4 match active {"score": 1}
        : 5 match active {"score": 0}
5s    broadcast match dHN0 again=P1 activity=update state.score=1 alert="Goal" sound=default
        duplicate match P1 reason=came-again rule=P1
6s    broadcast match b3Ro activity=update state.score=2
        discarded match P3 reason=no-activity rule=LA2
7s    broadcast match dHN0 activity=end state.score=3
        activity match P4 activity=3 state=ended reason=ended rule=LA5
        activity match P4 activity=4 state=ended reason=ended rule=LA5
        = digits 0, banner P1 Match: "Goal" until 9s
8s    tokens match
        : none
9s    unregister match
        at 9s
        = digits 0
        unregistered match
        activity match activity=3 state=dismissed reason=unregistered rule=R2
        activity match activity=4 state=dismissed reason=unregistered rule=R2
        activity match activity=5 state=dismissed reason=unregistered rule=R2
        = dark
