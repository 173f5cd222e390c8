"""Chips that cease to answer are reported with advice, and badges are drawn nevertheless; and the keys of a TM1638."""

from Tests.Hardware.decoders import decode

BACKPACK = "(24 bytes not acknowledged): check the supply"
# The report of each board: every byte to the silent chip was examined, and no byte to another one is counted.
REPORTS = {
    "raspberry-pi-4": "the TM1637 does not answer (7 bytes not acknowledged): check its supply",
    "raspberry-pi-4-ht16k33": f"the HT16K33 at 0x70 does not answer {BACKPACK}",
    "raspberry-pi-4-ht16k33-8": f"the HT16K33 at 0x71 does not answer {BACKPACK}",
    "raspberry-pi-4-ht16k33-alphanumeric": f"the HT16K33 at 0x70 does not answer {BACKPACK}",
    "raspberry-pi-4-tm1650": "the TM1650 does not answer (10 bytes not acknowledged): check its supply",
    "raspberry-pi-4-tm1638": "the TM1638 does not answer: check its supply",
}
BADGES = ["12", "34", "56", "78"]


def check(run):
    section = run.section("answering", "Chips that cease to answer, and keys")
    trace = run.trace("answering")
    for name, report in REPORTS.items():
        events = run.events("answering", name)
        part = trace.part(f"board {name}", f"left {name}")
        faces = [text.strip() for _, text in decode(run.boards[name], part).faces]
        section.equal(f"{name}: badges", [badge for badge in BADGES if badge in faces], BADGES)
        begin, end = (part.mark(f"{word} {name}") for word in ("silent", "answers"))
        lost = [event for event in events if event["event"] == "device-lost"]
        section.equal(f"{name}: reports while it is silent, and at other times", [
            sum((begin <= event["uptimeMicroseconds"] * 1000 < end) == is_silent for event in lost)
            for is_silent in (True, False)], [1, 0])
        section.none(f"{name}: other words", [event["problem"] for event in lost if report not in event["problem"]])
        section.equal(f"{name}: keys", buttons(events), [])
        states = [state(run.text("answering", f"{name}.{when}")) for when in ("before", "silent", "after")]
        section.equal(f"{name}: the display's state", states[:2], ["works", "does not work"])
        section.note(f"{name}: when it answers again", states[2])
    section.equal("keys 2 and 1 of the TM1638", buttons(run.events("answering", "keys")), ["close", "view"])
    return section


def buttons(events):
    """Returns the buttons that did something: to an alert, or without one."""
    return [event["button"] for event in events if "button" in event]


def state(text):
    """Returns what `deskbell state` says of the display in its list of devices, without the reason."""
    lines = [line.split(maxsplit=1)[1] for line in text.splitlines() if line.startswith("display ")]
    return lines[-1].split(":")[0]
