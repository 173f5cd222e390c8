story: At most 64 are pending an app, the soonest 64
rules: L2

0s    install timer
        installed timer
0s    register timer alert
        registered timer kinds=alert
0s    schedule timer n1 in=1h alert="N"
        scheduled timer P1 identifier=n1 due=1h
0s    schedule timer n2 in=2h alert="N"
        scheduled timer P2 identifier=n2 due=2h
0s    schedule timer n3 in=3h alert="N"
        scheduled timer P3 identifier=n3 due=3h
0s    schedule timer n4 in=4h alert="N"
        scheduled timer P4 identifier=n4 due=4h
0s    schedule timer n5 in=5h alert="N"
        scheduled timer P5 identifier=n5 due=5h
0s    schedule timer n6 in=6h alert="N"
        scheduled timer P6 identifier=n6 due=6h
0s    schedule timer n7 in=7h alert="N"
        scheduled timer P7 identifier=n7 due=7h
0s    schedule timer n8 in=8h alert="N"
        scheduled timer P8 identifier=n8 due=8h
0s    schedule timer n9 in=9h alert="N"
        scheduled timer P9 identifier=n9 due=9h
0s    schedule timer n10 in=10h alert="N"
        scheduled timer P10 identifier=n10 due=10h
0s    schedule timer n11 in=11h alert="N"
        scheduled timer P11 identifier=n11 due=11h
0s    schedule timer n12 in=12h alert="N"
        scheduled timer P12 identifier=n12 due=12h
0s    schedule timer n13 in=13h alert="N"
        scheduled timer P13 identifier=n13 due=13h
0s    schedule timer n14 in=14h alert="N"
        scheduled timer P14 identifier=n14 due=14h
0s    schedule timer n15 in=15h alert="N"
        scheduled timer P15 identifier=n15 due=15h
0s    schedule timer n16 in=16h alert="N"
        scheduled timer P16 identifier=n16 due=16h
0s    schedule timer n17 in=17h alert="N"
        scheduled timer P17 identifier=n17 due=17h
0s    schedule timer n18 in=18h alert="N"
        scheduled timer P18 identifier=n18 due=18h
0s    schedule timer n19 in=19h alert="N"
        scheduled timer P19 identifier=n19 due=19h
0s    schedule timer n20 in=20h alert="N"
        scheduled timer P20 identifier=n20 due=20h
0s    schedule timer n21 in=21h alert="N"
        scheduled timer P21 identifier=n21 due=21h
0s    schedule timer n22 in=22h alert="N"
        scheduled timer P22 identifier=n22 due=22h
0s    schedule timer n23 in=23h alert="N"
        scheduled timer P23 identifier=n23 due=23h
0s    schedule timer n24 in=24h alert="N"
        scheduled timer P24 identifier=n24 due=1d
0s    schedule timer n25 in=25h alert="N"
        scheduled timer P25 identifier=n25 due=1d1h
0s    schedule timer n26 in=26h alert="N"
        scheduled timer P26 identifier=n26 due=1d2h
0s    schedule timer n27 in=27h alert="N"
        scheduled timer P27 identifier=n27 due=1d3h
0s    schedule timer n28 in=28h alert="N"
        scheduled timer P28 identifier=n28 due=1d4h
0s    schedule timer n29 in=29h alert="N"
        scheduled timer P29 identifier=n29 due=1d5h
0s    schedule timer n30 in=30h alert="N"
        scheduled timer P30 identifier=n30 due=1d6h
0s    schedule timer n31 in=31h alert="N"
        scheduled timer P31 identifier=n31 due=1d7h
0s    schedule timer n32 in=32h alert="N"
        scheduled timer P32 identifier=n32 due=1d8h
0s    schedule timer n33 in=33h alert="N"
        scheduled timer P33 identifier=n33 due=1d9h
0s    schedule timer n34 in=34h alert="N"
        scheduled timer P34 identifier=n34 due=1d10h
0s    schedule timer n35 in=35h alert="N"
        scheduled timer P35 identifier=n35 due=1d11h
0s    schedule timer n36 in=36h alert="N"
        scheduled timer P36 identifier=n36 due=1d12h
0s    schedule timer n37 in=37h alert="N"
        scheduled timer P37 identifier=n37 due=1d13h
0s    schedule timer n38 in=38h alert="N"
        scheduled timer P38 identifier=n38 due=1d14h
0s    schedule timer n39 in=39h alert="N"
        scheduled timer P39 identifier=n39 due=1d15h
0s    schedule timer n40 in=40h alert="N"
        scheduled timer P40 identifier=n40 due=1d16h
0s    schedule timer n41 in=41h alert="N"
        scheduled timer P41 identifier=n41 due=1d17h
0s    schedule timer n42 in=42h alert="N"
        scheduled timer P42 identifier=n42 due=1d18h
0s    schedule timer n43 in=43h alert="N"
        scheduled timer P43 identifier=n43 due=1d19h
0s    schedule timer n44 in=44h alert="N"
        scheduled timer P44 identifier=n44 due=1d20h
0s    schedule timer n45 in=45h alert="N"
        scheduled timer P45 identifier=n45 due=1d21h
0s    schedule timer n46 in=46h alert="N"
        scheduled timer P46 identifier=n46 due=1d22h
0s    schedule timer n47 in=47h alert="N"
        scheduled timer P47 identifier=n47 due=1d23h
0s    schedule timer n48 in=48h alert="N"
        scheduled timer P48 identifier=n48 due=2d
0s    schedule timer n49 in=49h alert="N"
        scheduled timer P49 identifier=n49 due=2d1h
0s    schedule timer n50 in=50h alert="N"
        scheduled timer P50 identifier=n50 due=2d2h
0s    schedule timer n51 in=51h alert="N"
        scheduled timer P51 identifier=n51 due=2d3h
0s    schedule timer n52 in=52h alert="N"
        scheduled timer P52 identifier=n52 due=2d4h
0s    schedule timer n53 in=53h alert="N"
        scheduled timer P53 identifier=n53 due=2d5h
0s    schedule timer n54 in=54h alert="N"
        scheduled timer P54 identifier=n54 due=2d6h
0s    schedule timer n55 in=55h alert="N"
        scheduled timer P55 identifier=n55 due=2d7h
0s    schedule timer n56 in=56h alert="N"
        scheduled timer P56 identifier=n56 due=2d8h
0s    schedule timer n57 in=57h alert="N"
        scheduled timer P57 identifier=n57 due=2d9h
0s    schedule timer n58 in=58h alert="N"
        scheduled timer P58 identifier=n58 due=2d10h
0s    schedule timer n59 in=59h alert="N"
        scheduled timer P59 identifier=n59 due=2d11h
0s    schedule timer n60 in=60h alert="N"
        scheduled timer P60 identifier=n60 due=2d12h
0s    schedule timer n61 in=61h alert="N"
        scheduled timer P61 identifier=n61 due=2d13h
0s    schedule timer n62 in=62h alert="N"
        scheduled timer P62 identifier=n62 due=2d14h
0s    schedule timer n63 in=63h alert="N"
        scheduled timer P63 identifier=n63 due=2d15h
0s    schedule timer n64 in=64h alert="N"
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
