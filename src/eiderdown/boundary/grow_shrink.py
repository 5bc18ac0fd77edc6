"""GS, the grow-shrink search, and the two phases that its whole family shares.

Margaritis & Thrun (1999), "Bayesian network induction via local neighborhoods". GS looks at the
candidates in an order fixed once, by their dependence on the target given nothing; IAMB and its
relatives choose anew after every addition and differ in little more than the choice.

Differences from the paper: the order is by log p, then by statistic, then by name; the shrinking
phase removes the least dependent member first instead of the first in the table; tests with
insufficient data neither admit nor remove.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple, TypeAlias

import numpy as np

from eiderdown.boundary.problem import MARKOV_BOUNDARY, Found, TestProblem, best_so_far
from eiderdown.independence import IndependenceBatch, IndependenceResult
from eiderdown.registry import Algorithm

Choose: TypeAlias = Callable[[TestProblem, IndependenceBatch], IndependenceResult | None]
"""Picks the candidate to admit from the tests of all candidates outside; None for none."""


def gs(problem: TestProblem) -> Found:
    """Find a Markov boundary: admit in a fixed order, then remove what is redundant."""
    with best_so_far(problem) as found:
        # Candidates in the order of assoc(X; T | {}).
        first_look = problem.sweep(problem.candidates, [])
        in_order = first_look.x[first_look.by_strength(problem.tie_rank)]
        order = np.empty(problem.test.n_variables, dtype=np.int64)
        order[in_order] = np.arange(len(in_order))

        def first(problem: TestProblem, batch: IndependenceBatch) -> IndependenceResult | None:
            dependent = np.flatnonzero(batch.dependent(problem.alpha))
            if len(dependent) == 0:
                return None
            return batch[int(dependent[order[batch.x[dependent]].argmin()])]

        found.require(problem)
        # 2. Growing: while some X outside S has dep(T; X | S), S = S u {X}.
        while grow(problem, found, first):
            pass
        # 3. Shrinking: while some X in S has ind(T; X | S minus X), S = S minus X.
        shrink(problem, found)
    return found


def strongest(problem: TestProblem, batch: IndependenceBatch) -> IndependenceResult | None:
    """Choose Y = argmax assoc(T; X | MB) if dep(T; Y | MB)."""
    best = batch.strongest(problem.tie_rank)
    return best if best is not None and best.dependent(problem.alpha) else None


def grow(problem: TestProblem, found: Found, choose: Choose = strongest) -> bool:
    """Admit the chosen candidate, if any; say whether one came in."""
    outside = problem.outside(found)
    if len(outside) == 0 or not problem.allows(len(found.members)):
        return False
    batch = problem.sweep(outside, list(found.members))
    chosen = choose(problem, batch)
    if chosen is None:
        found.outside = batch
        return False
    found.admit(chosen)
    return True


def shrink(problem: TestProblem, found: Found) -> None:
    """For X in MB: if ind(T; X | MB minus X) remove X; the least dependent first."""
    while found.members and problem.allows(len(found.members) - 1):
        step = problem.step("shrinking", found, _shrinking)
        if step.redundant is None:
            found.keep(step.results, problem.alpha)
            return
        found.remove(step.redundant)


class _Shrinking(NamedTuple):
    """The tests of the members given each other, and that of the one to remove, if any."""

    tests: IndependenceBatch
    results: tuple[IndependenceResult, ...]
    redundant: IndependenceResult | None


def _shrinking(problem: TestProblem, found: Found) -> _Shrinking:
    batch = problem.test.each_given_rest(list(found.members), problem.target)
    redundant = batch.independent(problem.alpha) & ~np.isin(batch.x, problem.required)
    out = least_dependent(problem, batch.take(redundant)) if redundant.any() else None
    return _Shrinking(batch, () if out else tuple(batch), out)


def least_dependent(problem: TestProblem, batch: IndependenceBatch) -> IndependenceResult:
    """Return the test of the least dependent variable."""
    return batch[int(batch.by_strength(problem.tie_rank)[-1])]


def until_a_boundary_returns(found: Found) -> Iterator[None]:
    """Go on until the same members are found a second time, as they are when nothing changes."""
    seen: set[frozenset[int]] = set()
    while frozenset(found.members) not in seen:
        seen.add(frozenset(found.members))
        yield


GS = Algorithm(
    gs,
    "Adds variables in the order of their association, then removes the redundant.",
    paper="Margaritis & Thrun 1999",
    returns=MARKOV_BOUNDARY,
    fewer_rows="consensus",
    assumes=("composition",),
    apart=True,
)
