"""1,000 pushes by one curl over one connection, one after the other and 100 at once: answered, and stored."""

from Tests.Clients.bulk import add_certificate, curl_pushes, stored

OPTIONS = []
COUNT = 1_000


def measure(appliance):
    appliance.install_mailroom()
    certificate = add_certificate(appliance)
    results = []
    for at_once in [1, 100]:
        before = stored(appliance)
        answers, connections = curl_pushes(appliance, COUNT, at_once, certificate)
        what = f"curl, {COUNT} pushes, {at_once} at once"
        results += [(f"{what}: answered 200", f"{answers[200]} of {COUNT}"),
                    (f"{what}: stored", f"{stored(appliance) - before}"),
                    (f"{what}: connections", f"{connections}")]
    return results
