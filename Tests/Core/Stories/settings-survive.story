story: The person's choices survive a restart and a boot
rules: S1, S2, S4

0s    install mail
        installed mail
0s    register mail badge alert
        registered mail kinds=badge,alert
0s    set mail style alert
        setting mail key=style value=alert
0s    set mail sound off
        setting mail key=sound value=off
0s    set handset vibrate-on-ring off
        setting key=vibrate-on-ring value=off
0s    set handset vibrate-on-silent off
        setting key=vibrate-on-silent value=off
0s    set handset badge-shows mail
        setting key=badge-shows value=mail
0s    set handset default-sound wood
        setting key=default-sound value=wood
0s    set mail default-sound harp
        setting mail key=default-sound value=harp
1s    push mail badge=4
        badge mail P1 number=4
        = badge 4
2s    set mail badge off
        setting mail key=badge value=off
        = dark
3s    restart
3s    settings mail
        : allow-notifications=on
        : badge=off
        : sound=off
        : alert=on
        : style=alert
        : show-in-notification-center=on
        : time-sensitive=on
        : critical=off
        : volume=100%
        : default-sound=harp
        : lamp=own
        : repeat=asked
        : repeat-every=1m
        : repeat-times=30
        : show-previews=always
        : badge-shows=sent
        : live-activities=on
        : frequent-updates=off
        : clear-on-launch=off
        : summary=off
3s    settings
        : notifications=on
        : badge-shows=mail
        : vibrate-on-ring=off
        : vibrate-on-silent=off
        : fetch-mode=push
        : fetch-interval=15m
        : quiet-hours=off
        : night-hours=off
        : snooze=10m
        : lamp=off
        : default-sound=wood
        : volume=100%
        : night-volume=same
        : summary=off
        : focus=off
4s    boot
4s    settings mail
        : allow-notifications=on
        : badge=off
        : sound=off
        : alert=on
        : style=alert
        : show-in-notification-center=on
        : time-sensitive=on
        : critical=off
        : volume=100%
        : default-sound=harp
        : lamp=own
        : repeat=asked
        : repeat-every=1m
        : repeat-times=30
        : show-previews=always
        : badge-shows=sent
        : live-activities=on
        : frequent-updates=off
        : clear-on-launch=off
        : summary=off
4s    settings
        : notifications=on
        : badge-shows=mail
        : vibrate-on-ring=off
        : vibrate-on-silent=off
        : fetch-mode=push
        : fetch-interval=15m
        : quiet-hours=off
        : night-hours=off
        : snooze=10m
        : lamp=off
        : default-sound=wood
        : volume=100%
        : night-volume=same
        : summary=off
        : focus=off
5s    set mail badge on
        setting mail key=badge value=on
        = badge 4
