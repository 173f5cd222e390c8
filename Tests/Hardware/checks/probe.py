"""The interface to GPIO chips, on a chip of a real kernel."""



def check(run):
    section = run.section("probe", "the interface to GPIO on a chip (CGPIOBank's probe)")
    section.none("errors", [line for line in run.text("probe", "log").splitlines() if "error:" in line])
    section.note("lines", next((line for line in run.text("probe", "log").splitlines() if "lines" in line), "?"))
    return section
