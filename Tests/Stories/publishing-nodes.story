story: A provider makes a node, publishes through it, and reads back what it published last
rules: R1, R3, R4, F2

# The app is on the handset before its provider hears of it.
0s    create mail Inbox
0s    install mail
# The provider's step comes before the app's own; until then nothing reaches the person.
1s    create mail Inbox
1s    create mail Inbox
2s    publish mail Inbox badge=1 alert="Too early"
2s    published mail Inbox
3s    register mail badge sound alert
4s    publish mail Inbox badge=2 alert="One" no-action
5s    publish mail Inbox badge=3
6s    published mail Inbox
# Another node of the same app has its own last one; no node, no publication.
7s    create mail Sport
7s    published mail Sport
8s    publish mail Weather badge=4
8s    delete mail Weather
# The service keeps it through a restart, and through what the handset does with it.
9s    restart
9s    clear all
10s   published mail Inbox
# A token is one address of the app, a node another: both reach it.
11s   push mail badge=5
11s   published mail Inbox
# Deleting is the provider's; making it anew begins with nothing.
12s   delete mail Inbox
12s   publish mail Inbox badge=6
13s   create mail Inbox
13s   published mail Inbox
# Unregistered, the node answers as gone, and still gives back; registered again, it works again.
14s   publish mail Inbox badge=7
15s   unregister mail
16s   publish mail Inbox badge=8
16s   published mail Inbox
17s   register mail badge
18s   publish mail Inbox badge=9
# Offline, what was published through a node is kept like any push.
19s   condition offline on
20s   publish mail Inbox badge=10
21s   restart
22s   condition offline off
# Uninstalled, its nodes are gone, with all that they gave back; and an app that is installed anew makes its own.
30s   uninstall mail
31s   publish mail Inbox badge=11
31s   published mail Inbox
31s   delete mail Inbox
32s   install mail
32s   publish mail Inbox badge=12
33s   create mail Inbox
33s   publish mail Inbox badge=13
# After 30 days nobody remembers the other.
31d   publish mail Sport badge=14
