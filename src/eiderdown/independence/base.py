"""The interface of every test of independence, with the four batch shapes searches ask for.

    sweep            each x against one target given one set        (forward steps)
    each_given_rest  each member of a set given the others          (backward steps)
    weakest          each x over all subsets of a pool, stopping    (parents and children)
                     early where one separates
    pairs            a list of questions                            (the rest)

A test of your own needs one method, ``_sweep``; the other shapes follow from it and may be
overridden where something faster exists. ``eiderdown.testing.check_independence_test`` examines it.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import TypeAlias

import numpy as np

from eiderdown.arrays import BoolArray, IntArray, frozen
from eiderdown.errors import OptionError, TargetAmongCandidatesError
from eiderdown.independence.batch import IndependenceBatch, IndependenceResult

Question: TypeAlias = tuple[int, int, Sequence[int]]


class IndependenceTest(ABC):
    """Answers "is x independent of y given Z?" for integer variables.

    Parameters
    ----------
    names : sequence of str
        Names of the variables; they break ties, so that the order of the columns does not.
    """

    def __init__(self, names: Sequence[str]) -> None:
        self.names = tuple(names)
        rank = np.empty(len(self.names), dtype=np.int64)
        rank[sorted(range(len(self.names)), key=self.names.__getitem__)] = np.arange(len(rank))
        self.name_rank: IntArray = frozen(rank)

    @property
    def n_variables(self) -> int:
        """Number of variables the test knows."""
        return len(self.names)

    @property
    def description(self) -> dict[str, object]:
        """Name and options of the test, for the record of a run."""
        return {"test": type(self).__name__}

    @abstractmethod
    def _sweep(
        self, candidates: IntArray, target: int, given: tuple[int, ...]
    ) -> IndependenceBatch:
        """Test each candidate against the target; arguments are disjoint and in range."""

    def sweep(
        self, candidates: Sequence[int] | IntArray, target: int, given: Sequence[int] = ()
    ) -> IndependenceBatch:
        """Test each candidate against one target given one set, in the candidates' order."""
        xs = np.ascontiguousarray(candidates, dtype=np.int64)
        return self._sweep(xs, int(target), self._checked(xs, int(target), given))

    def test(self, x: int, y: int, given: Sequence[int] = ()) -> IndependenceResult:
        """Test one pair."""
        return self.sweep([x], y, given)[0]

    def each_given_rest(
        self, members: Sequence[int], target: int, always: Sequence[int] = ()
    ) -> IndependenceBatch:
        """Test each member against the target given the other members (and ``always``)."""
        return self.pairs(
            [(x, target, [z for z in members if z != x] + list(always)) for x in members]
        )

    def pairs(self, questions: Sequence[Question]) -> IndependenceBatch:
        """Answer a list of questions (x, y, given)."""
        return IndependenceBatch.of([self.test(x, y, given) for x, y, given in questions])

    def weakest(
        self,
        candidates: Sequence[int] | IntArray,
        target: int,
        pool: Sequence[int],
        *,
        alpha: float,
        max_given: int,
        always: Sequence[int] = (),
    ) -> IndependenceBatch:
        """Find each candidate's weakest reliable test over all subsets of a pool.

        Subsets hold ``always`` and at most ``max_given`` variables in all; a candidate that is
        itself in the pool is not given itself. As soon as a subset separates a candidate from the
        target at level ``alpha``, the candidate is done and that test is its answer. A candidate
        without any reliable test keeps its first, unreliable one.
        """
        xs = np.ascontiguousarray(candidates, dtype=np.int64)
        self._checked(xs, int(target), always)
        if len(always) > max_given:
            raise OptionError(
                f"max_given is {max_given}, but {len(always)} variables are always given; allow at "
                "least that many."
            )
        best: list[IndependenceResult | None] = [None] * len(xs)
        open_ = np.ones(len(xs), dtype=np.bool_)
        for given in self._subsets(pool, max_given, tuple(always)):
            asked = np.flatnonzero(open_ & ~np.isin(xs, given))
            batch = self.sweep(xs[asked], target, given)
            _keep_weakest(best, asked, batch)
            open_[asked[batch.independent(alpha)]] = False
            if not open_.any():
                break
        return IndependenceBatch.of([result for result in best if result is not None])

    def _subsets(
        self, pool: Sequence[int], max_given: int, always: tuple[int, ...]
    ) -> Iterator[tuple[int, ...]]:
        ordered = sorted(set(pool) - set(always), key=self.name_rank.__getitem__)
        for size in range(min(len(ordered), max_given - len(always)) + 1):
            for chosen in combinations(ordered, size):
                yield always + chosen

    def _checked(self, xs: IntArray, target: int, given: Sequence[int]) -> tuple[int, ...]:
        """Put the conditioning set in the order of names and refuse questions about itself."""
        if len(given) == 0 and not np.any(xs == target):
            return ()
        conditions = {int(z) for z in given}
        repeated = {int(x) for x in xs[np.isin(xs, [target, *conditions])]}
        if target in conditions:
            repeated.add(target)
        if repeated:
            name = self.names[min(repeated)]
            raise TargetAmongCandidatesError(
                f"Variable {name!r} appears twice in one question: candidates, target and "
                "conditioning set must not share a variable."
            )
        return tuple(sorted(conditions, key=self.name_rank.__getitem__))


def _keep_weakest(
    best: list[IndependenceResult | None], asked: IntArray, batch: IndependenceBatch
) -> None:
    previous = [best[position] for position in asked]
    old_log_p = np.array([-math.inf if r is None or not r.reliable else r.log_p for r in previous])
    first: BoolArray = np.array([r is None for r in previous], dtype=np.bool_)
    for i in np.flatnonzero(first | (batch.reliable & (batch.log_p > old_log_p))):
        best[asked[i]] = batch[int(i)]
