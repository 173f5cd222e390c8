"""Lines that another program has are named with it, and used when they are free."""

from decoders import decode
from report import Section

BOARD = "raspberry-pi-4-multiplexed"
OTHER = "scan-reference"
SHOWN = "  42"
# It is tried again after 1, 2 and 4 s.
FREE_MILLISECONDS = 4_000


def check(run):
    section = Section("Lines that another program has")
    section.none("faults", run.failures("busy"))
    log = [line for line in run.text("busy", "daemon.log").splitlines() if " error: " in line]
    section.equal("errors in the log", len(log), 1)
    section.equal("the other is named", bool(log) and f"'{OTHER}'" in log[0], True)
    part = run.trace("busy").part("free", "looked")
    free = part.mark("free")
    shown = next((at for at, face in decode(run.boards[BOARD], part).faces if face == SHOWN), None)
    if shown is None:
        section.none("badge", ["not shown"])
    else:
        section.at_most("badge once they are free", (shown - free) / 1e6, FREE_MILLISECONDS, " ms")
    return section
