"""Lamps of several colours, and the tone of a buzzer, by the kernel's trace."""

from Tests.Hardware.decoders.apa102 import APA102
from Tests.support.report import percentile

# Red, green, blue.
COLOURS = {
    "red": (255, 0, 0), "orange": (255, 96, 0), "yellow": (255, 200, 0), "green": (0, 255, 0), "cyan": (0, 255, 255),
    "blue": (0, 0, 255), "purple": (160, 0, 255), "white": (255, 255, 255), "off": (0, 0, 0)}
# `VibrationPattern.double`: on, off, on.
BEEP_MILLISECONDS = (200, 150, 200)
PERIOD_MICROSECONDS = 500


def check(run):
    section = run.section("lights", "Lamps of several colours, and a buzzer's tone")
    trace = run.trace("lights")
    rgb, blinkt = (trace.part(f"board {name}", f"left {name}") for name in ("lights-rgb", "lights-blinkt"))
    lines = [run.line("lights-rgb", key=key) for key in ("red", "green", "blue")]
    # A line has no halves: orange is yellow.
    expected = {name: tuple(255 if part else 0 for part in parts) for name, parts in COLOURS.items()}
    section.equal("red, green and blue on three lines", {name: levels(rgb, lines, name) for name in COLOURS}, expected)
    section.equal("eight APA102", *apa102(run, blinkt))
    buzzer(section, rgb, run.line("lights-rgb", "buzzer"))
    return section


def levels(part, lines, colour):
    until = part.mark(f"light {colour}")
    return tuple(
        255 * next((edge.level for edge in reversed(part.edges(line)) if edge.nanoseconds < until), 0) for line in lines)


def apa102(run, part):
    chip = APA102(8)
    places = {run.line("lights-blinkt", key=key): place for place, key in enumerate(("data", "clock"))}
    for edge in part.edges():
        if edge.line in places:
            chip.change(edge.nanoseconds, places[edge.line], edge.level)
    shown = {name: next((set(face) for time, face in reversed(chip.faces) if time < part.mark(f"light {name}")), None)
             for name in COLOURS}
    return ((shown, [what for _, what in chip.errors], chip.timing.violations),
            ({name: {parts} for name, parts in COLOURS.items()}, [], []))


def buzzer(section, part, line):
    begin, end = part.mark("beep"), part.mark("beeped")
    rises = [edge.nanoseconds for edge in part.edges(line) if edge.level and begin <= edge.nanoseconds < end]
    bursts = []
    for rise in rises:
        if not bursts or rise - bursts[-1][-1] > 50e6:
            bursts.append([])
        bursts[-1].append(rise)
    section.equal("beeps", len(bursts), 2)
    for number, burst in enumerate(bursts):
        section.at_least(f"beep {number + 1} lasts for", (burst[-1] - burst[0]) / 1e6, BEEP_MILLISECONDS[0] - 1.0, " ms")
        section.at_most("and no longer than", (burst[-1] - burst[0]) / 1e6, BEEP_MILLISECONDS[0] + 5.0, " ms")
    periods = [(after - before) / 1e3 for burst in bursts for before, after in zip(burst, burst[1:])]
    if not periods:
        return
    section.note("period of the tone of 2,000 Hz, p50", f"{percentile(periods, 50):.1f} µs")
    off = [abs(period - PERIOD_MICROSECONDS) for period in periods]
    section.note("off by, p50", f"{percentile(off, 50):.1f} µs")
    section.at_most("off by, p99", percentile(off, 99), PERIOD_MICROSECONDS / 10, " µs")
    section.note("off by, longest", f"{max(off):.1f} µs")
