"""The interface to libgpiod, on a chip of a real kernel."""

from Tests.support.report import Section


def check(run):
    section = Section("libgpiod's interface on a chip (CGPIOBank's probe)")
    section.none("faults", run.failures("probe"))
    section.none("errors", [line for line in run.text("probe", "log").splitlines() if "error:" in line])
    section.note("lines", next((line for line in run.text("probe", "log").splitlines() if "lines" in line), "?"))
    return section
