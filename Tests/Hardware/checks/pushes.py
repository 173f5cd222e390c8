"""The time from a push to light, by the kernel's time stamps; and its agreement with the daemon's events."""

from Tests.Hardware.checks.boards import unanswered, wire_errors
from Tests.Hardware.decoders import decode
from Tests.Hardware.line_trace import TraceError
from Tests.support.report import Section, percentile

# Besides the push's commit; measured from its acceptance, which is before the commit.
LAMP_P99_MILLISECONDS = 5
# Events may differ from the kernel by the duration of a call into it; now and then another thread runs between the
# light and the reading of the clock.
EVENT_P95_MILLISECONDS = 0.5
FEWEST = {"raspberry-pi-4": 100}
FEWEST_ELSEWHERE = 20
BOARDS = ["raspberry-pi-4", "raspberry-pi-4-max7219", "raspberry-pi-4-74hc595-static",
          "raspberry-pi-4-74hc595-multiplexed", "raspberry-pi-4-multiplexed", "raspberry-pi-4-ht16k33",
          "raspberry-pi-4-ht16k33-8", "raspberry-pi-4-ht16k33-alphanumeric", "raspberry-pi-4-tm1650",
          "raspberry-pi-4-tm1638"]


def check(run):
    """Returns a section for each kind of display."""
    first = run.section("pushes", "From a push to light: from its acceptance, the commit (to memory) included")
    first.equal("a push by curl", run.text("pushes", "curl").strip(), "HTTP 2 200")
    first.none("chips that do not answer", unanswered(run, "pushes"))
    trace = run.trace("pushes")
    sections = [first]
    for name in BOARDS:
        board = run.boards[name]
        sections.append(Section(f"From a push to light: {board['display']['type']} of {name}"))
        try:
            part = trace.part(f"board {name}", f"left {name}")
            check_board(sections[-1], run, name, part)
        except TraceError as error:
            sections[-1].none("faults of the trace", [error])
    return sections


def check_board(section, run, name, part):
    chip, events = decode(run.boards[name], part), run.events("pushes", name)
    lamp = [edge for edge in part.edges(run.line(name)) if edge.level]
    width = len(chip.faces[-1][1]) if chip.faces else 0
    pushes = [(event["uptimeMicroseconds"] * 1000, event["number"]) for event in events
              if event["event"] == "badge" and event.get("push") and event["number"]]
    lamps, faces, missing = [], [], []
    for place, (accepted, badge) in enumerate(pushes):
        until = pushes[place + 1][0] if place + 1 < len(pushes) else accepted + 10**9
        edge = next((edge.nanoseconds for edge in lamp if accepted <= edge.nanoseconds < until), None)
        text = str(badge).rjust(width)
        face = next((time for time, shown in chip.faces if accepted <= time < until and shown == text), None)
        if edge is None or face is None:
            missing.append(f"badge {badge}: {'no lamp' if edge is None else 'not shown'}")
            continue
        lamps.append((edge - accepted) / 1e6)
        faces.append((face - accepted) / 1e6)
    section.at_least("pushes", len(pushes), FEWEST.get(name, FEWEST_ELSEWHERE))
    section.none("not shown", missing)
    if lamps:
        spread(section, "push → lamp", lamps, LAMP_P99_MILLISECONDS)
        spread(section, "push → whole number", faces, None)
    section.none("against the data sheet", wire_errors(chip))
    if chip.timing:
        for what, (limit, place) in chip.timing.limits.items():
            if what in chip.timing.shortest:
                section.at_least(f"{what} ({place})", chip.timing.shortest[what], limit, " ns")
    if chip.scan:
        section.equal("ghosts", chip.scan.ghosts, 0)
    check_events(section, events, lamp, chip)


def spread(section, what, values, limit):
    section.note(f"{what}, p50", f"{percentile(values, 50):.3f} ms")
    if limit:
        section.at_most(f"{what}, p99", percentile(values, 99), limit, " ms")
    else:
        section.note(f"{what}, p99", f"{percentile(values, 99):.3f} ms")
    section.note(f"{what}, longest", f"{max(values):.3f} ms")


def check_events(section, events, lamp, chip):
    """Checks events for a test bench: they have the time of the light, not of the request."""
    differences = []
    # The events have the first light of a frame's last digit, the decoder its last.
    limit = EVENT_P95_MILLISECONDS
    if chip.scan and chip.scan.turns:
        limit += percentile([after - before for before, after, _, _ in chip.scan.turns], 50) / 1e6
    for event in events:
        time = event["uptimeMicroseconds"] * 1000
        if event["event"] == "lamp" and event["lit"]:
            differences.append(nearest(time, [edge.nanoseconds for edge in lamp]))
        elif event["event"] == "display":
            differences.append(nearest(time, [at for at, text in chip.faces if text == event["text"]]))
    section.at_least("events of lamp and display", len(differences), FEWEST_ELSEWHERE)
    if differences:
        section.at_most("events against the kernel, p95", percentile(differences, 95) / 1e6, limit, " ms")
        section.note("events against the kernel, longest", f"{max(differences) / 1e6:.3f} ms")


def nearest(time, times):
    return min((abs(time - other) for other in times), default=10**12)
