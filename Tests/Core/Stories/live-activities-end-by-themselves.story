story: A Live Activity ends after 8 hours and leaves after 4 more, across a boot
rules: LA5, D4

0s    install tea countdown=ready
        installed tea
0s    register tea alert
        registered tea kinds=alert
        > make the push-to-start token of tea
1s    activity tea start state.ready=300
        activity tea activity=3 state=active reason=started rule=LA1
        > make the push-to-start token of tea
        > make the activity:3 token of tea
        = digits count down to 5m1s
1h    boot
        > make the push-to-start token of tea
        > make the activity:3 token of tea
9h    activities
        at 8h1s
        activity tea activity=3 state=ended reason=time-limit rule=LA5
        = dark
        at 9h
        : 3 tea ended {"ready": 300}
12h   activities
        : 3 tea ended {"ready": 300}
