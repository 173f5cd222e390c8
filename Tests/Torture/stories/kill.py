"""`kill -9` under load, during start and during stop. Unanswered pushes are sent again, and count once."""

import signal
import time

from Tests.Torture.checker import Losses, check, check_badge, check_rows
from Tests.Torture.load import Ledger, Pusher, send_all
from Tests.Torture.target import Follower, Target
from Tests.support.report import Section

GOAL = 1_000
SHARE = 0.25
# The journal of events has 100,000: before it drops any, a fresh state directory takes over.
PUSHES = 15_000
# The limit at the end: during disk faults, thousands are answered 503.
AGAIN = 1_000


def play(torture):
    section, total, kills, pushes, answered = Section("kill -9 under load"), Losses(), 0, 0, 0
    while torture.goes_on(kills, GOAL):
        with Target(torture.template) as target:
            life = Life(target, torture.random)
            while torture.goes_on(kills, GOAL) and len(life.ledger.pushes) < PUSHES:
                life.live()
                kills += 1
                torture.progress(kills, GOAL, life.losses)
            total.add(life.end())
            pushes += len(life.ledger.pushes)
            answered += len(life.ledger.answered())
    section.at_least("kills", kills, torture.goal(GOAL))
    section.note("pushes sent", pushes)
    section.note("answered 200", answered)
    total.report(section)
    return [section]


class Life:
    """One state directory, and every daemon that was killed on it."""

    def __init__(self, target, random):
        self.target, self.random, self.ledger = target, random, Ledger(random)
        self.losses, self.seen, self.events = Losses(), [], []

    def live(self):
        """Runs a daemon from a start to a kill."""
        random, target = self.random, self.target
        if random.random() < 0.1:
            # The moment of a kill is random: before it has even started, …
            target.launch()
            time.sleep(random.uniform(0, 0.06))
            target.kill()
            return
        target.start()
        self.catch_up()
        follower = Follower(target, self.events[-1]["sequence"])
        pusher = Pusher(target, self.ledger, random.choice((1, 5, 20, 100)), self.ledger.unanswered())
        # … or between any two steps of its work.
        time.sleep(random.uniform(0, 0.25))
        if random.random() < 0.1:
            # The kill interrupts an orderly stop.
            target.process.send_signal(signal.SIGTERM)
            target.allowed = (0,)
            time.sleep(random.uniform(0, 0.03))
        target.kill()
        target.allowed = ()
        pusher.close()
        self.seen += follower.close()

    def catch_up(self):
        """Reads new events, and compares all of them."""
        self.events += self.target.events(self.events[-1]["sequence"] if self.events else 0)
        self.losses.add(check(self.ledger, self.events, self.seen))
        self.losses.add(check_badge(self.ledger, self.events, self.target.ask("/v1/state")))
        self.seen.clear()

    def kill(self):
        """Reads new events, and kills the daemon."""
        self.catch_up()
        self.target.kill()

    def end(self):
        """Starts once more: unanswered pushes are answered now, and all is read again. Returns all losses."""
        target = self.target
        target.start()
        statuses = send_all(target, [*self.ledger.unanswered()[-AGAIN:], self.ledger.new()])
        self.events = target.events()
        self.losses = check(self.ledger, self.events) if self.losses.count == 0 else self.losses
        rung = sum(1 for event in self.events if event["event"] == "presented" and event.get("sound"))
        if target.played() > rung:
            self.losses.other.append(f"{target.played()} sounds were played, of {rung} pushes")
        if statuses != [200] * len(statuses):
            self.losses.other.append(f"pushes that were sent again were answered {sorted(set(statuses))}")
        target.stop()
        self.losses.add(check_rows(self.events, target.state / "deskbell.sqlite"))
        return self.losses
