"""Runs attacks, kind by kind, each kind against a daemon of its own."""

import sys

from Tests.Clients.hostile import (  # noqa: F401  (they register their attacks)
    apps, connections, frames, keyed, panel, publishing, pushes)
from Tests.Clients.hostile import report
from Tests.Clients.hostile.measure import attempt, measure, written_each
from Tests.Clients.hostile.rig import Rig
from Tests.Clients.hostile.target import ANONYMOUS, ATTACKS, CREDENTIALS

# The number of simultaneous attacks of one kind, in the short form.
AT_ONCE = 8
# The number of requests from which the cost of each is measured.
MANY_REQUESTS = 100
KINDS = list(dict.fromkeys(attack.kind for attack in ATTACKS))


def selected(names, who):
    """Returns pairs of an attack and its credentials. Names are kinds, or parts of attacks' names."""
    return [(attack, each) for attack in ATTACKS for each in attack.who
            if (not who or each == who) and (not names or any(part in attack.name or part == attack.kind for part in names))]


def warm(rig):
    """Makes first requests, so that their one-time memory does not count as growth."""
    first = next(attack for attack in ATTACKS if "streams at once" in attack.name)
    attempt(first.run, rig.target(CREDENTIALS, 0.2, 1))


def groups(chosen, timed):
    """Returns groups to measure together: single attacks if timed, else several; all that mostly wait together."""
    if timed:
        return [[pair] for pair in chosen]
    by_kind = {kind: [pair for pair in chosen if pair[0].kind == kind and not pair[0].waits] for kind in KINDS}
    several = [pairs[at:at + AT_ONCE] for pairs in by_kind.values() for at in range(0, len(pairs), AT_ONCE)]
    return [group for group in [*several, [pair for pair in chosen if pair[0].waits]] if group]


def run_groups(chosen, seconds, timed, long_seconds):
    """Yields the rows of each group, with their attacks. One daemon serves all groups while it answers."""
    share, waiting = 1.0 if timed else 0.1, groups(chosen, timed)
    while waiting:
        with Rig(has_panel=any(attack.kind == "panel" for attack, _ in chosen)) as rig:
            warm(rig)
            while waiting and not rig.is_stuck:
                group = waiting.pop(0)
                rows = measure(rig, [(attack, rig.target(who, seconds, share)) for attack, who in group], timed)
                for row, (attack, who) in zip(rows, group):
                    if long_seconds and who == ANONYMOUS and not attack.waits and row.outcome.requests > MANY_REQUESTS:
                        row.written_each = written_each(rig, attack, rig.target(who, long_seconds, share))
                yield rows, [attack for attack, _ in group]
                if rig.appliance.process.poll() is not None:
                    raise AssertionError("the daemon has ended:\n" + "\n".join(rig.appliance.errors))


def run_all(names=(), timed=True, seconds=1.5, who=None, long_seconds=0, out=sys.stdout):
    """Runs the attacks and prints the table as it grows; returns all rows, and their faults.

    Timed, each kind has a daemon of its own."""
    every, problems, chosen = [], [], selected(names, who)
    print(report.HEAD, file=out, flush=True)
    for kinds in [[kind] for kind in KINDS] if timed else [KINDS]:
        of_kinds = [pair for pair in chosen if pair[0].kind in kinds]
        if not of_kinds:
            continue
        try:
            for rows, attacks in run_groups(of_kinds, seconds, timed, long_seconds):
                for row, attack in zip(rows, attacks):
                    print(report.line(row), file=out, flush=True)
                    problems += [f"{row.name} ({row.who}): {fault}" for fault in report.faults(row, attack, timed)]
                every += rows
        except (AssertionError, OSError) as error:
            problems.append(f"{', '.join(kinds)}: not all was measured: {type(error).__name__} {error}")
    return every, problems
