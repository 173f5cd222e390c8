"""Contacts that bounce act once."""

from report import Section

PRESSES = [("view", "short"), ("close", "short")] * 5 + [("close", "long")]
SWITCHES = [True, False] * 3


def check(run):
    section = Section("Buttons and the switch, each contact bouncing")
    section.none("faults", run.failures("buttons"))
    events = run.events("buttons")
    pressed = [(event["button"], event["press"]) for event in events if event["event"] == "button"]
    section.equal("presses", words(pressed), words(PRESSES))
    silent = [event["on"] for event in events if event["event"] == "condition" and event["condition"] == "silent"]
    section.equal("the switch at silent", silent, SWITCHES)
    return section


def words(presses):
    return ", ".join(f"{button} {length}" for button, length in presses)
