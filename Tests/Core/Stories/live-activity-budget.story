story: Updates of priority 10 have a budget; the newest waits when it is spent
rules: LA6, LA3

0s    given install match display=score
0s    register match alert
        registered match kinds=alert
        > make the push-to-start token of match
1s    activity match start state.score=0
        activity match activity=3 state=active reason=started rule=LA1
        > make the push-to-start token of match
        > make the activity:3 token of match
        = digits 0
2s    many 15 push match key activity=update state.score=#
        activity match P15 activity=3 state=active reason=updated rule=LA3
        = digits 15
3s    push match key activity=update state.score=16
        held match P16 reason=activity-budget rule=LA6
4s    push match key activity=update state.score=17
        discarded match P16 reason=update-replaced rule=LA3 replacedBy=P17
        held match P17 reason=activity-budget rule=LA6
5s    explain P17
        : R1 an access key, or the settings, let it push to the app
        : F1 the handset is online: it arrives
        : R1 the app is registered
        : LA6 the Live Activity's updates of priority 10 are used up for this hour: the newest waits
# Priority 5 has no budget, and replaces what waits.
6s    push match key activity=update state.score=18 priority=5
        discarded match P17 reason=update-replaced rule=LA3 replacedBy=P18
        activity match P18 activity=3 state=active reason=updated rule=LA3
        = digits 18
7s    push match key activity=update state.score=19
        held match P19 reason=activity-budget rule=LA6
2h    activities
        at 1h2s
        arrived match P19
        activity match P19 activity=3 state=active reason=updated rule=LA3
        = digits 19
        at 2h
        : 3 match active {"score": 19}, on top
2h1s  set match frequent-updates on
        setting match key=frequent-updates value=on
2h2s  many 100 push match key activity=update state.score=#
        activity match P119 activity=3 state=active reason=updated rule=LA3
        = digits 100
