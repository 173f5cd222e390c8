"""A chip is removed while something is lit, and returned."""

from Tests.Hardware.decoders import decode

BACK_MILLISECONDS = 1_000
BOARDS = ["raspberry-pi-4", "raspberry-pi-4-multiplexed"]
SHOWN = "  42"


def check(run):
    section = run.section("vanish", "A chip taken away while lit, and given back")
    trace = run.trace("vanish")
    for name in BOARDS:
        board = run.boards[name]
        kind = board["display"]["type"]
        before = decode(board, trace.part(f"board {name}", f"away {name}"))
        section.equal(f"{kind}: before", before.faces[-1][1] if before.faces else None, SHOWN)
        part = trace.part(f"back {name}", f"looked {name}")
        back = part.mark(f"back {name}")
        shown = next((at for at, face in decode(board, part).faces if face == SHOWN), None)
        lamp = next((edge.nanoseconds for edge in part.edges(run.line(name)) if edge.level), None)
        for what, at in (("badge", shown), ("lamp", lamp)):
            if at is None:
                section.none(f"{kind}: {what}", ["not there again"])
            else:
                section.at_most(f"{kind}: {what} there again", (at - back) / 1e6, BACK_MILLISECONDS, " ms")
        words = [event["event"] for event in run.events("vanish", name) if event["event"].startswith("device-")]
        section.note(f"{kind}: events", ", ".join(words[-4:]))
    return section
