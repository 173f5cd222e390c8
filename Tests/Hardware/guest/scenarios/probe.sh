# The daemon's own interface to libgpiod, by the program that tests it where there is no chip, on a chip.
chip raspberry-pi-4
probe 1 "$(ls /dev/gpiochip*)" 17 23 || fail "the probe ended with code $?"
chip_remove raspberry-pi-4
