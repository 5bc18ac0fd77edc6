"""Koller and Sahami's backward elimination by cross-entropy.

Koller & Sahami (1996), "Toward optimal feature selection". Of all remaining variables drop the one
that adds least to what its approximate blanket M, the variables most associated with it, tells
about the target: the least sum over P(M, X) of KL(P(T | M, X) || P(T | M)). That sum is the
conditional mutual information I(T; X | M), the effect size of G2 and X2 by name; with other tests
the absolute effect (Cohen's w beyond chance, a partial correlation) stands in for it.

It promises no boundary, even without sampling error, and it compares all pairs of variables.

Differences from the paper: associations are those between whole variables, worked out once; a
variable is conditioned on as many of its blanket as there are data for; of the variables left at
the end, those that are independent of the target given theirs are dropped too.
"""

from __future__ import annotations

from typing import Annotated, TypeAlias

import numpy as np
from numpy.typing import NDArray

from eiderdown.arrays import IntArray
from eiderdown.boundary.problem import MARKOV_BOUNDARY, Found, TestProblem, best_so_far
from eiderdown.errors import InputError
from eiderdown.independence import Allows, IndependenceBatch, IndependenceResult
from eiderdown.options import Option
from eiderdown.registry import Algorithm

NMembers: TypeAlias = Annotated[int, Option("v: how many variables to keep, at most", at_least=0)]
BlanketSize: TypeAlias = Annotated[
    int, Option("k: how many others each variable is judged beside", at_least=0)
]

MOST_COLUMNS = 5_000
"""The associations of this many columns take 100 MB; ten times as many would take 10 GB."""


def koller_sahami(
    problem: TestProblem, *, n_members: NMembers = 10, blanket_size: BlanketSize = 2
) -> Found:
    """Keep the variables that tell most about the target beyond their nearest others.

    Parameters
    ----------
    problem : TestProblem
        The question.
    n_members : int
        The paper's v: how many variables to keep, at most.
    blanket_size : int
        The paper's K (k in later papers): how many others each variable is judged beside; with 0
        the variables are simply ranked.
    """
    _require_few(problem)
    with best_so_far(problem) as found:
        remaining = _Remaining(problem, found, blanket_size)
        # Until v remain: drop the X that adds least to its approximate blanket M.
        while remaining.n > n_members and (least := remaining.least()) is not None:
            remaining.drop(least)
        while (redundant := remaining.least(independent=True)) is not None:
            remaining.drop(redundant)
        found.keep(remaining.tests, problem.alpha)
    return found


def _require_few(problem: TestProblem) -> None:
    if len(problem.candidates) > MOST_COLUMNS:
        raise InputError(
            f"Koller-Sahami compares all pairs of columns, and {len(problem.candidates)} "
            f"candidates are more than {MOST_COLUMNS}; exclude some or take another algorithm, "
            "such as iamb."
        )


class _Remaining:
    """Variables not yet dropped, each with its test given the others nearest to it."""

    def __init__(self, problem: TestProblem, found: Found, blanket_size: int) -> None:
        self._problem, self._found = problem, found
        alone = problem.sweep(problem.candidates, [])
        usable = (alone.allows > Allows.NOTHING) | np.isin(alone.x, problem.required)
        found.outside = alone.take(~usable)
        self._x = alone.x[usable]
        self._size = min(blanket_size, max(len(self._x) - 1, 0))
        if problem.max_given is not None:
            self._size = min(self._size, problem.max_given)
        self._here = dict(zip(self._x.tolist(), range(len(self._x)), strict=True))
        self._nearest = _nearest_first(problem, self._x, limit=self._size)
        self._alive = np.ones(len(self._x), dtype=np.bool_)
        self._blankets = {x: self._blanket(x) for x in self._here}
        self._tests = {x: self._judged(x) for x in self._here}
        found.keep(self.tests, problem.alpha)

    @property
    def n(self) -> int:
        """How many there are."""
        return len(self._tests)

    @property
    def tests(self) -> IndependenceBatch:
        """The test of each."""
        return IndependenceBatch.of(list(self._tests.values()))

    def least(self, *, independent: bool = False) -> IndependenceResult | None:
        """Return the one that adds least, of all or of those its test finds independent."""
        rank, required = self._problem.tie_rank, self._problem.required
        free = [
            result
            for x, result in self._tests.items()
            if x not in required and (not independent or self._adds_nothing(result))
        ]
        return min(free, key=lambda r: (abs(r.effect), -rank[r.x]), default=None)

    def _adds_nothing(self, result: IndependenceResult) -> bool:
        return result.independent(self._problem.alpha) or result.allows == Allows.FUNCTION

    def drop(self, result: IndependenceResult) -> None:
        """Take one out and judge those anew that had it in their blanket."""
        self._alive[self._here[result.x]] = False
        del self._tests[result.x]
        del self._blankets[result.x]
        self._found.remove(result)
        for x in [x for x, blanket in self._blankets.items() if result.x in blanket]:
            self._blankets[x] = self._blanket(x)
            self._tests[x] = self._judged(x)

    def _blanket(self, x: int) -> tuple[int, ...]:
        """Return the remaining variables most associated with one of them."""
        order = self._nearest[self._here[x]]
        return tuple(self._x[order[self._alive[order]][: self._size]].tolist())

    def _judged(self, x: int) -> IndependenceResult:
        """Test one given its blanket, or as much of it as there are data for.

        A function of its blanket adds nothing to it, which is all that is asked here.
        """
        blanket = self._blankets[x]
        for n_given in range(len(blanket), 0, -1):
            result = self._problem.test.test(x, self._problem.target, blanket[:n_given])
            if result.allows != Allows.NOTHING:
                return result
        return self._problem.test.test(x, self._problem.target)


def _nearest_first(problem: TestProblem, variables: IntArray, *, limit: int) -> NDArray[np.int32]:
    """Order for each variable the positions of the others, the most associated with it first.

    An association with insufficient data counts as none. Without a use for them (a limit of 0)
    nothing is compared.
    """
    n = len(variables)
    orders = np.empty((n, n - 1 if limit else 0), dtype=np.int32)
    rank = problem.tie_rank[variables]
    for i, x in enumerate(variables.tolist() if limit else []):
        others = np.delete(np.arange(n), i)
        batch = problem.test.sweep(variables[others], x)
        problem.trace.progressed("comparing pairs", i + 1)
        strength = np.where(batch.allows > Allows.NOTHING, np.abs(batch.effect), 0.0)
        orders[i] = others[np.lexsort((rank[others], -strength))]
    return orders


KOLLER_SAHAMI = Algorithm(
    koller_sahami,
    "Drops what adds least to its nearest others; keeps as many as asked for.",
    paper="Koller & Sahami 1996",
    returns=MARKOV_BOUNDARY,
    exact=False,
)
