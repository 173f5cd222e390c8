"""Clock and data with an answer to each byte: I²C, and what Titan Micro's chips make of it."""

from .timing import Timing

# The slowest of the chips' own and of I²C's standard mode. Source: NXP, UM10204, table 10.
I2C = {
    "clock low": (4_700, "tLOW"),
    "clock high": (4_000, "tHIGH"),
    "clock period": (10_000, "fSCL, 100 kHz"),
    "data before clock": (250, "tSU;DAT"),
    "data after clock": (0, "tHD;DAT"),
    "start": (4_000, "tHD;STA"),
    "stop": (4_000, "tSU;STO"),
}


class TwoWire:
    """The receiving end. Lines: clock, data. A chip has `limits`, `is_most_first` and `take(time, data)`."""

    rest = (1, 1)
    scan = None

    def __init__(self):
        self.timing = Timing(self.limits)
        self.errors = []
        self.faces = []
        self.brightness = None
        self.levels = list(self.rest)
        self.bits = None
        self.clock_rose = self.clock_fell = self.data_changed = self.started = None

    def change(self, time, line, level):
        """Records a change of a line."""
        self.levels[line] = level
        if line == 1:
            self.data_change(time, level)
        elif level:
            self.clock_rise(time)
        else:
            self.clock_fall(time)

    def data_change(self, time, level):
        self.data_changed = time
        if not self.levels[0]:
            self.timing.measure("data after clock", self.clock_fell, time)
            return
        self.timing.measure("start" if not level else "stop", self.clock_rose, time)
        if not level:
            if self.bits is not None:
                self.errors.append((time, "data fell while the clock was high"))
            self.bits, self.started = [], time
            # The clock was at rest before: there is no edge to measure from.
            self.clock_rose = None
        elif self.bits is not None:
            # The clock's last rise belongs to the stop.
            self.end(time, self.bits[:-1])
            self.bits = None

    def clock_rise(self, time):
        self.timing.measure("clock low", self.clock_fell, time)
        self.timing.measure("clock period", self.clock_rose, time)
        self.timing.measure("data before clock", self.data_changed, time)
        self.clock_rose = time
        if self.bits is None:
            self.errors.append((time, "the clock rose outside of a transfer"))
        else:
            self.bits.append(self.levels[1])

    def clock_fall(self, time):
        self.timing.measure("clock high", self.clock_rose, time)
        if self.bits == []:
            self.timing.measure("start", self.started, time)
        self.clock_fell = time

    def end(self, time, bits):
        """Decodes a whole transfer: eight bits per byte, and a clock for the answer."""
        if not bits or len(bits) % 9:
            self.errors.append((time, f"a transfer of {len(bits)} clocks"))
            return
        places = range(7, -1, -1) if self.is_most_first else range(8)
        data = [sum(bit << place for place, bit in zip(places, bits[at:at + 8])) for at in range(0, len(bits), 9)]
        # The master releases data for the answer, and a trace has only what the master does.
        if any(not bits[at + 8] for at in range(0, len(bits), 9)):
            self.errors.append((time, "data is held low while the chip would answer"))
        self.take(time, data)


def two_wire_transfer(wire, *data, half=5_000, stops=True):
    wire.set(1, 0, half)
    wire.set(0, 0, half // 2)
    for byte in data:
        places = range(7, -1, -1) if wire.chip.is_most_first else range(8)
        for bit in [*(byte >> place & 1 for place in places), 1]:
            if wire.chip.levels[1] != bit:
                wire.chip.change(wire.time, 1, bit)
            wire.time += half // 2
            wire.set(0, 1, half)
            wire.set(0, 0, half // 2)
    if stops:
        if wire.chip.levels[1]:
            wire.chip.change(wire.time, 1, 0)
        wire.time += half // 2
        wire.set(0, 1, half)
        wire.set(1, 1, half)
