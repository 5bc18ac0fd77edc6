"""Steps that searches around one target have made, for those that are made again and again.

What a step of growing or shrinking asks, and what follows, depends on nothing but the members.
Searches with random choices come by the same members again and again. To put the same questions
together and look up the answer to each would take longer than all else in such a search.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, Protocol, TypeAlias, TypeVar

from eiderdown.independence import CachedTest, IndependenceBatch

MOST_RESULTS: Final = 200_000
"""How many tests are kept in all; later steps are made each time."""

Key: TypeAlias = tuple[str, float, frozenset[int]]
"""What is done, at which significance level, and with which members."""


class Step(Protocol):
    """What a step asked, whatever else it says."""

    @property
    def tests(self) -> IndependenceBatch:
        """All tests that it asked for."""


_Step = TypeVar("_Step", bound=Step)


class KnownSteps:
    """Steps by what they depend on.

    Parameters
    ----------
    test : CachedTest
        Whom the searches ask; it counts what they need not ask again.
    """

    def __init__(self, test: CachedTest) -> None:
        self._test, self._n_kept = test, 0
        self._made: dict[Key, tuple[Step, int]] = {}

    def step(self, key: Key, make: Callable[[], _Step]) -> _Step:
        """Return a step that is known, or make it; so it is if any test was forgotten."""
        known = self.known(key)
        if known is not None:
            step: _Step = known[0]  # of a kind that the key says
            self._test.count_repeated(known[1])
            return step
        made = make()
        n_tests = len(made.tests)
        if self._n_kept + n_tests <= MOST_RESULTS:
            self._n_kept += n_tests
            self._made[key] = made, n_tests
        return made

    def known(self, key: Key) -> tuple[Any, int] | None:
        """Return a step and how many tests it asked for, without counting them; None if unknown."""
        return None if self._test.forgets else self._made.get(key)
