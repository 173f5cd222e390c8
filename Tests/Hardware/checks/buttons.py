"""Presses of buttons that bounce, the motor, and a line that another program held."""


BOARD = "raspberry-pi-4-buttons"
# `VibrationPattern.pulse`.
PULSE_MILLISECONDS = 400
# The first retry of a busy line, and a client's time to ask for the state.
REGAINED_MILLISECONDS = 2_000


def check(run):
    section = run.section("buttons", "Buttons, the switch and the motor")
    section.equal("5 presses of close, down and up with 10 edges of bounce each", buttons(run, "close"), ["close short"] * 5)
    section.equal("one of 1.3 s, one of 0.2 s", buttons(run, "long"), ["close long", "close short"])
    moved = [event["on"] for event in run.events("buttons", "silent") if event["event"] == "condition"]
    section.equal("the switch there and back", moved, [True, False])

    trace = run.trace("buttons")
    line = run.line(BOARD, "motor")
    begin, end = trace.mark("vibrate"), trace.mark("vibrated")
    edges = [edge for edge in trace.edges(line) if begin <= edge.nanoseconds < end]
    section.equal("edges of the motor", [edge.level for edge in edges], [1, 0])
    if len(edges) == 2:
        length = (edges[1].nanoseconds - edges[0].nanoseconds) / 1e6
        section.at_least("it runs for", length, float(PULSE_MILLISECONDS), " ms")
        section.at_most("and no longer than", length, PULSE_MILLISECONDS + 5.0, " ms")
    regained = (trace.mark("regained") - trace.mark("released")) / 1e6
    section.at_most("a line that was another's is used again after", regained, REGAINED_MILLISECONDS, " ms")
    return section


def buttons(run, name):
    return [f"{event['button']} {event['press']}" for event in run.events("buttons", name)
            if event["event"] == "button"]
