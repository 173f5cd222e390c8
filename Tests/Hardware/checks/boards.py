"""Every shipped board file finds its lines, and shows the handset's previous state (rule D4)."""

from Tests.Hardware.decoders import decode
from Tests.Hardware.line_trace import TraceError
from Tests.support.report import Section

BADGE = "12"


def check(run):
    section = Section("Board files, by the labels of their lines: badge 12 and lamp after a start")
    section.none("faults", run.failures("boards"))
    trace = run.trace("boards")
    for name, board in run.boards.items():
        try:
            section.equal(name, *seen(trace.part(f"board {name}", f"left {name}"), board))
        except TraceError as error:
            section.equal(name, str(error), "a trace")
    return section


def seen(part, board):
    """Returns in words the state at the mark and afterwards, and the expected one."""
    display, until = board["display"], part.mark("shown")
    chip = decode(board, part)
    count = len(display["digits"]) if display["type"] == "multiplexed" else display["digits"]
    lit, dark = (1, 0) if board["lamp"]["active"] == "high" else (0, 1)
    lamp = [(edge.nanoseconds, edge.level) for edge in part.edges(board["lines"][str(board["lamp"]["line"])])]

    def at(end):
        return words(*(next((what for time, what in reversed(pairs) if time <= end), None)
                       for pairs in (chip.faces, lamp)))

    def words(face, level):
        return f"'{face}' {'lit' if level == lit else 'dark'}"

    end = part.items[-1].nanoseconds
    return (", ".join([at(until), at(end), *wire_errors(chip)]),
            ", ".join([words(BADGE.rjust(count), lit), words(" " * count, dark)]))


def wire_errors(chip):
    """Returns the violations of the display's data sheet."""
    return [what for _, what in chip.errors] + (chip.timing.violations if chip.timing else [])
