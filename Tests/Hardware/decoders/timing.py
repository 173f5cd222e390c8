"""Measured times on a wire, and the shortest that a data sheet allows."""

from dataclasses import dataclass, field


@dataclass
class Timing:
    """The shortest time seen of each kind. `limits` are nanoseconds, each with its place in the data sheet."""

    limits: dict
    shortest: dict = field(default_factory=dict)

    def measure(self, what, since, until):
        """Measures one more time; does nothing without a first edge."""
        if since is None:
            return
        nanoseconds = until - since
        if nanoseconds < self.shortest.get(what, nanoseconds + 1):
            self.shortest[what] = nanoseconds

    @property
    def violations(self):
        return [f"{what}: {self.shortest[what]} ns, at least {limit} ns"
                for what, (limit, _) in self.limits.items() if self.shortest.get(what, limit) < limit]
