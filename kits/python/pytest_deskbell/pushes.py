"""Pushes and their end on the handset."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, overload


class Push:
    """A push and its end on the handset. `raw` has everything, under the names of the control API."""

    def __init__(self, raw: Mapping[str, Any]) -> None:
        self.raw = raw
        self.id: str = raw["push"]
        self.app: str | None = raw.get("app")
        self.status: int | None = raw.get("status")
        # True if its sound was played.
        self.rang: bool = bool(raw.get("rang", False))
        # The ways in which it was presented: badge 1, banner, the lamp …
        self.shown: list[str] = list(raw.get("shown", []))
        # The reason why it rang, or did not, as a sentence.
        self.why: str = raw.get("why", "")
        self.times_presented: int = raw.get("presented", 0)

    def __repr__(self) -> str:
        return f"push {self.id[:8]}… for {self.app}, presented {self.times_presented} times: {self.why}"


class Pushes(Sequence[Push]):
    """Pushes in the order in which the handset got them."""

    def __init__(self, pushes: Sequence[Push]) -> None:
        self._pushes = tuple(pushes)

    @overload
    def __getitem__(self, index: int) -> Push: ...
    @overload
    def __getitem__(self, index: slice) -> "Pushes": ...
    def __getitem__(self, index: int | slice) -> "Push | Pushes":
        if isinstance(index, slice):
            return Pushes(self._pushes[index])
        try:
            return self._pushes[index]
        except IndexError:
            raise AssertionError(f"there is no push [{index}]: {self!r}") from None

    def __len__(self) -> int:
        return len(self._pushes)

    def __iter__(self) -> Iterator[Push]:
        return iter(self._pushes)

    def __repr__(self) -> str:
        return "".join(f"\n  {push!r}" for push in self) or "the handset got no push"

    @property
    def presented(self) -> int:
        """The number of presentations of all of them."""
        return sum(push.times_presented for push in self)

    @property
    def rang(self) -> int:
        """The number of those that rang."""
        return sum(push.rang for push in self)
