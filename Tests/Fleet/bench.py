"""The cost of a fleet: pushes a second through one and two gateways to 500 handsets, beside one daemon alone; and of a
registry with 100,000 tokens. The same messages stored without a gateway show the servers' share of the time.

  Tests/Fleet/run.sh bench
"""

import json
import os
import re
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor

from Tests.Fleet.administrator import stream_leader
from Tests.Fleet.rig import Desk, Fleet
from Tests.Fleet.storm import wait_for_tokens
from Tests.support.appliance import APP, new_id
from Tests.support.usage import kilobytes, processor_seconds

PUSHES = 10_000
HANDSETS = 500
TOKENS = 100_000


def load(ports, tokens, bearer, folder, connections, streams, count=PUSHES):
    """Pushes with h2load to all ports at once; returns pushes a second, and the latencies of the slowest port in ms."""

    def one(port):
        uris = folder / f"uris-{port}"
        uris.write_text("".join(f"https://127.0.0.1:{port}/3/device/{token}\n" for token in tokens))
        body = folder / "body"
        body.write_text(json.dumps({"aps": {"alert": {"title": "A letter", "body": "x" * 120}}}))
        words = [
            "h2load", f"--requests={count // len(ports)}", f"--clients={connections}",
            f"--max-concurrent-streams={streams}", f"--data={body}", f"--input-file={uris}",
            f"--header=apns-topic: {APP}", f"--header=authorization: bearer {bearer}"]
        began = time.monotonic()
        said = subprocess.run(words, capture_output=True, text=True, check=True).stdout
        took = time.monotonic() - began
        answers = re.search(r"status codes: (\d+) 2xx, (\d+) 3xx, (\d+) 4xx, (\d+) 5xx", said)
        assert int(answers[1]) == count // len(ports), said
        times = re.search(r"time for request:\s+(\S+)\s+(\S+)\s+(\S+)", said)
        return count // len(ports) / took, times.groups()

    with ThreadPoolExecutor(len(ports)) as pool:
        results = list(pool.map(one, ports))
    return sum(rate for rate, _ in results), results[0][1]


def measure(title, ports, processes, *words, **options):
    before = {name: sum(processor_seconds(pid) for pid in pids) for name, pids in processes.items()}
    rate, (low, high, mean) = load(ports, *words, **options)
    count = options.get("count", PUSHES)
    spent = ", ".join(
        f"{name} {1e6 * (sum(processor_seconds(pid) for pid in pids) - before[name]) / count:.0f}"
        for name, pids in processes.items())
    print(f"{title:<44} {rate:>8.0f}/s   mean {mean:>8}   max {high:>8}   µs of processor a push: {spent}", flush=True)
    return rate


def servers_alone(fleet, folder, connections, streams, count):
    """Stores the same messages through our own connections to the stream's leader, for a desk without a daemon; returns
    messages a second, and the mean time until the acknowledgement in ms."""
    leader = stream_leader(fleet).name if len(fleet.servers) > 1 else fleet.servers[0].name
    place = next(place for place, item in enumerate(fleet.known()) if item["name"] == leader)
    body = (folder / "body").read_bytes()
    each = count // connections

    def one(_):
        with fleet.connection(server=place) as connection:
            def put(number):
                identifier = new_id()
                fields = {
                    "Bell-Desk": "nobody", "Bell-Id": identifier, "Bell-Type": "alert", "Bell-Topic": APP,
                    "Bell-Priority": "10", "Bell-Gateway": "front-1", "Bell-Accepted": "1763900000000000",
                    "Bell-Token": "0" * 64, "Bell-Provider": "tests", "Nats-Msg-Id": f"{identifier}:nobody:0123456789abcdef"}
                sent[number] = time.monotonic()
                connection.put(
                    f"bell.push.nobody.hall-{number % HANDSETS}.{APP.replace('.', '_')}", f"{connection.inbox}.{number}",
                    body, fields)

            sent, waited = {}, 0
            for number in range(min(streams, each)):
                put(number)
            for number in range(each):
                subject, answer = connection.next()
                assert "seq" in json.loads(answer), answer
                waited += time.monotonic() - sent.pop(int(subject.rsplit(".", 1)[1]))
                if number + streams < each:
                    put(number + streams)
            return waited / each

    began = time.monotonic()
    with ThreadPoolExecutor(connections) as pool:
        means = list(pool.map(one, range(connections)))
    return each * connections / (time.monotonic() - began), 1000 * sum(means) / connections


def sync_time(folder):
    """Returns the median time of 200 synchronised writes to the disk, in µs."""
    took = []
    with open(folder / "synced", "wb", buffering=0) as file:
        for _ in range(200):
            file.write(b"x" * 600)
            began = time.monotonic()
            os.fsync(file.fileno())
            took.append(time.monotonic() - began)
    return 1e6 * sorted(took)[100]


def settle(fleet):
    """Waits until nothing is pending for the desks."""
    while any(item["behind"] for item in fleet.report("list")["desks"]):
        pass


def rates(count_of_servers):
    # The baseline is a daemon without a fleet: a desk of the fleet also publishes its events to the servers.
    with Fleet(count_of_servers) as fleet, Desk(None, ["hall"], HANDSETS) as alone:
        alone_tokens = list(alone.install(APP).values())
        fleet.add("hall")
        for name in ("front-1", "front-2"):
            fleet.add(name, gateway=True)
        desk = fleet.desk("hall", handsets=HANDSETS, key=alone.key)
        tokens = list(desk.install(APP).values())
        gateways = [fleet.gateway(name, desk.key) for name in ("front-1", "front-2")]
        for gateway in gateways:
            wait_for_tokens(fleet, gateway, HANDSETS)
        bearer, folder = desk.bearer(), desk.folder
        servers = [server.process.pid for server in fleet.servers]
        for connections, streams, count in ((1, 1, 500), (10, 100, PUSHES)):
            shape = f"{connections}×{streams}"
            options = {"count": count}
            common = (bearer, folder, connections, streams)
            base = measure(
                f"{shape} one daemon alone", [alone.port], {"daemon": [alone.process.pid]}, alone_tokens, *common,
                **options)
            for number in (1, 2):
                rate = measure(
                    f"{shape} {number} gateway{'s' * (number > 1)}, "
                    f"{count_of_servers} server{'s' * (count_of_servers > 1)}",
                    [gateway.port for gateway in gateways[:number]], {
                        "gateway": [gateway.process.pid for gateway in gateways[:number]], "servers": servers,
                        "desk": [desk.process.pid]}, tokens, *common, **options)
                print(f"    {rate / base:.2f} of one daemon alone")
                began = time.monotonic()
                settle(fleet)
                print(f"    the desk had all of them {time.monotonic() - began:.1f} s later")
            spent = -sum(map(processor_seconds, servers))
            rate, mean = servers_alone(fleet, folder, connections, streams, count)
            spent += sum(map(processor_seconds, servers))
            print(f"{shape + ' the servers alone, ' + str(count_of_servers):<44} {rate:>8.0f}/s   mean {mean:>6.2f}ms   "
                  f"µs of processor a push: servers {1e6 * spent / count:.0f}; one synchronised write {sync_time(folder):.0f} µs")


def registry():
    with Fleet() as fleet:
        fleet.add("hall")
        fleet.add("front", gateway=True)
        with fleet.connection() as connection:
            for number in range(TOKENS):
                record = {
                    "app": f"com.example.app{number % 10}", "handset": f"hall-{number % 1000}",
                    "environment": "production", "since": 1763900000000}
                connection.put(f"$KV.BELL_TOKENS.desk-{number % 10}._own-{number:032x}", "", {})
                connection.put(f"$KV.BELL_TOKENS.desk-{number % 10}.{number:032x}", "", record)
            connection.settle()
            while connection.api("STREAM.INFO.KV_BELL_TOKENS", {})["state"]["messages"] < 2 * TOKENS:
                pass
        empty = fleet.gateway("front")
        began = time.monotonic()
        empty.wait_for_log(f"knows {TOKENS} tokens")
        print(f"{TOKENS} tokens: ready {time.monotonic() - began:.2f} s after it listened, "
              f"{kilobytes(empty.process.pid) / 1024:.1f} MB")


def main():
    rates(3)
    rates(1)
    registry()


if __name__ == "__main__":
    main()
