"""20 pushes of a provider at an address from which strangers hold idle connections: how many are answered."""

import contextlib

from Tests.Clients.bulk import pushes_over_connections
from Tests.support.http2_wire import Wire

OPTIONS = []
PUSHES = 20
# The second exceeds the limit of one address.
CROWDS = [100, 650]


def measure(appliance):
    appliance.install_mailroom()
    results = []
    for crowd in CROWDS:
        with contextlib.ExitStack() as strangers:
            for _ in range(crowd):
                with contextlib.suppress(OSError):
                    strangers.enter_context(Wire(appliance.port, str(appliance.ca)).greet())
            answered = pushes_over_connections(appliance, 1, PUSHES)
        results.append((f"{crowd} idle strangers, then a provider: answered 200", f"{answered} of {PUSHES}"))
    return results
