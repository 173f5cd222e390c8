story: What drivers report is written down and changes nothing
rules: F3

0s    given install mail; register mail badge alert
1s    push mail badge=1
        badge mail P1 number=1
        = badge 1
2s    report display "   1" push=P1 ago=990ms
        display P1 text="   1" at 1s10ms
# A full display and one that is too small for its number show the same digits.
2s    report display 9999
        display text=9999
2s    report display-overflow 9999
        display text=9999 overflow=yes
3s    report lamp on
        lamp lit=yes
4s    report sound-started letter push=P1
        sound-started P1 name=letter
5s    report sound-ended letter "it was heard to its end" push=P1
        sound-ended P1 name=letter reason=failed detail="it was heard to its end"
6s    report device-lost "GPIO chip 'gpiochip0' is busy: stop what holds it"
        device-lost problem="GPIO chip 'gpiochip0' is busy: stop what holds it"
7s    report device-back gpiochip0
        device-back device=gpiochip0
8s    report fault-struck busy push=P1
        fault-struck P1 fault=busy
