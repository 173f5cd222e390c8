story: The service saves the last notification of each node, and the newest push of each app
rules: F1, F2, F4

0s    given install mail; register mail badge sound alert
0s    create mail Inbox
        node-created mail node=Inbox
0s    create mail Sport
        node-created mail node=Sport
1s    given condition offline on
2s    publish mail Sport alert="Sport 1" badge=1
        kept mail P1 reason=offline rule=F1
3s    publish mail Inbox alert="Inbox 1" badge=2
        kept mail P2 reason=offline rule=F1
4s    publish mail Sport alert="Sport 2" badge=3
        discarded mail P1 reason=replaced-offline rule=F1 replacedBy=P3
        kept mail P3 reason=offline rule=F1
5s    push mail alert="A push" badge=4
        kept mail P4 reason=offline rule=F1
6s    kept mail
        : P2 until 30d3s, of Inbox
        : P3 until 30d4s, of Sport
        : P4 until 30d5s
7s    restart
# Each has its own place, and they arrive in the order of publishing.
8s    condition offline off
        condition condition=offline on=no
        arrived mail P2
        badge mail P2 number=2
        presented mail P2 style=banner listed=yes
        arrived mail P3
        badge mail P3 number=3
        presented mail P3 style=banner listed=yes
        arrived mail P4
        badge mail P4 number=4
        presented mail P4 style=banner listed=yes
        = badge 4, lamp blink since 8s, banner P4 Mail: "A push" until 13s
9s    center
        : P2 Mail: "Inbox 1" unseen
        : P3 Mail: "Sport 2" unseen
        : P4 Mail: "A push" unseen
# The fetch mode has the same slots. Deleting a node does not take back what waits.
10s   given set handset fetch-mode manual
11s   publish mail Inbox alert="Inbox 2" badge=5
        kept mail P5 reason=fetch-manual rule=S3
12s   publish mail Sport alert="Sport 3" badge=6
        kept mail P6 reason=fetch-manual rule=S3
13s   delete mail Sport
        at 13s
        = badge 4, lamp blink since 8s
        node-deleted mail node=Sport
14s   published mail Inbox
        : P5, <plist 5>
15s   fetch mail
        fetched mail reason=by-person rule=F4 count=2
        arrived mail P5
        badge mail P5 number=5
        presented mail P5 style=banner listed=yes
        arrived mail P6
        badge mail P6 number=6
        presented mail P6 style=banner listed=yes
        = badge 6, lamp blink since 15s, banner P6 Mail: "Sport 3" until 20s
16s   published mail Inbox
        : P5, <plist 5>
