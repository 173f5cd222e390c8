story: Complications, widgets and controls have their app in the background so many times a day
rules: T3, T4
0s    given install mail; register mail alert
1s    many 50 push mail type=complication
        delivered mail P50 state=background
        completed mail P50 result=noData
1s    counted mail
        : 50 complication since 1s
2s    push mail type=complication
        discarded mail P51 reason=spent-today rule=T3
2s    explain P51
        : R4 the token is the app's
        : F1 the handset is online: it arrives
        : R1 the app is registered
        : T1 the app takes pushes of its type, of which nothing is presented
        : T3 the app has had as many pushes of its type as it may have in a day
# Each type has its own.
3s    push mail type=widgets content-available
        reload mail P52 type=widgets
        delivered mail P52 state=background
        completed mail P52 result=noData
3s    push mail type=controls content-available
        reload mail P53 type=controls
        delivered mail P53 state=background
        completed mail P53 result=noData
3s    counted mail
        : 50 complication since 1s
        : 1 controls since 3s
        : 1 widgets since 3s
# In the foreground they do not count.
4s    launch mail
        lifecycle mail state=foreground
5s    push mail type=complication
        delivered mail P54 state=foreground
        completed mail P54 result=noData
6s    background mail
        lifecycle mail state=background
7s    push mail type=complication
        discarded mail P55 reason=spent-today rule=T3
# The day is one of the uptime clock, and goes on after a boot.
12h   boot
        lifecycle mail state=notRunning
12h1s push mail type=complication
        discarded mail P56 reason=spent-today rule=T3
24h1s push mail type=complication
        lifecycle mail state=background
        delivered mail P57 state=background
        completed mail P57 result=noData
24h1s counted mail
        : 1 complication since 1d1s
        : 1 controls since 3s
        : 1 widgets since 3s
24h2s many 39 push mail type=widgets content-available
        reload mail P96 type=widgets
        delivered mail P96 state=background
        completed mail P96 result=noData
24h2s push mail type=widgets content-available
        discarded mail P97 reason=spent-today rule=T3
24h3s push mail type=widgets content-available
        reload mail P98 type=widgets
        delivered mail P98 state=background
        completed mail P98 result=noData
24h4s many 38 push mail type=widgets content-available
        reload mail P136 type=widgets
        delivered mail P136 state=background
        completed mail P136 result=noData
24h5s push mail type=widgets content-available
        reload mail P137 type=widgets
        delivered mail P137 state=background
        completed mail P137 result=noData
24h6s push mail type=widgets content-available
        discarded mail P138 reason=spent-today rule=T3
