"""The interface to libgpiod, on a chip of a real kernel."""



def check(run):
    section = run.section("probe", "libgpiod's interface on a chip (CGPIOBank's probe)")
    section.none("errors", [line for line in run.text("probe", "log").splitlines() if "error:" in line])
    section.note("lines", next((line for line in run.text("probe", "log").splitlines() if "lines" in line), "?"))
    return section
