story: At most 64 are pending an app, the soonest 64
rules: L2

0s    install timer
        installed timer
0s    register timer alert
        registered timer kinds=alert
0s    many 64 schedule timer n# in=#h alert="N"
        scheduled timer P64 identifier=n64 due=2d16h
# One that is later than all is not kept; one that is sooner is, and the last goes.
1s    schedule timer late in=65h alert="N"
        scheduled timer P65 identifier=late due=2d17h1s
        unscheduled timer P65 identifier=late reason=pending-limit rule=L2
2s    schedule timer soon in=1m alert="N"
        scheduled timer P66 identifier=soon due=1m2s
        unscheduled timer P64 identifier=n64 reason=pending-limit rule=L2
3s    schedule timer calendar at=00:00 on=2026-01-04 alert="N"
        scheduled timer P67 identifier=calendar due=3d
        unscheduled timer P67 identifier=calendar reason=pending-limit rule=L2
# Another in the place of one that is pending is no more than before.
4s    schedule timer n1 in=30m alert="N"
        scheduled timer P68 identifier=n1 due=30m4s
