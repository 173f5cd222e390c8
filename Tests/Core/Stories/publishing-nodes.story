story: A provider makes a node, publishes through it, and reads back what it published last
rules: R1, R3, R4, F2

# The app is on the handset before its provider hears of it.
0s    create mail Inbox
        ! no app 'mail' is installed
0s    given install mail
# The provider's step comes before the app's own; until then nothing reaches the person.
1s    create mail Inbox
        node-created mail node=Inbox
1s    create mail Inbox
2s    publish mail Inbox badge=1 alert="Too early"
        discarded mail P1 reason=not-registered rule=R1
2s    published mail Inbox
        : P1, <plist 1>
3s    given register mail badge sound alert
4s    publish mail Inbox badge=2 alert="One" no-action
        badge mail P2 number=2
        presented mail P2 style=banner listed=yes
        = badge 2, lamp blink since 4s, banner P2 Mail: "One" until 9s
5s    publish mail Inbox badge=3
        badge mail P3 number=3
        = badge 3, lamp blink since 4s, banner P2 Mail: "One" until 9s
6s    published mail Inbox
        : P3, <plist 3>
# Another node of the same app has its own last one; no node, no publication.
7s    create mail Sport
        node-created mail node=Sport
7s    published mail Sport
        : nothing
8s    publish mail Weather badge=4
        ! there is no node mail/Weather
        refused mail P4 status=404 reason=UnknownNode detail="there is no node mail/Weather"
8s    delete mail Weather
        ! there is no node mail/Weather
# The service keeps it through a restart, and through what the handset does with it.
9s    restart
        at 9s
        = badge 3, lamp blink since 4s
        = badge 3, lamp blink since 9s
9s    clear all
        cleared mail reason=by-person rule=N10 count=1
        > stop the sound of P2
        = badge 3
10s   published mail Inbox
        : P3, <plist 3>
# A token is one address of the app, a node another: both reach it.
11s   push mail badge=5
        badge mail P5 number=5
        = badge 5
11s   published mail Inbox
        : P3, <plist 3>
# Deleting is the provider's; making it anew begins with nothing.
12s   delete mail Inbox
        node-deleted mail node=Inbox
12s   publish mail Inbox badge=6
        ! there is no node mail/Inbox
        refused mail P6 status=404 reason=UnknownNode detail="there is no node mail/Inbox"
13s   create mail Inbox
        node-created mail node=Inbox
13s   published mail Inbox
        : nothing
# Unregistered, the node answers as gone, and still gives back; registered again, it works again.
14s   publish mail Inbox badge=7
        badge mail P7 number=7
        = badge 7
15s   unregister mail
        unregistered mail
        = dark
16s   publish mail Inbox badge=8
        ! 'mail', whose node it is, is uninstalled or unregistered, since 15s
        refused mail P8 status=410 reason=Gone detail="'mail', whose node it is, is uninstalled or unregistered"
16s   published mail Inbox
        : P7, <plist 7>
17s   given register mail badge
        = badge 7
18s   publish mail Inbox badge=9
        badge mail P9 number=9
        = badge 9
# Offline, what was published through a node is kept like any push.
19s   given condition offline on
20s   publish mail Inbox badge=10
        kept mail P10 reason=offline rule=F1
21s   restart
22s   condition offline off
        condition condition=offline on=no
        arrived mail P10
        badge mail P10 number=10
        = badge 10
# Uninstalled, its nodes are gone, with all that they gave back; and an app that is installed anew makes its own.
30s   uninstall mail
        uninstalled mail
        = dark
31s   publish mail Inbox badge=11
        ! 'mail', whose node it is, is uninstalled or unregistered, since 30s
        refused mail P11 status=410 reason=Gone detail="'mail', whose node it is, is uninstalled or unregistered"
31s   published mail Inbox
        : nothing
31s   delete mail Inbox
        ! 'mail', whose node it is, is uninstalled or unregistered, since 30s
32s   given install mail
32s   publish mail Inbox badge=12
        ! 'mail', whose node it is, is uninstalled or unregistered, since 30s
        refused mail P12 status=410 reason=Gone detail="'mail', whose node it is, is uninstalled or unregistered"
33s   create mail Inbox
        node-created mail node=Inbox
33s   publish mail Inbox badge=13
        discarded mail P13 reason=not-registered rule=R1
# After 30 days nobody remembers the other.
31d   publish mail Sport badge=14
        ! there is no node mail/Sport
        refused mail P14 status=404 reason=UnknownNode detail="there is no node mail/Sport"
