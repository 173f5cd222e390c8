"""500 pushes of one client that opens hundreds of connections at once: the JDK's HttpClient, and 200 by hand."""

from Tests.Clients.bulk import has_java, java_pushes, pushes_over_connections, stored

OPTIONS = []
COUNT, CONNECTIONS = 500, 200


def measure(appliance):
    appliance.install_mailroom()
    results = [(f"{CONNECTIONS} TLS connections at once, {COUNT} pushes: answered 200",
                f"{pushes_over_connections(appliance, CONNECTIONS, COUNT)} of {COUNT}")]
    if has_java():
        before = stored(appliance)
        answers = java_pushes(appliance, COUNT)
        results += [(f"JDK HttpClient, {COUNT} pushes at once: answered 200", f"{answers['200']} of {COUNT}"),
                    (f"JDK HttpClient, {COUNT} pushes at once: stored", f"{stored(appliance) - before}")]
    return results
