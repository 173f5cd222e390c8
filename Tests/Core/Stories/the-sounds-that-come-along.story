story: The sounds that come with Deskbell are every app's, after its own, and the person chooses the default one
rules: A1, A6, S1

0s    given install mail sounds=harp; register mail badge sound alert; install news; register news badge sound alert
# By name, with extension or without; an app's own sound has priority.
1s    push news sound=harp
        presented news P1 style=none listed=no sound=harp vibration=pulse
        > play the shipped harp for P1
2s    push news sound=wood.wav
        presented news P2 style=none listed=no sound=wood vibration=pulse
        > play the shipped wood for P2
3s    push mail sound=harp.caf
        presented mail P3 style=none listed=no sound=harp vibration=pulse
        > play mail's harp for P3
4s    push mail sound=gong
        presented mail P4 style=none listed=no sound=default vibration=pulse
        > play the default sound for P4
5s    explain P1
        : R4 the token is the app's
        : F1 the handset is online: it arrives
        : R1 the app is registered
        : U2 it is a notification for the person
        : B4 it has no badge: the badge is unchanged
        : S2 notifications are on
        : S1 notifications are allowed for the app
        : S6 the app registered for every kind in it
        : N1 the app is not in the foreground: the system presents it
        : S5 neither silence nor quiet hours: its sound is played
        : A1 the sound comes with Deskbell
        : D3 the motor vibrates, if one is fitted
6s    explain P4 unlike P1
        : - A1 the sound comes with Deskbell
        : + A1 the app does not have the sound: the default sound is played
# The person chooses the default sound of the handset, and of one app.
10s   given set handset default-sound chime
11s   push mail sound=default
        presented mail P5 style=none listed=no sound=chime vibration=pulse
        > play the shipped chime for P5
12s   explain P5 unlike P1
        : - A1 the sound comes with Deskbell
        : + A1 it asks for the default sound
        : + A6 the person chose the default sound
13s   given set mail default-sound knock
14s   push mail sound=default
        presented mail P6 style=none listed=no sound=knock vibration=pulse
        > play the shipped knock for P6
15s   push mail sound=missing
        presented mail P7 style=none listed=no sound=knock vibration=pulse
        > play the shipped knock for P7
16s   explain P7 unlike P1
        : - A1 the sound comes with Deskbell
        : + A1 the app does not have the sound: the default sound is played
        : + A6 the person chose the default sound
17s   push news sound=default
        presented news P8 style=none listed=no sound=chime vibration=pulse
        > play the shipped chime for P8
# What a push names is no default sound.
18s   push mail sound=glass
        presented mail P9 style=none listed=no sound=glass vibration=pulse
        > play the shipped glass for P9
19s   given set mail critical on
20s   push mail alert=Fire level=critical sound=default volume=0.5
        presented mail P10 style=banner listed=yes sound=knock vibration=triple
        > play the shipped knock for P10, critical, at volume 0.5
        = lamp sos since 20s, banner P10 Mail: "Fire" until 25s
21s   given set mail default-sound default
22s   push mail sound=default
        presented mail P11 style=none listed=no sound=chime vibration=pulse
        > play the shipped chime for P11
23s   given set handset default-sound default
24s   push mail sound=default
        presented mail P12 style=none listed=no sound=default vibration=pulse
        > play the default sound for P12
25s   set mail default-sound gong
        at 25s
        = lamp sos since 20s
        ! setting 'default-sound' cannot be 'gong': expected default, bell, chime, glass, harp, knock, marimba, ping, pulse, radar, wood
26s   given set handset default-sound harp
27s   restart
        = lamp sos since 27s
28s   push news sound=default
        presented news P13 style=none listed=no sound=harp vibration=pulse
        > play the shipped harp for P13
29s   push news sound=bell
        presented news P14 style=none listed=no sound=bell vibration=pulse
        > play the shipped bell for P14
# A tag chooses a sound of the app's own only: those that come along have the names of common tags.
30s   push mail key tags=bell,harp alert=Tagged sound=default
        presented mail P15 style=banner listed=yes sound=harp vibration=pulse
        > play mail's harp for P15
        = lamp sos since 27s, banner P15 Mail: "Tagged" until 35s
31s   push mail key tags=bell alert=Tagged sound=default
        presented mail P16 style=banner listed=yes sound=harp vibration=pulse
        > play the shipped harp for P16
        = lamp sos since 27s, banner P16 Mail: "Tagged" until 36s
