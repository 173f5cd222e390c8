story: A deferred push ends with its time, its app, or the opening of its app, and survives restarts
rules: Q1, R2, R3, N10, D4

0s    given install mail; register mail badge sound alert; install chat; register chat badge sound alert
0s    given install news; register news alert; condition low-power on
1s    push mail alert="Expires" priority=5 expires=1m
        deferred mail P1 reason=low-power rule=Q1
2s    push mail alert="Stays" badge=4 sound=default priority=5
        deferred mail P2 reason=low-power rule=Q1
3s    push chat alert="Unregistered" priority=5
        deferred chat P3 reason=low-power rule=Q1
4s    push news alert="Uninstalled" priority=1
        deferred news P4 reason=low-power rule=Q1
5s    unregister chat
        unregistered chat
        discarded chat P3 reason=unregistered rule=R2
6s    uninstall news
        discarded news P4 reason=uninstalled rule=R3
        uninstalled news
2m    restart
        at 1m1s
        discarded mail P1 reason=expired-deferred rule=Q1
2m    deferred
        : mail P2 low-power until 30d2s
3m    boot
# Opening the app presents them without a sound, and clears them as it clears all.
4m    launch mail
        arrived mail P2
        badge mail P2 number=4
        presented mail P2 style=banner listed=yes silenced=grouped rule=Q1
        lifecycle mail state=foreground
        seen mail count=1
        > stop the sound of P2
        = badge 4
5m    deferred
        : nothing
# In the foreground nothing waits.
6m    push mail alert="In front" priority=5
        not-presented mail P5 reason=foreground rule=N2
        delivered mail P5 state=foreground
        completed mail P5 result=noData
