"""One measurement: some attacks, the neighbours, and the state of the daemon afterwards."""

import contextlib
import dataclasses
import multiprocessing
import statistics
import time
from collections import Counter
from dataclasses import dataclass

from Tests.Clients.hostile.neighbours import LETTER, TOO_LARGE
from Tests.Clients.hostile.rig import FETCHER, QUICK_PROGRAM
from Tests.Clients.hostile.target import Outcome
from Tests.support.appliance import new_id

# The least time that the neighbours continue, and the time in which memory may be returned.
BESIDE_SECONDS = 0.8
SETTLE_SECONDS, LITTLE_MEGABYTES = 8, 4
# More than the time that a program which ignores SIGTERM takes to end.
PROGRAM_SECONDS = 5
CONTROL_LOST = "an answer of the control socket in time"


@dataclass
class Waiting:
    """A neighbour's waiting times in milliseconds."""
    count: int
    p50: float
    p99: float
    longest: float

    @classmethod
    def of(cls, seconds):
        ordered = sorted(1_000 * each for each in seconds)
        if not ordered:
            return cls(0, 0, 0, 0)
        return cls(len(ordered), statistics.median(ordered), ordered[(99 * len(ordered) - 1) // 100], ordered[-1])


@dataclass
class Row:
    name: str
    kind: str
    who: str
    outcome: Outcome
    # The provider's own connection, new ones, and those of a user of the attacked service.
    kept: Waiting
    fresh: Waiting
    service_kept: Waiting | None
    service_fresh: Waiting | None
    refusals: dict
    # The neighbour's losses: explanations, and recognition of a repeated push.
    lost: list
    # A neighbour's program's waiting time in seconds; None if it did not run.
    program_seconds: float | None
    # Memory in megabytes.
    grown: float
    left: float
    # Bytes, seconds of processor time, events.
    written: int
    stored: int
    processor: float
    events: int
    # Memory of the attacker's programs while they ran; and processes left after their app was removed.
    program_megabytes: float
    escaped: int
    # Bytes written for each of the attacker's requests, without any other requests.
    written_each: float | None = None


def attempt(run, target):
    with contextlib.ExitStack() as opened:
        return run(dataclasses.replace(target, opened=opened))


def in_process(run, target, results):
    try:
        results.put(attempt(run, target))
    except Exception as error:  # Whatever it was, it belongs into the table.
        results.put(Outcome(None, f"failed: {type(error).__name__} {error}"))


class Attackers:
    """The processes of the attacks, one for each. They are always ended."""

    def __init__(self, pairs):
        self.queues = [multiprocessing.Queue() for _ in pairs]
        self.processes = [
            multiprocessing.Process(target=in_process, args=(attack.run, target, queue), daemon=True)
            for (attack, target), queue in zip(pairs, self.queues)]

    def __enter__(self):
        for process in self.processes:
            process.start()
        return self

    def __exit__(self, *_):
        for process in self.processes:
            process.kill()
            process.join()
            process.close()

    def wait(self, meanwhile):
        """Returns the attacks' outcomes; `meanwhile` is called all the time."""
        while any(process.is_alive() and queue.empty() for process, queue in zip(self.processes, self.queues)):
            meanwhile()
            # So often figures are taken.
            time.sleep(0.05)
        return [queue.get(timeout=5) if process.is_alive() or not queue.empty() else Outcome(None, "its process ended")
                for process, queue in zip(self.processes, self.queues)]


class Witness:
    """The neighbour's pushes from before the attack, to be looked up afterwards."""

    def __init__(self, rig, provider):
        self.rig, self.provider = rig, provider
        self.accepted, self.refused = new_id(), new_id()
        statuses = provider.push(LETTER, self.accepted), provider.push(TOO_LARGE, self.refused)
        assert statuses == (200, 413), statuses
        self.rulings = rig.explanation(self.accepted)["rulings"]
        self.reason = self.reason_of_refusal()
        assert self.rulings and self.reason, "the daemon cannot explain a push that it just answered"
        if rig.knows_pushes is None:
            probe = new_id()
            provider.push(LETTER, probe)
            rig.knows_pushes = self.is_known(probe)

    def reason_of_refusal(self):
        explanation = self.rig.explanation(self.refused)
        return [event.get("reason") for event in explanation["events"]] if explanation else None

    def lost(self):
        """Returns the names of the losses."""
        found = []
        before = self.rig.explanation(self.accepted)
        if before is None or before["rulings"] != self.rulings:
            found.append("the accepted push from before")
        if self.reason_of_refusal() != self.reason:
            found.append("the refused push from before")
        pushes = self.provider.pushes
        for identifier in {*pushes[:1], *pushes[len(pushes) // 2:][:1], *pushes[-1:]}:
            during = self.rig.explanation(identifier)
            if during is None or not during["rulings"] or during["events"][0]["event"] != "accepted":
                found.append("a push from during the attack")
                break
        if self.rig.knows_pushes and not self.is_known(self.accepted):
            found.append("that a push is the same again")
        return found

    def is_known(self, identifier):
        """Returns true if the push, sent once more, is recognised as a duplicate."""
        self.provider.push(LETTER, identifier)
        again = self.rig.explanation(identifier)
        return again is not None and "duplicate" in [event["event"] for event in again["events"]]


class ProgramBeside:
    """A background update for a neighbour's program, and its duration by the daemon's own clock."""

    def __init__(self, rig, provider):
        self.rig = rig
        self.push = new_id()
        fields = rig.appliance.fields(
            ("apns-push-type", "background"), ("apns-priority", "5"), ("apns-id", self.push),
            token=rig.install(FETCHER, QUICK_PROGRAM), topic=FETCHER)
        with provider.connect() as wire:
            status = wire.push(fields, b'{"aps":{"content-available":1}}')
        assert status == 200, f"the update for the neighbour's program was answered {status}"

    def seconds(self):
        events = self.rig.explanation(self.push)["events"]
        moments = {event["event"]: event["uptimeMicroseconds"] for event in events}
        if "completed" not in moments:
            return None
        return (moments["completed"] - moments["accepted"]) / 1e6


@dataclass
class Usage:
    resident: float
    written: int
    stored: int
    processor: float

    @classmethod
    def of(cls, rig):
        return cls(rig.resident(), rig.written(), rig.stored(), rig.processor())

    def since(self, before):
        return Usage(*(now - then for now, then in zip(dataclasses.astuple(self), dataclasses.astuple(before))))


class Peak:
    """The highest figures seen."""

    def __init__(self, rig, has_programs):
        self.rig, self.has_programs = rig, has_programs
        self.resident, self.programs = rig.resident(), 0.0

    def look(self):
        self.resident = max(self.resident, self.rig.resident())
        if self.has_programs:
            self.programs = max(self.programs, sum(self.rig.processes().values()))


def measure(rig, pairs, settles=True):
    """Runs the attacks, pairs of an attack and its target, at the same time; returns a row for each."""
    attack, _ = pairs[0]
    with contextlib.ExitStack() as prepared:
        pairs = [(each, dataclasses.replace(target, **(
            prepared.enter_context(each.prepare(rig)) if each.prepare else {}))) for each, target in pairs]
        provider, beside = rig.provider(), rig.beside(attack.kind)
        witness, program = Witness(rig, provider), None
        before, last_event = Usage.of(rig), rig.last_event()
        peak = Peak(rig, attack.prepare is not None)
        started = time.monotonic()
        with provider, beside or contextlib.nullcontext(), Attackers(pairs) as attackers:
            if attack.prepare:
                # By then the attack's programs run. Only their own output would tell, which the attack may withhold.
                time.sleep(0.5)
                program = ProgramBeside(rig, provider)
            outcomes = attackers.wait(peak.look)
            # The neighbours need enough requests for a 99th percentile.
            time.sleep(max(0.2, BESIDE_SECONDS - (time.monotonic() - started)))
            peak.look()
        used = Usage.of(rig).since(before)
        try:
            lost, events = witness.lost(), rig.last_event() - last_event
            program_seconds = program.seconds() if program else None
        except TimeoutError:
            lost, events, program_seconds, rig.is_stuck = [CONTROL_LOST], 0, None, True
    escaped = 0
    if attack.prepare:
        escaped = left_behind(rig)
        rig.appliance.run("app", "uninstall", FETCHER)
    left = settle(rig, before.resident) if settles else 0
    refusals = Counter(provider.refusals)
    if beside:
        refusals.update({f"{attack.kind}: {what}": count for what, count in beside.refusals.items()})
    return [Row(
        each.name, each.kind, target.who, outcome, Waiting.of(provider.kept), Waiting.of(provider.fresh),
        Waiting.of(beside.kept) if beside else None, Waiting.of(beside.fresh) if beside else None,
        {str(what): count for what, count in refusals.items()}, lost, program_seconds, peak.resident - before.resident,
        left, used.written, used.stored, used.processor, events, peak.programs, escaped)
        for (each, target), outcome in zip(pairs, outcomes)]


def left_behind(rig):
    """Returns the number of processes left from programs of removed apps, once they have had time to end."""
    started = time.monotonic()
    while (count := len(rig.processes())) and time.monotonic() - started < PROGRAM_SECONDS:
        # They are the daemon's children, not this program's, which the kernel would not tell of their end.
        time.sleep(0.05)
    return count


def settle(rig, before):
    """Returns the megabytes that remain. Closing the last connections and returning memory takes seconds."""
    left, started, changed = rig.resident() - before, time.monotonic(), time.monotonic()
    # A small remainder that no longer shrinks is accepted.
    while left > 1 and time.monotonic() - started < SETTLE_SECONDS and (
            left > LITTLE_MEGABYTES or time.monotonic() - changed < 0.5):
        # The kernel has a process's memory to read, and no event of its change.
        time.sleep(0.1)
        now = rig.resident() - before
        if now < left - 0.1:
            changed = time.monotonic()
        left = min(left, now)
    return max(left, 0)


def written_each(rig, attack, target):
    """Returns the bytes written per request of an attack without other clients; None if it made no requests."""
    # By now everything reported before has been written.
    time.sleep(0.3)
    # The daemon would close this connection meanwhile.
    rig.control.close()
    before = rig.written()
    with Attackers([(attack, target)]) as attackers:
        outcome, = attackers.wait(lambda: None)
    return (rig.written() - before) / outcome.requests if outcome.requests else None
