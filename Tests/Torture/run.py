"""Torture: the daemon as shipped is killed, cut off, starved and lied to, and each push is accounted for.

    python -m Tests.Torture.run     an hour: every story, with the counts required for a release
    … --minutes 2                   the same stories, shorter
    … --only kill --seed 7          one of them

The daemon is .build/release/deskbell, or $DESKBELL. The report goes to .build/torture (report.txt, report.json) and to
standard output; the exit code is 1 if anything was lost. README.md describes the stories.
"""

import argparse
import dataclasses
import importlib
import json
import random
import shutil
import sys
import time
import traceback

from Tests.Torture import shim
from Tests.Torture.target import Template
from Tests.support import report
from Tests.support.project import ROOT

RESULTS = ROOT / ".build/torture"
STORIES = ["control", "kill", "power", "faults", "clock", "limits", "damage", "upgrade", "day"]
WHOLE = 60


class Torture:
    """A story's environment: its time, random numbers of its own, and a report of its progress."""

    def __init__(self, name, options, template, library):
        self.name, self.minutes, self.template = name, options.minutes, template
        self.library, self.results = library, RESULTS
        self.random = random.Random(f"{options.seed} {name}")
        self.story = importlib.import_module(f"Tests.Torture.stories.{name}")
        self.until = time.monotonic() + self.story.SHARE * self.minutes * 60
        self.told = 0

    def goal(self, count):
        """Returns this run's share of a whole run's count."""
        return max(1, round(count * min(1, self.minutes / WHOLE)))

    def goes_on(self, done, count):
        """Returns true until a story's time is over and its goal reached, whichever is later."""
        return done < self.goal(count) or (time.monotonic() < self.until and self.story.SHARE > 0)

    def progress(self, done, count, losses=None):
        if time.monotonic() - self.told < 5:
            return
        self.told = time.monotonic()
        lost = f", {losses.count} losses" if losses else ""
        print(f"   {self.name}: {done} of {self.goal(count)}{lost}", file=sys.stderr, flush=True)

    def play(self):
        """Runs the story; returns its sections. A story that fails is a missed goal."""
        begun = time.monotonic()
        print(f"== {self.name}", file=sys.stderr, flush=True)
        try:
            sections = self.story.play(self)
        except Exception as error:
            traceback.print_exc()
            sections = [report.Section(self.name)]
            sections[0].none("what broke it off", [f"{type(error).__name__}: {error}"])
        sections[-1].note("seconds", round(time.monotonic() - begun))
        return sections


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=WHOLE, help="of the whole run; 60 has the goals of a release")
    parser.add_argument("--only", action="append", choices=STORIES, metavar="NAME", help=f"of {', '.join(STORIES)}")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(10_000))
    parser.add_argument("--json", action="store_true", help="print the report as JSON")
    options = parser.parse_args()
    library = shim.build(RESULTS)
    for lost in RESULTS.glob("lost-*"):
        shutil.rmtree(lost)
    template = Template()
    try:
        sections = [section for name in STORIES if not options.only or name in options.only
                    for section in Torture(name, options, template, library).play()]
    finally:
        template.close()
    result = {"seed": options.seed, "minutes": options.minutes, "missed": report.missed(sections),
              "sections": [dataclasses.asdict(section) for section in sections]}
    words = f"seed {options.seed}, {options.minutes:g} minutes\n\n{report.text(sections)}"
    (RESULTS / "report.txt").write_text(words)
    (RESULTS / "report.json").write_text(json.dumps(result, indent=1) + "\n")
    print(json.dumps(result) if options.json else words)
    for line in result["missed"]:
        print(f"missed: {line}", file=sys.stderr)
    sys.exit(1 if result["missed"] else 0)


if __name__ == "__main__":
    main()
