"""The cost of requests that are made to cost much: processor time of the whole daemon and of its event loops for a push,
and how many times that of a plain one; with an access key, of a plain one of its size. Fails if one costs more than ten."""

import argparse
import http.client
import json
import ssl
import statistics
import sys

from Tests.Clients.nasty_payloads import KEYED_TEXTS, LARGE, MULTIPART, NASTY, PLAIN, TREES
from Tests.support.appliance import APP, Appliance
from Tests.support.http2_client import Connection, Post
from Tests.support.usage import nanoseconds

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


def keyed_requests():
    """A way in, the name of a request, its header fields and its body."""
    texts = {"plain": "x" * (LARGE - 100), **KEYED_TEXTS}
    for name, text in texts.items():
        yield "ntfy", name, {}, text.encode()
        for way, field in (("ntfy-json", "message"), ("gotify", "message"), ("hook", "message"), ("hook", "unknown")):
            value = json.dumps({"topic": "parcels", field: text}, ensure_ascii=False).encode()
            yield way, f"{name} in JSON, {field}", {"Content-Type": "application/json"}, value
    for name, (boundary, form) in MULTIPART.items():
        for way in "gotify", "hook":
            yield way, name, {"Content-Type": f"multipart/form-data; boundary={boundary}"}, form
    for name, tree in TREES.items():
        for way in "ntfy-json", "gotify", "hook":
            yield way, name, {}, b'{"topic":"parcels","message":"x","extras":' + tree + b"}"


def run_keyed(requests, out=sys.stdout):
    problems, plain = [], {}
    with Appliance(board=None, wav=False) as appliance:
        appliance.install_mailroom()
        topic = appliance.report("topic", "add", "parcels", "--app", APP)["key"]
        hook = appliance.report("hook", "add", "ci", "--app", APP)["key"]
        paths = {"ntfy": "/parcels", "ntfy-json": "/", "gotify": "/message", "hook": f"/h/{hook}"}
        pid = appliance.process.pid
        context = ssl.create_default_context(cafile=str(appliance.ca))

        def cost(way, fields, body):
            """µs of a request: of the daemon, and of its event loops."""
            connection = http.client.HTTPSConnection("localhost", appliance.port, context=context)
            statuses = set()
            for number in range(requests + 1):
                connection.request("POST", paths[way], body, {"Authorization": f"Bearer {topic}", **fields})
                answer = connection.getresponse()
                answer.read()
                statuses.add(answer.status)
                if number == 0:
                    before = nanoseconds(pid), nanoseconds(pid, is_event_loop)
            after = nanoseconds(pid), nanoseconds(pid, is_event_loop)
            connection.close()
            return *((end - start) / requests / 1000 for start, end in zip(before, after)), statuses

        for way, name, fields, body in keyed_requests():
            daemon, loops, statuses = cost(way, fields, body)
            first = plain.setdefault(way, (daemon, loops))
            print(f"{way:10} {name:40} {len(body):7} bytes  {daemon:9.0f} µs {daemon / first[0]:6.1f}  "
                  f"event loops {loops:9.0f} µs {loops / first[1]:6.1f}{'' if statuses == {200} else f'  {statuses}'}",
                  file=out, flush=True)
            if statuses == {200} and daemon > MOST * first[0]:
                problems.append(f"{way}, {name}: {daemon / first[0]:.1f} times a plain request's cost, of {MOST}")
    return problems


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pushes", type=int, default=200, help="of each payload")
    parser.add_argument("--requests", type=int, default=10, help="of each request with an access key")
    parser.add_argument("--only", choices=["pushes", "keys"])
    arguments = parser.parse_args()
    found = [] if arguments.only == "keys" else run(arguments.pushes)
    found += [] if arguments.only == "pushes" else run_keyed(arguments.requests)
    for problem in found:
        print(problem, file=sys.stderr)
    sys.exit(1 if found else 0)
