"""Kills parts of a fleet while providers push, and compares the answers with the desks' events.

  Tests/Fleet/run.sh storm --minutes 10
  Tests/Fleet/run.sh storm --minutes 1 --daemons 2 --desks 3 --handsets 4 --seed 7
"""

import argparse
import json
import random
import sys
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

from Tests.Fleet.administrator import stream_leader
from Tests.Fleet.rig import Fleet, alert
from Tests.Fleet.servers import CACHE
from Tests.support.appliance import APP, new_id
from Tests.support.http2_client import Connection, Post
from Tests.support.project import PATIENCE_SECONDS

# The logs of a storm that lost something.
RESULTS = CACHE / "storm"
# The pushes a second to one desk, and with them the number waiting for one handset while its desk is away.
PACE = 10
# The time for the desks to receive everything waiting, once all of them run again.
SETTLING_SECONDS = 120


@dataclass(eq=False)
class Push:
    number: int
    desk: str
    handset: str
    token: str
    id: str = field(default_factory=new_id)
    acknowledged: float | None = None
    tries: int = 0


class Provider(threading.Thread):
    """A provider of some desks: pushes to each desk one after the other, each again until it is answered 200."""

    def __init__(self, gateways, targets, seed):
        """`targets`: by desk, its handsets' names and tokens."""
        super().__init__(daemon=True)
        self.gateways, self.targets, self.random = gateways, targets, random.Random(seed)
        self.pushes, self.statuses, self.failure = [], Counter(), None
        self.stopping = threading.Event()
        self.place = seed
        self.due = dict.fromkeys(targets, 0.0)
        self.open = dict.fromkeys(targets)
        self.bearer, self.made = None, 0

    def run(self):
        try:
            while not self.is_over():
                self.place += 1
                gateway = self.gateways[self.place % len(self.gateways)]
                try:
                    self.push_through(gateway)
                except OSError:
                    # The gateway is down, or its connection broke.
                    self.stopping.wait(0.02)
        except Exception as error:
            self.failure = error

    def is_over(self):
        return self.stopping.is_set() and not any(self.open.values())

    def push_through(self, gateway):
        with Connection(gateway.port, gateway.ca) as connection:
            connection.socket.settimeout(0.02)
            while connection.is_open and not connection.is_leaving and not self.is_over():
                now = time.monotonic()
                busy = {post.key.desk for post, _, _ in connection.waiting.values()}
                for desk in self.targets:
                    if desk in busy or now < self.due[desk] or connection.free <= 0:
                        continue
                    push = self.open[desk] or (None if self.stopping.is_set() else self.new(desk))
                    if push is None:
                        continue
                    self.open[desk] = push
                    self.due[desk] = now + 1 / PACE
                    push.tries += 1
                    connection.send(self.request(gateway, push))
                connection.flush()
                self.receive(connection)
                self.note(connection)

    def receive(self, connection):
        try:
            data = connection.socket.recv(65_536)
        except TimeoutError:
            return
        connection.take(data)

    def new(self, desk):
        handset, token = self.random.choice(self.targets[desk])
        push = Push(len(self.pushes), desk, handset, token)
        self.pushes.append(push)
        return push

    def request(self, gateway, push):
        if time.monotonic() - self.made > 1_200 or not self.bearer:
            self.bearer, self.made = gateway.bearer(), time.monotonic()
        fields = gateway.fields(("apns-id", push.id), token=push.token, bearer=self.bearer)
        return Post(fields, alert(f"{push.desk} {push.number}").encode(), push)

    def note(self, connection):
        for post, status, _, body in connection.answers:
            self.statuses[status] += 1
            if status == 200:
                post.key.acknowledged = time.monotonic()
                self.open[post.key.desk] = None
            elif status != 503:
                raise AssertionError(f"a push to {post.key.handset} was answered {status} {body}")
        connection.answers.clear()


KINDS = ["kill_leader", "kill_gateway", "kill_desks", "kill_all_servers"]


class Storm:
    """The faults made in the fleet, one after the other."""

    def __init__(self, fleet, gateways, daemons, rng):
        self.fleet, self.gateways, self.daemons, self.random = fleet, gateways, daemons, rng
        self.done = []

    def kill_leader(self):
        self.kill_and_start(stream_leader(self.fleet))

    def kill_gateway(self):
        self.kill_and_start(self.random.choice(self.gateways))

    def kill_desks(self):
        self.kill_and_start(self.random.choice(self.daemons))

    def kill_all_servers(self):
        self.fleet.kill_servers()
        self.fleet.start_servers()

    def kill_and_start(self, part):
        part.kill()
        # The time without it is random, as are its pauses between faults.
        time.sleep(self.random.uniform(0, 2))
        part.start()

    def run(self, until):
        """Makes all kinds of faults in turn, then at random."""
        kinds = [getattr(self, name) for name in KINDS]
        number = 0
        while time.monotonic() < until:
            kind = kinds[number] if number < len(kinds) else self.random.choice(kinds)
            number += 1
            began = time.monotonic()
            kind()
            self.done.append((kind.__name__, began, time.monotonic()))
            print(f"{int(until - time.monotonic()):>5} s left, {number} kills, last: {kind.__name__}", flush=True)
            time.sleep(self.random.uniform(4, 12))


def outcomes(daemon):
    """Returns the events, in order, of each push that the daemon's handsets have."""
    found = {}
    for handsets in daemon.handsets.values():
        for handset in handsets:
            for event in daemon.handset_events(handset):
                if "push" in event:
                    found.setdefault(event["push"].lower(), []).append((handset, event))
    return found


ENDS = ("presented", "not-presented", "discarded")


def judge(pushes, found):
    """Returns the faults found; empty if there are none."""
    faults = []
    order = {}
    for push in pushes:
        events = found.get(push.id, [])
        names = [event["event"] for _, event in events]
        if push.acknowledged is None:
            if len([name for name in names if name == "presented"]) > 1:
                faults.append(f"{push.id} was never acknowledged, and rang {names.count('presented')} times")
            continue
        if names.count("accepted") != 1 or sum(names.count(name) for name in ENDS) != 1:
            faults.append(f"{push.id} to {push.handset} (number {push.number}, {push.tries} tries): {names}")
            continue
        if events[0][0] != push.handset:
            faults.append(f"{push.id} to {push.handset} came to {events[0][0]}")
        accepted = next(event for _, event in events if event["event"] == "accepted")
        order.setdefault(push.desk, []).append((push.number, accepted["wallMicroseconds"], push))
    for desk, rows in order.items():
        for (first, earlier, _), (second, later, _) in zip(rows, rows[1:]):
            if earlier > later:
                faults.append(f"{desk}: push {second} was taken {earlier - later} µs before push {first}")
    return faults


def settle(pushes, daemons):
    """Waits until every acknowledged push has its outcome, and returns all events."""
    deadline = time.monotonic() + SETTLING_SECONDS
    while True:
        found = {}
        for daemon in daemons:
            # A push that rang at two daemons has the events of both.
            for id, events in outcomes(daemon).items():
                found.setdefault(id, []).extend(events)
        missing = [
            push for push in pushes if push.acknowledged is not None
            and not any(event["event"] in ENDS for _, event in found.get(push.id, []))]
        if not missing or time.monotonic() > deadline:
            return found
        # The missing events may come at any of the daemons.
        time.sleep(1)


def longest_gap(pushes, began, ended):
    times = [began, *sorted(push.acknowledged for push in pushes if push.acknowledged is not None), ended]
    return max((later - earlier, earlier - began) for earlier, later in zip(times, times[1:]))


def storm(minutes, daemons=10, desks=5, handsets=10, gateways=2, seed=None):
    """Runs a storm; returns the faults and the figures."""
    seed = random.randrange(1 << 32) if seed is None else seed
    rng = random.Random(seed)
    print(f"seed {seed}: {daemons} daemons, {daemons * desks} desks, {daemons * desks * handsets} handsets", flush=True)
    with Fleet(3) as fleet:
        names = [[f"d{daemon}-{desk}" for desk in range(desks)] for daemon in range(daemons)]
        fronts = [f"front-{number}" for number in range(gateways)]
        fleet.add(*[name for row in names for name in row])
        for name in fronts:
            fleet.add(name, gateway=True)
        parts, targets = [], {}
        for row in names:
            # The first makes the provider's key.
            parts.append(fleet.desk(*row, handsets=handsets, key=parts[0].key if parts else None))
            if len(parts) == 1:
                tokens = parts[0].install(APP)
        with ThreadPoolExecutor(4) as pool:
            for found in pool.map(lambda part: part.install(APP), parts[1:]):
                tokens.update(found)
        for part in parts:
            for desk, items in part.handsets.items():
                targets[desk] = [(item, tokens[item, APP]) for item in items]
        fronts = [fleet.gateway(name, parts[0].key) for name in fronts]
        for front in fronts:
            wait_for_tokens(fleet, front, len(tokens))
        print("the fleet is ready", flush=True)
        listed = list(targets)
        providers = [
            Provider(fronts, {desk: targets[desk] for desk in listed[place::5]}, place) for place in range(min(5, len(listed)))]
        began = time.monotonic()
        for provider in providers:
            provider.start()
        weather = Storm(fleet, fronts, parts, rng)
        weather.run(began + 60 * minutes)
        ended = time.monotonic()
        for provider in providers:
            provider.stopping.set()
        for provider in providers:
            provider.join(PATIENCE_SECONDS)
            if provider.failure:
                raise provider.failure
            assert not provider.is_alive(), "a push was not answered within a minute after the last kill"
        pushes = [push for provider in providers for push in provider.pushes]
        found = settle(pushes, parts)
        faults = judge(pushes, found)
        if faults:
            keep_logs(fleet, parts + fronts)
    gap, at = longest_gap(pushes, began, ended)
    acknowledged = [push for push in pushes if push.acknowledged is not None]
    words = [event["event"] + (f" ({event['reason']})" if "reason" in event else "")
             for push in acknowledged for _, event in found.get(push.id, []) if event["event"] in ENDS]
    figures = {
        "seed": seed, "pushes": len(pushes), "acknowledged": len(acknowledged),
        "answers": sum((provider.statuses for provider in providers), Counter()),
        "sent again": sum(push.tries > 1 for push in pushes), "kills": Counter(kind for kind, *_ in weather.done),
        "outcomes": dict(sorted(Counter(words).items())),
        "longest gap without an acknowledgement, s": round(gap, 2),
        "in it": [kind for kind, start, _ in weather.done if began + at - 1 <= start <= began + at + gap],
        "acknowledged a second": round(len(acknowledged) / (ended - began), 1),
    }
    return faults, figures


def keep_logs(fleet, parts):
    """Keeps the output of every part since its last start, and the servers' state."""
    RESULTS.mkdir(parents=True, exist_ok=True)
    (RESULTS / "list.json").write_text(fleet.command("list", "--json", check=False).stdout)
    for part in parts:
        (RESULTS / f"{'-'.join(part.names)}.log").write_text("\n".join(part.errors) + "\n")
    for server in fleet.servers:
        (RESULTS / f"{server.name}.log").write_text("\n".join(server.lines) + "\n")


def wait_for_tokens(fleet, front, count):
    """Waits until the gateway has that many tokens."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < deadline:
        report = fleet.report("list")
        found = next((item for item in report["gateways"] if item["name"] == front.name), {})
        if found.get("tokens") == count:
            return
    raise AssertionError(f"{front.name} does not know {count} tokens: {report}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--daemons", type=int, default=10)
    parser.add_argument("--desks", type=int, default=5, help="of each daemon")
    parser.add_argument("--handsets", type=int, default=10, help="of each desk")
    parser.add_argument("--seed", type=int)
    words = parser.parse_args()
    faults, figures = storm(words.minutes, words.daemons, words.desks, words.handsets, seed=words.seed)
    for fault in faults[:50]:
        print(fault)
    print(json.dumps(figures, indent=2))
    print(f"{len(faults)} faults")
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
