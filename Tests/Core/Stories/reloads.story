story: Widgets and controls are loaded again if their content changed
rules: T4, U5
0s    given install mail hooks; register mail alert
1s    push mail type=widgets content-available
        reload mail P1 type=widgets
        lifecycle mail state=background
        delivered mail P1 state=background
        > give mail P1 in the background, of type widgets: {"push":1}
2s    complete mail P1
        completed mail P1 result=newData
3s    push mail type=controls content-available
        reload mail P2 type=controls
        delivered mail P2 state=background
        > give mail P2 in the background, of type controls: {"push":2}
4s    complete mail P2
        completed mail P2 result=newData
5s    push mail type=widgets
        discarded mail P3 reason=unchanged rule=T4
5s    explain P3
        : R4 the token is the app's
        : F1 the handset is online: it arrives
        : R1 the app is registered
        : T1 the app takes pushes of its type, of which nothing is presented
        : T4 its aps does not say that the content changed
6s    force-quit mail
        lifecycle mail state=forceQuit
        > stop mail
7s    push mail type=controls content-available
        discarded mail P4 reason=is-force-quit rule=U5
