story: A Live Activity starts by push, is updated, becomes stale, ends and is dismissed
rules: LA1, LA2, LA3, LA4, LA5, LA9

0s    install match display=teams.home activity-lamp=breathe sounds=goal
        installed match
0s    register match badge sound alert
        registered match kinds=badge,sound,alert
        > make the push-to-start token of match
0s    mint match push-to-start
1s    tokens match
        : push-to-start T3
# The ordinary token does not start one.
2s    push match activity=start state.teams.home=0 alert="Kick-off"
        ! the device token is for other pushes of the app
        refused match P1 status=400 reason=DeviceTokenNotForTopic detail="the device token is for other pushes of the app"
3s    push match token=start activity=start state.teams.home=0 alert="Kick-off" sound=default stale=1h
        activity match P2 activity=5 state=active reason=started rule=LA1
        presented match P2 style=banner listed=no sound=default vibration=pulse
        > make the activity:5 token of match
        > play the default sound for P2
        = digits 0, lamp breathe since 3s, banner P2 Match: "Kick-off" until 8s
4s    mint match activity
        activity match activity=5 token=00000000
5s    tokens match
        : activity:5 T4
        : push-to-start T3
6s    push match token=start activity=update state.teams.home=1
        ! the device token is for other pushes of the app
        refused match P3 status=400 reason=DeviceTokenNotForTopic detail="the device token is for other pushes of the app"
10s   push match token=live activity=update state.teams.home=1 alert="Goal" sound=goal stale=30s
        at 8s
        = digits 0, lamp breathe since 3s
        at 10s
        activity match P4 activity=5 state=active reason=updated rule=LA3
        presented match P4 style=banner listed=no sound=goal vibration=pulse
        > play match's goal for P4
        = digits 1, lamp breathe since 3s, banner P4 Match: "Goal" until 15s
11s   explain P4
        : R4 the token is the app's
        : F1 the handset is online: it arrives
        : R1 the app is registered
        : LA3 it is the newest state of the Live Activity
        : S2 notifications are on
        : S1 notifications are allowed for the app
        : S6 the app registered for every kind in it
        : N1 the app is not in the foreground: the system presents it
        : N3 a banner shows it for a few seconds
        : S5 neither silence nor quiet hours: its sound is played
        : A1 the app has the sound
        : D3 the motor vibrates, if one is fitted
# An older time stamp changes nothing.
12s   push match token=live activity=update state.teams.home=9 stamp=-5s
        discarded match P5 reason=older-timestamp rule=LA3
40s   activities
        at 15s
        = digits 1, lamp breathe since 3s
        at 40s
        activity match activity=5 state=stale reason=stale rule=LA4
        : 5 match stale {"teams": {"home": 1}}, on top
50s   push match token=live activity=end state.teams.home=2 dismissal=1m
        activity match P6 activity=5 state=ended reason=ended rule=LA5
        = dark
51s   activities
        : 5 match ended {"teams": {"home": 2}}
# Its token is gone.
52s   push match token=T4 activity=update state.teams.home=3
        ! the app of that device token is no longer registered, since 50s
        refused match P7 status=410 reason=Unregistered detail="the app of that device token is no longer registered"
3m    activities
        at 1m50s
        activity match activity=5 state=dismissed reason=dismissal-time rule=LA5
        at 3m
        : none
# The person dismisses one, and switches them off.
4m    activity match start state.teams.home=5
        activity match activity=19 state=active reason=started rule=LA1
        > make the activity:19 token of match
        = digits 5, lamp breathe since 4m
4m1s  dismiss-activity match
        activity match activity=19 state=dismissed reason=by-person rule=LA5
        = dark
4m2s  activity match start state.teams.home=6
        activity match activity=21 state=active reason=started rule=LA1
        > make the activity:21 token of match
        = digits 6, lamp breathe since 4m2s
4m3s  set match live-activities off
        setting match key=live-activities value=off
        activity match activity=21 state=dismissed reason=not-allowed rule=S1
        = dark
4m4s  push match token=start activity=start state.teams.home=0 alert="Kick-off"
        discarded match P8 reason=activities-off rule=LA1
4m5s  activity match start state.teams.home=6
        ! 'match' is not registered, or its Live Activities are off
