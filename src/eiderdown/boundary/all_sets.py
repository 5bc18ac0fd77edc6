"""What searches for parents and children ask for around all targets, and how it is counted.

The twin of :mod:`eiderdown.boundary.parents_children` where all searches around single columns are
done: which of them each target asks for, which tests of spouses it makes, in the same order, and
how many tests are made for its sake.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cached_property
from typing import TypeAlias

import numpy as np

from eiderdown.arrays import FloatArray
from eiderdown.boundary.ahead import SearchesAround
from eiderdown.boundary.problem import TestProblem
from eiderdown.independence import CachedTest, TestCounts
from eiderdown.independence.batch import ALLOWS, LOG_P, Allows

Spouse: TypeAlias = tuple[int, int, tuple[int, ...]]
"""A question: whether x depends on a target given what separates them, and a child."""


class AllSets:
    """Sets around all targets that are found in both directions, and who may be spouses.

    Parameters
    ----------
    searches : SearchesAround
        Searches around all of them.
    problem : TestProblem
        The question about any of them.
    symmetry : {"and", "none"}
        What is asked of two that are adjacent.
    with_spouses : bool
        Whether spouses are asked for, too, which takes symmetry "and".
    """

    def __init__(
        self, searches: SearchesAround, problem: TestProblem, symmetry: str, *, with_spouses: bool
    ) -> None:
        self._searches, self._problem = searches, problem
        self._symmetry, self._with_spouses = symmetry, with_spouses
        self._members: dict[int, list[int]] = {}
        self._in_both: dict[int, list[int]] = {}

    def counted(self, targets: Sequence[int]) -> dict[int, TestCounts] | None:
        """Count the tests of each target, in their order; end before one that is not done.

        None if the test cannot remember so many; then nothing is counted.
        """
        test, searches = self._problem.test, self._searches
        assert isinstance(test, CachedTest)
        if not searches.can_be_merged(test):
            return None
        needed = self._needed(targets)
        spouses = self._spouses(list(needed)) if self._with_spouses else {}
        values = self._answers([one for asked in spouses.values() for one in asked])
        new: dict[int, list[int]] = {}
        of_spouses: dict[int, TestCounts] = {}
        seen: set[int] = set()
        waiting: list[int] = []
        for target, around in needed.items():
            new[target] = [x for x in dict.fromkeys(around) if x not in seen]
            seen.update(new[target])
            waiting += new[target]
            if spouses.get(target):
                searches.merge(test, waiting)
                waiting = []
                of_spouses[target] = self._count_spouses(spouses[target], values)
        searches.merge(test, waiting)
        return {
            target: searches.counts(new[target]).plus(of_spouses.get(target, TestCounts()))
            for target in needed
        }

    def _needed(self, targets: Sequence[int]) -> dict[int, list[int]]:
        """Return for each target around whom it asks for searches, in its order."""
        is_done, needed = self._searches.is_done, {}
        for target in targets:
            around = [target]
            if not is_done(target):
                break
            if self._symmetry == "and":
                around += self._around(target)
            if not all(map(is_done, around)):
                break
            if self._with_spouses:
                around += [x for y in self._mutual(target) for x in self._around(y)]
            if not all(map(is_done, around)):
                break
            needed[target] = around
        return needed

    def _around(self, target: int) -> list[int]:
        if target not in self._members:
            self._members[target] = self._searches.members(target)
        return self._members[target]

    def _mutual(self, target: int) -> list[int]:
        if target not in self._in_both:
            around = self._around
            self._in_both[target] = [x for x in around(target) if target in around(x)]
        return self._in_both[target]

    def _spouses(self, targets: Sequence[int]) -> dict[int, list[Spouse]]:
        """Return the questions about possible spouses of targets, those of one x in a row."""
        pairs = [(target, x) for target in targets for x in self._near_only(target)]
        either = self._searches.separating_sets([*pairs, *((x, target) for target, x in pairs)])
        sides = zip(either[: len(pairs)], either[len(pairs) :], strict=True)
        asked: dict[int, list[Spouse]] = {}
        for (target, x), (own, other) in zip(pairs, sides, strict=True):
            given = other if own is None else own
            if given is not None and self._problem.allows(len(given) + 1):
                children = (y for y in self._mutual(target) if y not in given)
                asked.setdefault(target, []).extend(
                    (x, target, (*given, y)) for y in children if x in self._mutual(y)
                )
        return asked

    def _near_only(self, target: int) -> list[int]:
        """Return who is adjacent to somebody adjacent to a target, but not to it, in order."""
        adjacent = self._mutual(target)
        near = {x for y in adjacent for x in self._mutual(y)} - {target, *adjacent}
        return sorted(near, key=self._problem.tie_rank.__getitem__)

    def _answers(self, asked: list[Spouse]) -> dict[Spouse, FloatArray]:
        if not asked:
            return {}
        assert isinstance(self._problem.test, CachedTest)
        return dict(zip(asked, self._problem.test.inner.pairs(asked).values, strict=True))

    def _count_spouses(self, asked: list[Spouse], values: dict[Spouse, FloatArray]) -> TestCounts:
        """Count the tests that are made until one proves a spouse."""
        test = self._problem.test
        assert isinstance(test, CachedTest)
        before, proven = test.counts, None
        for one in asked:
            x, target, given = one
            if x != proven:
                test.take_over(np.array([x]), target, given, values[one][None])
                if self._depends(values[one]):
                    proven = x
        return test.counts.since(before)

    def _depends(self, values: FloatArray) -> bool:
        return bool(values[ALLOWS] >= Allows.DEPENDENCE and values[LOG_P] <= self._log_alpha)

    @cached_property
    def _log_alpha(self) -> float:
        return math.log(self._problem.alpha)
