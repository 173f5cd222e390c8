"""What payloads cost that are made to cost much: processor time of the whole daemon and of its event loops for a push,
and how many times that of a plain one. Fails where one costs more than ten."""

import argparse
import statistics
import sys

from appliance import APP, Appliance
from http2_client import Connection, Post
from nasty_payloads import NASTY, PLAIN
from thread_times import nanoseconds

MOST = 10


def is_event_loop(name):
    return name.startswith("NIO-")


def run(pushes, out=sys.stdout):
    problems = []
    with Appliance(board=None, wav=False) as appliance:
        appliance.install_mailroom()
        fields = (
            (":method", "POST"), (":scheme", "https"), (":authority", "localhost"),
            (":path", f"/3/device/{appliance.token}"), ("apns-topic", APP),
            ("authorization", f"bearer {appliance.bearer()}"))
        pid = appliance.process.pid

        def cost(payload, count=pushes):
            """µs of a push: of the daemon, and of its event loops."""
            with Connection(appliance.port, appliance.ca) as connection:
                connection.exchange([Post(fields, payload)])
                before = nanoseconds(pid), nanoseconds(pid, is_event_loop)
                answers = connection.exchange([Post(fields, payload)] * count, streams=10)
                after = nanoseconds(pid), nanoseconds(pid, is_event_loop)
            statuses = {status for _, status, _, _ in answers}
            assert len(answers) == count and statuses <= {200, 400}, (len(answers), statuses)
            return *((end - start) / count / 1000 for start, end in zip(before, after)), statuses == {200}

        cost(PLAIN, 500)
        plain = [statistics.median(figures) for figures in list(zip(*(cost(PLAIN) for _ in range(3))))[:2]]
        print(f"{'a plain payload':45} {len(PLAIN):5} bytes  {plain[0]:9.0f} µs   1.0  "
              f"event loops {plain[1]:9.0f} µs   1.0", file=out, flush=True)
        for name, payload in NASTY.items():
            daemon, loops, is_taken = cost(payload)
            print(f"{name:45} {len(payload):5} bytes  {daemon:9.0f} µs {daemon / plain[0]:5.1f}  "
                  f"event loops {loops:9.0f} µs {loops / plain[1]:5.1f}{'' if is_taken else '  refused'}", file=out,
                  flush=True)
            if is_taken and daemon > MOST * plain[0]:
                problems.append(f"{name}: {daemon / plain[0]:.1f} times a plain payload's cost, of {MOST}")
    return problems


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pushes", type=int, default=200, help="of each payload")
    found = run(parser.parse_args().pushes)
    for problem in found:
        print(problem, file=sys.stderr)
    sys.exit(1 if found else 0)
