"""Measurements and their goals; a table for people, and the exit code."""

from dataclasses import dataclass, field


@dataclass
class Row:
    what: str
    value: str
    goal: str = ""
    # None if there is no goal.
    is_met: bool | None = None


@dataclass
class Section:
    """The report of one scenario."""

    title: str
    rows: list = field(default_factory=list)

    def note(self, what, value):
        """Adds a figure without a goal."""
        self.rows.append(Row(what, str(value)))

    def at_most(self, what, value, limit, unit=""):
        self.rows.append(Row(what, f"{number(value)}{unit}", f"≤ {number(limit)}{unit}", value <= limit))

    def at_least(self, what, value, limit, unit=""):
        self.rows.append(Row(what, f"{number(value)}{unit}", f"≥ {number(limit)}{unit}", value >= limit))

    def equal(self, what, value, expected):
        self.rows.append(Row(what, str(value), f"= {expected}", value == expected))

    def none(self, what, faults):
        """Adds the faults, of which there must be none; the first few are named."""
        faults = list(faults)
        shown = "none" if not faults else f"{len(faults)}: " + "; ".join(map(str, faults[:3]))
        self.rows.append(Row(what, shown, "none", not faults))


def number(value):
    return f"{value:,.3f}".rstrip("0").rstrip(".") if isinstance(value, float) else f"{value:,}"


def percentile(values, share):
    """Returns the smallest value that this share of them does not exceed."""
    ordered = sorted(values)
    return ordered[max(0, -(-len(ordered) * share // 100) - 1)]


def text(sections):
    lines = []
    for section in sections:
        lines += ["", section.title, "-" * len(section.title)]
        width = max([len(row.what) for row in section.rows], default=0)
        values = max([min(len(row.value), 40) for row in section.rows], default=0)
        for row in section.rows:
            verdict = {None: "", True: "ok", False: "MISSED"}[row.is_met]
            lines.append(f"  {row.what:<{width}}  {row.value:<{values}}  {row.goal:<12} {verdict}".rstrip())
    return "\n".join(lines).lstrip("\n") + "\n"


def missed(sections):
    return [f"{section.title}: {row.what}: {row.value}, goal {row.goal}"
            for section in sections for row in section.rows if row.is_met is False]
