"""Data, clock and a latch: the interface of shift registers and of the chips built around one."""


class ThreeWire:
    """A decoder that passes whole transfers to `take(time, bits)`. Lines: data, clock, latch."""

    rest = (0, 0, 1)

    def __init__(self, timing, take):
        self.timing, self.take = timing, take
        self.levels = list(self.rest)
        self.bits = []
        self.data_changed = self.clock_rose = self.clock_fell = self.latch_rose = self.latch_fell = None

    def change(self, time, line, level):
        """Records a change of a line."""
        self.levels[line] = level
        if line == 0:
            self.timing.measure("data after clock", self.clock_rose, time)
            self.data_changed = time
        elif line == 1 and level:
            self.timing.measure("clock low", self.clock_fell, time)
            self.timing.measure("clock period", self.clock_rose, time)
            self.timing.measure("data before clock", self.data_changed, time)
            self.timing.measure("latch low before clock", self.latch_fell, time)
            self.timing.measure("clock after latch", self.latch_rose, time)
            self.clock_rose = time
            self.bits.append(self.levels[0])
        elif line == 1:
            self.timing.measure("clock high", self.clock_rose, time)
            self.clock_fell = time
        elif level:
            self.timing.measure("latch after clock", self.clock_rose, time)
            self.timing.measure("latch low", self.latch_fell, time)
            self.latch_rose = time
            bits, self.bits = self.bits, []
            self.take(time, bits)
        else:
            self.timing.measure("latch high", self.latch_rose, time)
            self.latch_fell = time
            self.bits = []


def number(bits):
    """Returns the number of bits whose first is the most significant."""
    return int("".join(map(str, bits)), 2)
