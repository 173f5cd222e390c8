"""Times on a wire against the shortest that a data sheet allows."""

from dataclasses import dataclass, field


@dataclass
class Timing:
    """The shortest of each kind that was seen. `limits` are nanoseconds, each with its place in the data sheet."""

    limits: dict
    shortest: dict = field(default_factory=dict)

    def measure(self, what, since, until):
        """One more; nothing where there was no first edge."""
        if since is None:
            return
        nanoseconds = until - since
        if nanoseconds < self.shortest.get(what, nanoseconds + 1):
            self.shortest[what] = nanoseconds

    @property
    def violations(self):
        return [f"{what}: {self.shortest[what]} ns, at least {limit} ns"
                for what, (limit, _) in self.limits.items() if self.shortest.get(what, limit) < limit]
