story: Notifications wait for the scheduled summary, and come with the most relevant on top and one sound
rules: Q2, S1

0s    given install mail sounds=letter; register mail badge sound alert; install chat; register chat alert sound
0s    given set mail summary on; set chat summary on; set handset summary 08:00,18:00
1s    push mail alert="Relevant" badge=2 sound=letter relevance=0.9
        deferred mail P1 reason=summary rule=Q2 until=8h
2s    push mail alert="Less" sound=letter relevance=0.1
        deferred mail P2 reason=summary rule=Q2 until=8h
3s    push chat alert="None" sound=default
        deferred chat P3 reason=summary rule=Q2 until=8h
4s    push mail alert="Urgent" sound=letter level=time-sensitive
        presented mail P4 style=banner listed=yes sound=letter vibration=double
        > play mail's letter for P4
        = lamp double since 4s, banner P4 Mail: "Urgent" until 9s
5s    explain P1
        : R4 the token is the app's
        : F1 the handset is online: it arrives
        : R1 the app is registered
        : Q2 its app's notifications wait for the summary
6s    deferred
        : mail P1 summary until 30d1s
        : mail P2 summary until 30d2s
        : chat P3 summary until 30d3s
# Not allowed to be time-sensitive, it waits too.
7s    set mail time-sensitive off
        setting mail key=time-sensitive value=off
8s    push mail alert="Not urgent" level=time-sensitive relevance=0.5
        deferred mail P5 reason=summary rule=Q2 until=8h
24h   wait
        at 9s
        = lamp double since 4s
        at 8h
        arrived chat P3
        presented chat P3 style=banner listed=yes silenced=grouped rule=Q1
        arrived mail P2
        presented mail P2 style=banner listed=yes silenced=grouped rule=Q1
        arrived mail P5
        presented mail P5 style=banner listed=yes
        arrived mail P1
        badge mail P1 number=2
        presented mail P1 style=banner listed=yes sound=letter vibration=pulse
        > play mail's letter for P1
        = badge 2, lamp double since 8h, banner P1 Mail: "Relevant" until 8h5s
        at 8h5s
        = badge 2, lamp double since 8h
24h   center
        : P4 Mail: "Urgent" unseen
        : P3 Chat: "None" unseen
        : P2 Mail: "Less" unseen
        : P5 Mail: "Not urgent" unseen
        : P1 Mail: "Relevant" unseen
25h   push chat alert="Next" sound=default
        deferred chat P6 reason=summary rule=Q2 until=1d8h
25h1m set chat summary off
        setting chat key=summary value=off
        arrived chat P6
        presented chat P6 style=banner listed=yes sound=default vibration=pulse
        > play the default sound for P6
        = badge 2, lamp double since 8h, banner P6 Chat: "Next" until 1d1h1m5s
25h2m push mail alert="More"
        at 1d1h1m5s
        = badge 2, lamp double since 8h
        at 1d1h2m
        deferred mail P7 reason=summary rule=Q2 until=1d8h
25h3m set handset summary 25:00
        ! setting 'summary' cannot be '25:00': expected off, 1 to 12 times that differ: 08:00,18:00
25h4m set handset summary off
        setting key=summary value=off
        arrived mail P7
        presented mail P7 style=banner listed=yes
        = badge 2, lamp double since 8h, banner P7 Mail: "More" until 1d1h4m5s
