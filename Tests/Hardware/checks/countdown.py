"""A countdown of a Live Activity: each second of its minute is on the digits, from two pushes (rule LA9)."""

from Tests.Hardware.decoders import decode
from Tests.support.report import Section

BOARDS = ["raspberry-pi-4", "raspberry-pi-4-max7219", "raspberry-pi-4-multiplexed"]
# From the second's begin to the last digit, and until the next second's.
LATE_MILLISECONDS = 20


def check(run):
    """Returns a section for each kind of display."""
    sections = [run.section("countdown", "A tea timer on the digits")]
    trace = run.trace("countdown")
    for name in BOARDS:
        display = run.boards[name]["display"]
        sections.append(Section(f"A tea timer on the digits: {display['type']}"))
        check_board(sections[-1], run, name, trace.part(f"board {name}", f"left {name}"))
    return sections


def check_board(section, run, name, part):
    events = run.events("countdown", name)
    pushes = [event for event in events if event["event"] == "accepted"]
    section.equal("pushes for it", len(pushes), 2)
    begun = pushes[0]
    # Both clocks of the board run at the same rate.
    ready = int(run.text("countdown", f"{name}.ready")) * 10**6 - begun["wallMicroseconds"] + begun["uptimeMicroseconds"]
    chip = decode(run.boards[name], part)
    has_points = any("." in text for _, text in chip.faces)
    width = len(chip.faces[-1][1])
    late, wrong = [], []
    for left in range(59, 0, -1):
        begins, ends = (ready - left * 10**6) * 1000, (ready - (left - 1) * 10**6) * 1000
        text = (f"{left // 60}.{left % 60:02}" if has_points else f"{left}")
        faces = [(time, shown.strip()) for time, shown in chip.faces if begins <= time < ends]
        right = [time for time, shown in faces if shown == text]
        if not right:
            wrong.append(f"{text}: {faces[:3]}")
            continue
        late.append((right[0] - begins) / 1e6)
        # What is shown after it stays until the next second.
        if any(shown != text for time, shown in faces if time > right[0]):
            wrong.append(f"{text}: then {faces[-1][1]}")
    section.none("seconds that were not shown", wrong)
    section.equal("seconds shown", len(late), 59)
    if late:
        section.at_most("second → its digits, longest", max(late), LATE_MILLISECONDS, " ms")
    section.note("digits", width)
