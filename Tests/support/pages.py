"""The commands on a page of the documentation, and their printed output."""

import re
from dataclasses import dataclass

from Tests.support.project import ROOT

# The text that varies between runs: identifiers, device tokens, dates and times, events' numbers.
VARIES = re.compile(
    r"\b[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}\b|\b[0-9a-f]{64}\b"
    r"|\d{4}-\d\d-\d\d|(?: *\d+  )?\d\d:\d\d:\d\d(\.\d+)?"
    r"|(?m:^ +\d+(?=  ))")


@dataclass
class Block:
    page: str
    line: int
    language: str
    text: str
    why_not: str | None
    printed: str | None = None

    def lines(self):
        """Yields each line with its place; continued lines are one, with the place of the first."""
        whole, first = "", None
        for number, line in enumerate(self.text.splitlines(), self.line + 1):
            first = first or number
            if line.endswith("\\"):
                whole += line[:-1]
                continue
            yield whole + line, f"{self.page}:{first}"
            whole, first = "", None

    def differing(self, printed):
        """Returns the shown and the printed text if they differ. A line with an ellipsis is any number of lines."""
        shown, printed = (VARIES.sub("#", text.rstrip("\n")) + "\n" for text in (self.printed, printed))
        form = "".join("(?:.*\n)*?" if line == "…\n" else re.escape(line) for line in shown.splitlines(True))
        return None if re.fullmatch(form, printed) else (shown, printed)


def blocks(page):
    """Returns all blocks in order. A `text` block after one of `sh` is the output of that one."""
    found, why_not, opened, is_output = [], None, None, False
    for number, line in enumerate((ROOT / page).read_text().splitlines(), 1):
        if opened is None:
            if skip := re.match(r"<!-- not run: (.+) -->$", line):
                why_not, is_output = skip[1], False
            elif begun := re.match(r"( *)```(\w+)$", line):
                opened = (number, begun[2], [])
            elif line.strip():
                why_not, is_output = None, False
        elif line.strip() == "```":
            text = "\n".join(opened[2])
            if opened[1] == "text" and is_output:
                found[-1].printed = text
            found.append(Block(page, opened[0], opened[1], text, why_not))
            is_output = opened[1] == "sh"
            opened, why_not = None, None
        else:
            opened[2].append(line.removeprefix(begun[1]))
    return found
