"""Every shipped board file finds its lines, and shows the handset's previous state (rule D4)."""

from Tests.Hardware.decoders import decode
from Tests.Hardware.decoders.apa102 import APA102
from Tests.Hardware.line_trace import TraceError

BADGE = "12"


def check(run):
    section = run.section("boards", "Board files, by the labels of their lines: badge 12 and lamp after a start")
    trace = run.trace("boards")
    for name, board in run.boards.items():
        try:
            section.equal(name, *seen(trace.part(f"board {name}", f"left {name}"), board))
        except TraceError as error:
            section.equal(name, str(error), "a trace")
    section.none("chips that do not answer", unanswered(run, "boards"))
    return section


def seen(part, board):
    """Returns in words the state at the mark and afterwards, and the expected one."""
    until = part.mark("shown")
    # A board whose lamp covers its header has no display.
    display = board.get("display")
    chip = decode(board, part) if display else None
    count = 0 if not display else len(display["digits"]) if display["type"] == "multiplexed" else display["digits"]
    lights, errors = lamp(part, board)

    def at(end):
        return words(before(chip.faces, end) if chip else "", before(lights, end))

    def words(face, is_lit):
        return f"'{face}' {'lit' if is_lit else 'dark'}"

    end = part.items[-1].nanoseconds
    return (", ".join([at(until), at(end), *(wire_errors(chip) if chip else []), *errors]),
            ", ".join([words(BADGE.rjust(count)[:count], True), words(" " * count, False)]))


def lamp(part, board):
    """Returns at which times the lamp is lit with all its parts, or not; and the violations of its data sheet."""
    section = board["lamp"]
    line = lambda key: board["lines"][str(section[key])]
    if section.get("type") == "apa102":
        chip, places = APA102(section["lamps"]), {line("data"): 0, line("clock"): 1}
        for edge in part.edges(*places):
            chip.change(edge.nanoseconds, places[edge.line], edge.level)
        return [(time, all(map(all, face))) for time, face in chip.faces], wire_errors(chip)
    lit = 1 if section.get("active", "high") == "high" else 0
    lines = [line(key) for key in ("red", "green", "blue") if key in section] or [line("line")]
    levels, lights = {}, []
    for edge in part.edges(*lines):
        levels[edge.line] = edge.level
        lights.append((edge.nanoseconds, len(levels) == len(lines) and set(levels.values()) == {lit}))
    return lights, []


def before(pairs, end):
    """Returns the last value at that time, of pairs of a time and a value."""
    return next((what for time, what in reversed(pairs) if time <= end), None)


def unanswered(run, scenario):
    """Returns what the daemon logged of chips that do not answer."""
    return [line for line in run.text(scenario, "daemon.log").splitlines() if " answer" in line]


def wire_errors(chip):
    """Returns the violations of the display's data sheet."""
    return [what for _, what in chip.errors] + (chip.timing.violations if chip.timing else [])
