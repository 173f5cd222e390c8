story: A push has actions of its own: a call, to open the app, or for the app in the background
rules: N15, N13
0s    given install mail hooks; register mail alert
1s    push mail key alert="The bell rings" action.Gate=https://gate.example/open,keep action.Look=view action.Tell=app
        presented mail P1 style=banner listed=yes
        = lamp blink since 1s, banner P1 Mail: "The bell rings" until 6s
2s    open P1 action=Gate
        responded mail P1 action=1
        call-queued mail P1 answer=action
        > stop the sound of P1
        = dark
3s    calls
        : mail P1 action https://gate.example/open
4s    center
        : P1 Mail: "The bell rings"
5s    open P1 action=Tell
        responded mail P1 action=3
        lifecycle mail state=background
        delivered mail P1 state=background
        cleared mail reason=responded rule=N15 count=1
        > give mail P1 in the background, action 3: {"push":1}
        > stop the sound of P1
        > stop the sound of P1
6s    center
        : empty
7s    complete mail P1
        completed mail P1 result=newData
8s    push mail key alert="Again" action.Gate=https://gate.example/open action.Look=view,keep
        presented mail P2 style=banner listed=yes
        = lamp blink since 8s, banner P2 Mail: "Again" until 13s
9s    open P2 action=1
        responded mail P2 action=1
        call-queued mail P2 answer=action
        cleared mail reason=responded rule=N15 count=1
        > stop the sound of P2
        > stop the sound of P2
        = dark
10s   center
        : empty
11s   push mail key alert="Once more" action.Look=view,keep
        presented mail P3 style=banner listed=yes
        = lamp blink since 11s, banner P3 Mail: "Once more" until 16s
12s   open P3 action=Look
        responded mail P3 action=1
        lifecycle mail state=foreground
        > stop the sound of P3
        > launch mail with P3, action 1
        = dark
13s   center
        : P3 Mail: "Once more"
14s   open P3 action=Look
        responded mail P3 action=1
        > stop the sound of P3
        > launch mail with P3, action 1
