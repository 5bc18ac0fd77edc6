"""GS, the grow-shrink search, and the two phases that its whole family shares.

Margaritis & Thrun (1999), "Bayesian network induction via local neighborhoods". GS looks at the
candidates in an order fixed once, by their dependence on the target given nothing; IAMB and its
relatives choose anew after every addition and differ in little more than the choice.

Differences from the paper: the order is by log p, then by statistic, then by name; the shrinking
phase removes the least dependent member first instead of the first in the table; tests that the
data cannot carry neither admit nor remove.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from eiderdown.boundary.search import Found, LocalSearch
from eiderdown.independence import IndependenceBatch, IndependenceResult

Choose: TypeAlias = Callable[[LocalSearch, IndependenceBatch], IndependenceResult | None]
"""Picks whom to admit from the tests of everyone outside; None for nobody."""

Phase: TypeAlias = Callable[[LocalSearch, list[int]], object]
"""Changes a boundary in place."""


def gs(search: LocalSearch) -> Found:
    """Find a Markov boundary: admit in a fixed order, then remove the idle."""
    first_look = search.sweep(search.candidates, [])
    order = np.empty(search.test.n_variables, dtype=np.int64)
    order[first_look.x[first_look.by_strength(search.test.name_rank)]] = np.arange(len(first_look))

    def first_in_order(search: LocalSearch, batch: IndependenceBatch) -> IndependenceResult | None:
        dependent = np.flatnonzero(batch.dependent(search.alpha))
        return batch[int(dependent[order[batch.x[dependent]].argmin()])] if len(dependent) else None

    boundary = begin(search)
    grow(search, boundary, first_in_order)
    shrink(search, boundary)
    return Found(tuple(boundary))


def begin(search: LocalSearch) -> list[int]:
    """Return a boundary of the required members; their evidence is the test given nothing."""
    if search.required:
        for result in search.sweep(np.array(search.required), []):
            search.trace.admitted(result)
    return list(search.required)


def in_turns(search: LocalSearch, grow: Phase, shrink: Phase) -> list[int]:
    """Run two phases in turns until a boundary comes back, as one does that does not change."""
    boundary = begin(search)
    seen: set[frozenset[int]] = set()
    while frozenset(boundary) not in seen:
        seen.add(frozenset(boundary))
        grow(search, boundary)
        shrink(search, boundary)
    return boundary


def strongest(search: LocalSearch, batch: IndependenceBatch) -> IndependenceResult | None:
    """Choose Y = argmax assoc(T; X | MB) if dep(T; Y | MB)."""
    best = batch.strongest(search.test.name_rank)
    return best if best is not None and best.dependent(search.alpha) else None


def grow(search: LocalSearch, boundary: list[int], choose: Choose = strongest) -> None:
    """Admit one candidate after the other until nobody comes in."""
    while grow_by_one(search, boundary, choose):
        pass


def grow_by_one(search: LocalSearch, boundary: list[int], choose: Choose = strongest) -> bool:
    """Admit the chosen candidate, if any; say whether somebody came in."""
    outside = search.outside(boundary)
    if len(outside) == 0 or not search.allows(len(boundary)):
        return False
    batch = search.sweep(outside, boundary)
    chosen = choose(search, batch)
    if chosen is None:
        search.trace.not_admitted(batch)
        return False
    admit(search, boundary, chosen)
    return True


def shrink(search: LocalSearch, boundary: list[int]) -> None:
    """For X in MB: if ind(T; X | MB minus X) remove X; the least dependent first."""
    while boundary and search.allows(len(boundary) - 1):
        batch = search.test.each_given_rest(boundary, search.target)
        idle = batch.independent(search.alpha) & ~np.isin(batch.x, search.required)
        if not idle.any():
            search.trace.kept(batch)
            return
        remove_weakest(search, boundary, batch.take(idle))


def admit(search: LocalSearch, boundary: list[int], result: IndependenceResult) -> None:
    """Make a candidate a member."""
    boundary.append(result.x)
    search.trace.admitted(result)
    search.trace.progressed("growing", len(boundary))


def remove_weakest(search: LocalSearch, boundary: list[int], idle: IndependenceBatch) -> None:
    """Of several members that may go, remove the least dependent."""
    weakest = idle[int(idle.by_strength(search.test.name_rank)[-1])]
    boundary.remove(weakest.x)
    search.trace.removed(weakest)
    search.trace.progressed("shrinking", len(boundary))
