story: A held update past its expiration is discarded with an event
rules: U4, U9

# Low power: background updates are held.
0s    given condition low-power on; install mail background; register mail badge alert; install news background
0s    given register news badge alert
1s    push mail background expires=1h
        held mail P1 reason=low-power rule=U7
2s    push news background expires=30m
        held news P2 reason=low-power rule=U7
3s    push news background expires=2h
        discarded news P2 reason=replaced rule=U4 replacedBy=P3
        held news P3 reason=low-power rule=U7
1h    wait
1h1s  wait
        at 1h1s
        discarded mail P1 reason=expired rule=U9
1h2s  held mail
        : nothing
1h3s  held news
        : P3 until 2h3s
# The wall clock counts: somebody sets it.
1h4s  clock 1h
        discarded news P3 reason=expired rule=U9
1h5s  held news
        : nothing
# "Tried once" is the service's side of it.
1h6s  push mail background expires=once
        held mail P4 reason=low-power rule=U7
1h7s  held mail
        : P4 until 30d2h6s
# One that comes too late is discarded as soon as the handset is woken.
1h7s  push news background expires=0s
        held news P5 reason=low-power rule=U7
1h7s  wait
        at 1h7s
        discarded news P5 reason=expired rule=U9
# While the daemon was off.
1h8s  push news background expires=1m
        held news P6 reason=low-power rule=U7
1h9s  restart
2h    restart late
        discarded news P6 reason=expired rule=U9
