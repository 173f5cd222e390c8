"""The cost of a silent connection: many at once over TLS, greeted in HTTP/2, and a push beside them.

No more than can be opened in the 30 s that an unauthenticated client may be silent.
"""

import argparse
import resource
import sys
import time

from Tests.Clients.hostile.neighbours import ProviderBeside
from Tests.support.appliance import Mailroom
from Tests.support.http2_wire import Wire
from Tests.support.usage import resident_megabytes

BYTES_EACH = 25_000


def hold(appliance, count):
    """Opens connections that have sent a greeting, and nothing since."""
    return [Wire(appliance.port, str(appliance.ca)).greet() for _ in range(count)]


def run(count, out=sys.stdout):
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    settings = f"limits: {{ connections: {count + 100}, connections-per-address: {count + 100} }}\n"
    with Mailroom(board=None, settings=settings) as appliance:
        warm = hold(appliance, 100)
        for wire in warm:
            wire.close()
        with ProviderBeside(appliance.port, str(appliance.ca), appliance.fields()) as provider:
            # Memory is read once the daemon has done what the last connection caused, of which nothing tells.
            time.sleep(1)
            before = resident_megabytes(appliance.process.pid)
            started = time.monotonic()
            wires = hold(appliance, count)
            took = time.monotonic() - started
            time.sleep(1)
            held = resident_megabytes(appliance.process.pid)
            each = (held - before) * 1e6 / count
            print(f"{count} idle TLS connections: {each:.0f} bytes each ({before:.1f} to {held:.1f} MB resident), "
                  f"opened at {count / took:.0f} a second; a provider waited {max(provider.kept) * 1000:.0f} ms at "
                  f"most, {max(provider.fresh) * 1000:.0f} ms on a new connection", file=out, flush=True)
            for wire in wires:
                wire.close()
            time.sleep(5)
        left = resident_megabytes(appliance.process.pid)
        print(f"after they have gone: {left:.1f} MB", file=out, flush=True)
        problems = [] if each <= BYTES_EACH else [f"{each:.0f} bytes for an idle connection, of {BYTES_EACH}"]
        if provider.refusals:
            problems.append(f"the provider beside them: {dict(provider.refusals)}")
        return problems


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=5_000)
    found = run(parser.parse_args().count)
    for problem in found:
        print(problem, file=sys.stderr)
    sys.exit(1 if found else 0)
