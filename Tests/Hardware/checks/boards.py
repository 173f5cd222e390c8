"""Every shipped board file finds its lines, and shows the handset's previous state (rule D4)."""

from Tests.Hardware.decoders import decode
from Tests.Hardware.line_trace import TraceError

BADGE = "12"


def check(run):
    section = run.section("boards", "Board files, by the labels of their lines: badge 12 and lamp after a start")
    trace = run.trace("boards")
    for name, board in run.boards.items():
        try:
            section.equal(name, *seen(trace.part(f"board {name}", f"left {name}"), board, run.line(name)))
        except TraceError as error:
            section.equal(name, str(error), "a trace")
    section.none("chips that do not answer", unanswered(run, "boards"))
    return section


def seen(part, board, line):
    """Returns in words the state at the mark and afterwards, and the expected one."""
    display, until = board["display"], part.mark("shown")
    chip = decode(board, part)
    count = len(display["digits"]) if display["type"] == "multiplexed" else display["digits"]
    lit, dark = (1, 0) if board["lamp"]["active"] == "high" else (0, 1)
    lamp = [(edge.nanoseconds, edge.level) for edge in part.edges(line)]

    def at(end):
        return words(*(before(pairs, end) for pairs in (chip.faces, lamp)))

    def words(face, level):
        return f"'{face}' {'lit' if level == lit else 'dark'}"

    end = part.items[-1].nanoseconds
    return (", ".join([at(until), at(end), *wire_errors(chip)]),
            ", ".join([words(BADGE.rjust(count), lit), words(" " * count, dark)]))


def before(pairs, end):
    """Returns the last value at that time, of pairs of a time and a value."""
    return next((what for time, what in reversed(pairs) if time <= end), None)


def unanswered(run, scenario):
    """Returns what the daemon logged of chips that do not answer."""
    return [line for line in run.text(scenario, "daemon.log").splitlines() if " answer" in line]


def wire_errors(chip):
    """Returns the violations of the display's data sheet."""
    return [what for _, what in chip.errors] + (chip.timing.violations if chip.timing else [])
