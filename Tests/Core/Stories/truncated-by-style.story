story: A message too long for its style is cut with an ellipsis where a reader would; a list shows more than a banner
rules: N6

0s    given install mail; register mail alert
# 82 characters: a banner shows 80, Notification Center all.
1s    push mail alert="1234567890123456789012345678901234567890123456789012345678901234567890123456789012"
        presented mail P1 style=banner listed=yes
        = lamp blink since 1s, banner P1 Mail: "1234567890123456789012345678901234567890123456789012345678901234567890123456789…" until 6s
2s    center
        : P1 Mail: "1234567890123456789012345678901234567890123456789012345678901234567890123456789012" unseen
# Families, flags and letters with marks are one character each.
10s   push mail alert="👨‍👩‍👧‍👦👨‍👩‍👧‍👦👨‍👩‍👧‍👦👨‍👩‍👧‍👦👨‍👩‍👧‍👦👨‍👩‍👧‍👦👨‍👩‍👧‍👦👨‍👩‍👧‍👦👨‍👩‍👧‍👦👨‍👩‍👧‍👦👨‍👩‍👧‍👦👨‍👩‍👧‍👦👨‍👩‍👧‍👦👨‍👩‍👧‍👦👨‍👩‍👧‍👦👨‍👩‍👧‍👦👨‍👩‍👧‍👦👨‍👩‍👧‍👦👨‍👩‍👧‍👦👨‍👩‍👧‍👦👨‍👩‍👧‍👦👨‍👩‍👧‍👦👨‍👩‍👧‍👦👨‍👩‍👧‍👦👨‍👩‍👧‍👦👨‍👩‍👧‍👦👨‍👩‍👧‍👦👨‍👩‍👧‍👦👨‍👩‍👧‍👦👨‍👩‍👧‍👦👨‍👩‍👧‍👦👨‍👩‍👧‍👦👨‍👩‍👧‍👦👨‍👩‍👧‍👦👨‍👩‍👧‍👦👨‍👩‍👧‍👦👨‍👩‍👧‍👦👨‍👩‍👧‍👦👨‍👩‍👧‍👦👨‍👩‍👧‍👦🇩🇪🇫🇷🇮🇹🇩🇪🇫🇷🇮🇹🇩🇪🇫🇷🇮🇹🇩🇪🇫🇷🇮🇹🇩🇪🇫🇷🇮🇹🇩🇪🇫🇷🇮🇹🇩🇪🇫🇷🇮🇹🇩🇪🇫🇷🇮🇹🇩🇪🇫🇷🇮🇹🇩🇪🇫🇷🇮🇹🇩🇪🇫🇷🇮🇹🇩🇪🇫🇷🇮🇹éééééé"
        at 6s
        = lamp blink since 1s
        at 10s
        presented mail P2 style=banner listed=yes
        = lamp blink since 10s, banner P2 Mail: "👨‍👩‍👧‍👦👨‍👩‍👧‍👦👨‍👩‍👧‍👦👨‍👩‍👧‍👦👨‍👩‍👧‍👦👨‍👩‍👧‍👦👨‍👩‍👧‍👦👨‍👩‍👧‍👦👨‍👩‍👧‍👦👨‍👩‍👧‍👦👨‍👩‍👧‍👦👨‍👩‍👧‍👦👨‍👩‍👧‍👦👨‍👩‍👧‍👦👨‍👩‍👧‍👦👨‍👩‍👧‍👦👨‍👩‍👧‍👦👨‍👩‍👧‍👦👨‍👩‍👧‍👦👨‍👩‍👧‍👦👨‍👩‍👧‍👦👨‍👩‍👧‍👦👨‍👩‍👧‍👦👨‍👩‍👧‍👦👨‍👩‍👧‍👦👨‍👩‍👧‍👦👨‍👩‍👧‍👦👨‍👩‍👧‍👦👨‍👩‍👧‍👦👨‍👩‍👧‍👦👨‍👩‍👧‍👦👨‍👩‍👧‍👦👨‍👩‍👧‍👦👨‍👩‍👧‍👦👨‍👩‍👧‍👦👨‍👩‍👧‍👦👨‍👩‍👧‍👦👨‍👩‍👧‍👦👨‍👩‍👧‍👦👨‍👩‍👧‍👦🇩🇪🇫🇷🇮🇹🇩🇪🇫🇷🇮🇹🇩🇪🇫🇷🇮🇹🇩🇪🇫🇷🇮🇹🇩🇪🇫🇷🇮🇹🇩🇪🇫🇷🇮🇹🇩🇪🇫🇷🇮🇹🇩🇪🇫🇷🇮🇹🇩🇪🇫🇷🇮🇹🇩🇪🇫🇷🇮🇹🇩🇪🇫🇷🇮🇹🇩🇪🇫🇷🇮🇹ééé…" until 15s
# Right to left: what is read first is kept.
20s   push mail alert="שלום עולם שלום עולם שלום עולם שלום עולם שלום עולם שלום עולם שלום עולם שלום עולם שלום עולם"
        at 15s
        = lamp blink since 10s
        at 20s
        presented mail P3 style=banner listed=yes
        = lamp blink since 20s, banner P3 Mail: "שלום עולם שלום עולם שלום עולם שלום עולם שלום עולם שלום עולם שלום עולם שלום עולם…" until 25s
# An alert shows more.
30s   set mail style alert
        at 25s
        = lamp blink since 20s
        at 30s
        setting mail key=style value=alert
31s   push mail alert="1234567890123456789012345678901234567890123456789012345678901234567890123456789012"
        presented mail P4 style=alert listed=yes
        = lamp blink since 31s, alert P4 Mail: "1234567890123456789012345678901234567890123456789012345678901234567890123456789012" [Close, View]
