"""The cost of many handsets in one daemon, beside one: memory, the time of a start, and the processor's time of a push.
Fails where 500 handsets with five apps each cost more than they may.

$DESKBELL names the program, $PUSH_COST the one that makes state directories."""

import argparse
import os
import random
import statistics
import subprocess
import sys

from Benchmarks.measure import PAYLOAD, resident_megabytes, start
from Tests.support.appliance import Appliance
from Tests.support.http2_client import Connection, Post
from Tests.support.project import ROOT
from Tests.support.usage import nanoseconds

PUSH_COST = os.environ.get("PUSH_COST", str(ROOT / ".build/release/push-cost"))
APPS = 5
MOST_MEGABYTES, MOST_SECONDS, MOST_FACTOR = 60, 0.3, 1.5


class Daemon:
    """One with so many handsets, each with the same apps."""

    def __init__(self, handsets):
        self.handsets = handsets
        self.appliance = Appliance(board=None)
        made = subprocess.run(
            [PUSH_COST, "handsets", "--handsets", str(handsets), "--apps", str(APPS), str(self.appliance.state)],
            capture_output=True, text=True, check=True).stdout.splitlines()
        self.tokens = [(token, f"com.example.app{place % APPS}") for place, token in enumerate(made)]
        settings = self.appliance.folder / "settings.yaml"
        settings.write_text(f"handsets: {handsets}\nlimits: {{ requests-per-second: 0 }}\n")
        self.appliance.options += ["--config", str(settings)]
        # The first start makes certificates.
        start(self.appliance)
        self.starts = [start(self.appliance)[0] for _ in range(5)]
        self.appliance.start()
        self.appliance.add_provider(*[f"com.example.app{number}" for number in range(APPS)])
        self.rounds = []

    def push(self, count, streams):
        """µs of a push, all threads of the daemon together."""
        bearer = self.appliance.bearer()
        posts = []
        for token, app in random.choices(self.tokens, k=count):
            fields = (
                (":method", "POST"), (":scheme", "https"), (":authority", "localhost"),
                (":path", f"/3/device/{token}"), ("apns-topic", app), ("authorization", f"bearer {bearer}"))
            posts.append(Post(fields, PAYLOAD.encode()))
        pid = self.appliance.process.pid
        with Connection(self.appliance.port, self.appliance.ca) as connection:
            # The first on a connection, with the provider's token to be verified.
            connection.exchange(posts[:1])
            before = nanoseconds(pid)
            answers = connection.exchange(posts, streams=streams)
            spent = nanoseconds(pid) - before
        assert len(answers) == count and {status for _, status, _, _ in answers} == {200}, "not all were answered 200"
        return spent / count / 1000

    def resident(self):
        return resident_megabytes(self.appliance.process.pid)

    def stop(self):
        self.appliance.stop()
        self.appliance.folder_handle.cleanup()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--handsets", type=int, default=500)
    parser.add_argument("--pushes", type=int, default=5_000, help="in each round")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--streams", type=int, default=100, help="pushes that wait for their answers at a time")
    options = parser.parse_args()
    daemons = [Daemon(1), Daemon(options.handsets)]
    problems = []
    try:
        for daemon in daemons:
            print(f"{daemon.handsets:5} handsets: {daemon.resident():5.1f} MB resident, "
                  f"start {statistics.median(daemon.starts) * 1000:4.0f} ms", flush=True)
        for _ in range(options.rounds):
            for daemon in daemons:
                daemon.rounds.append(daemon.push(options.pushes, options.streams))
        costs = [statistics.median(daemon.rounds) for daemon in daemons]
        for daemon, cost in zip(daemons, costs):
            print(f"{daemon.handsets:5} handsets: {cost:5.1f} µs a push, {cost / costs[0]:4.2f}; "
                  f"{daemon.resident():5.1f} MB after {options.rounds * options.pushes} pushes", flush=True)
        most = daemons[-1]
        for what, value, limit in [
                ("MB resident", most.resident(), MOST_MEGABYTES),
                ("s to start", statistics.median(most.starts), MOST_SECONDS),
                ("times the cost of a push to one handset", costs[-1] / costs[0], MOST_FACTOR)]:
            if value > limit:
                problems.append(f"{most.handsets} handsets: {value:.2f} {what}, and {limit} is the most")
    finally:
        for daemon in daemons:
            daemon.stop()
    for problem in problems:
        print(problem, file=sys.stderr)
    return bool(problems)


if __name__ == "__main__":
    sys.exit(main())
