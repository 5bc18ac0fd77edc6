"""Results around many targets, each made when somebody looks at it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from eiderdown.results.local import LocalResult


class ResultsOnDemand(Mapping[str, LocalResult]):
    """A mapping whose results are made when they are first asked for; pickled, it is a dict.

    Parameters
    ----------
    targets : sequence of str
        Whose results there are, in their order.
    make : callable
        Makes the result of a target; the same whenever it is called.
    """

    def __init__(self, targets: Sequence[str], make: Callable[[str], LocalResult]) -> None:
        self._made: dict[str, LocalResult | None] = dict.fromkeys(targets)
        self._make: Callable[[str], LocalResult] | None = make

    def __getitem__(self, target: str) -> LocalResult:
        made, make = self._made[target], self._make
        if made is None and make is not None:
            made = self._made[target] = make(target)
            if all(self._made.values()):
                self._make = None  # and what it remembers
        assert made is not None
        return made

    def __iter__(self) -> Iterator[str]:
        return iter(self._made)

    def __len__(self) -> int:
        return len(self._made)

    def __repr__(self) -> str:
        return repr(dict(self))

    def __reduce__(self) -> tuple[Any, ...]:
        return dict, (dict(self),)
