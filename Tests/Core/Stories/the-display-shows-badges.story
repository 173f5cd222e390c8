story: The display shows one number, the sum of the badges or one app's, and is dark at zero
rules: B5

0s    given install mail; register mail badge alert; install news; register news badge alert
0s    display 4 points
        : "    "
1s    push mail badge=5
        badge mail P1 number=5
        = badge 5
2s    push news badge=7
        badge news P2 number=7
        = badge 12
2s    display 4 points
        : "  12"
3s    given set handset badge-shows news
        = badge 7
3s    display 4 points
        : "   7"
4s    set handset badge-shows chess
        ! no app 'chess' is installed
5s    set handset badge-shows "a b"
        ! setting 'badge-shows' cannot be 'a b': expected sum, an app's bundle identifier
6s    given set handset badge-shows sum
        = badge 12
7s    push news badge=9994
        badge news P3 number=9994
        = badge 9999
7s    display 4 points
        : "9999"
8s    push news badge=9995
        badge news P4 number=9995
        = badge 10000
# One more than four digits can show.
8s    display 4 points
        : "9.9.9.9."
8s    display 4
        : "9999" blinking
8s    display 5
        : "10000"
8s    display 1 points
        : "9."
9s    push mail badge=9223372036854775807
        badge mail P5 number=9223372036854775807
        = badge 9223372036854785802
10s   push news badge=9223372036854775807
        badge news P6 number=9223372036854775807
        = badge 18446744073709551614
10s   display 8 points
        : "9.9.9.9.9.9.9.9."
11s   given set mail badge off
        = badge 9223372036854775807
12s   unregister news
        unregistered news
        = dark
12s   display 4 points
        : "    "
