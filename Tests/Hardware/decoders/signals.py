"""Signals for the tests of decoders, built by hand from the data sheets."""


class Wire:
    """Levels over time, as a chip receives them."""

    def __init__(self, chip):
        self.chip, self.time = chip, 0

    def set(self, line, level, wait):
        self.chip.change(self.time, line, level)
        self.time += wait


def three_wire_transfer(wire, bits, half=500):
    wire.set(2, 0, half)
    for bit in bits:
        wire.set(0, bit, half)
        wire.set(1, 1, half)
        wire.set(1, 0, half)
    wire.set(2, 1, half)


def bits_of(*data):
    return [byte >> place & 1 for byte in data for place in range(7, -1, -1)]
