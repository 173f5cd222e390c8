"""A bare display that the daemon refreshes: evenly, without ghosts, and with little processor time."""

from Tests.Hardware.decoders import decode
from Tests.support.report import percentile

BOARD = "raspberry-pi-4-multiplexed"
FRAMES_PER_SECOND = 200
FEWEST_FRAMES = 10_000
WIDTH = 4
# Relative to a C loop that does the same ioctls and nothing else.
CPU_RATIO = 1.2
# A digit that is lit a tenth longer than the others looks brighter.
LONGEST_TURN_RATIO = 1.1


def check(run):
    section = run.section("scan", f"Scanning {WIDTH} digits at {FRAMES_PER_SECOND} frames a second")
    trace = run.trace("scan")
    chip = decode(run.boards[BOARD], trace.part(f"board {BOARD}"))
    begin, quiet, end = trace.mark("busy"), trace.mark("quiet"), trace.mark("done")
    frames = [(at, length) for at, length in chip.frames if begin <= at < end and length]
    section.at_least("frames", len(frames), FEWEST_FRAMES)
    section.equal("ghosts", chip.ghosts, 0)
    section.none("faults of the picture", [what for _, what in chip.errors])
    section.at_least("shortest blank between digits", chip.shortest_blank or 0, 5_000, " ns")

    numbers = {str(event["number"]).rjust(WIDTH) for event in run.events("scan") if event["event"] == "badge"}
    shown = {face for at, face in chip.faces if begin <= at < end}
    section.none("pictures that are no badge", sorted(shown - numbers))
    section.at_least("numbers shown", len(shown & numbers), 40)

    due = 1_000_000_000 / FRAMES_PER_SECOND
    section.note("frames a second", f"{len(frames) / sum(length for _, length in frames) * 1e9:.3f}")
    for name, part in (("while pushes come", [length for at, length in frames if at < quiet]),
                       ("left to itself", [length for at, length in frames if at >= quiet])):
        late = [abs(length - due) / 1000 for length in part]
        section.note(f"frame off its time, {name}: p50, p99, longest",
                     f"{percentile(late, 50):.1f}, {percentile(late, 99):.1f}, {max(late):.1f} µs")
    turns = sorted(after - before for before, after, _, _ in chip.turns if begin <= before < end)
    section.note("a digit lit: shortest, p50, longest", f"{turns[0] / 1000:.1f}, {percentile(turns, 50) / 1000:.1f}, "
                 f"{turns[-1] / 1000:.1f} µs")
    section.at_most("a digit lit, p99 over p50", percentile(turns, 99) / percentile(turns, 50), LONGEST_TURN_RATIO)
    check_cost(section, run)
    return section


def check_cost(section, run):
    before, after = used(run.text("scan", "used-before")), used(run.text("scan", "used-after"))
    seconds = after.pop("seconds") - before.pop("seconds")
    shares = {name: (after[name] - before.get(name, 0)) / 1e7 / seconds for name in after}
    references = {}
    for pause in ("spin", "sleep"):
        taken, elapsed = (int(word) for word in run.text("scan", f"reference-{pause}").split())
        references[pause] = taken / elapsed * 100
        section.note(f"CPU of a C loop that {pause}s between digits", f"{references[pause]:.2f} %")
    whole = sum(shares.values())
    section.note("CPU of the daemon", f"{whole:.2f} %")
    section.note("of which other threads than scan", f"{whole - shares.get('scan', 0):.3f} %")
    section.at_most("CPU of the daemon over that of the cheaper loop", whole / min(references.values()), CPU_RATIO)


def used(text):
    """Returns CPU nanoseconds by thread's name, and the uptime in seconds when they were read."""
    *threads, uptime = text.splitlines()
    result = {"seconds": float(uptime)}
    for line in threads:
        name, nanoseconds = line.rsplit(" ", 1)
        result[name] = result.get(name, 0) + int(nanoseconds)
    return result
