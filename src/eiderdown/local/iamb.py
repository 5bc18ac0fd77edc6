"""IAMB: incremental association Markov boundary.

Tsamardinos, Aliferis & Statnikov (2003), in the form of Pena, Nilsson, Bjorkegren & Tegner (2007),
table 1, which runs the growing and the shrinking phase in turns until nothing changes.

Differences from the papers: candidates are ranked by log p, then by statistic, then by name; the
shrinking phase removes the least dependent member first instead of the first in the table; tests
that the data cannot carry neither admit nor remove.
"""

from __future__ import annotations

import numpy as np

from eiderdown.arrays import IntArray
from eiderdown.independence import IndependenceTest
from eiderdown.local.trace import Trace


def iamb(
    test: IndependenceTest,
    target: int,
    *,
    candidates: IntArray,
    alpha: float,
    max_given: int | None = None,
    trace: Trace,
) -> tuple[int, ...]:
    """Find the Markov boundary of a target by adding the strongest, then removing the idle.

    Parameters
    ----------
    test : IndependenceTest
        The evidence.
    target : int
        Whose boundary.
    candidates : IntArray
        Variables that may be in it.
    alpha : float
        Level of the tests.
    max_given : int or None
        Largest conditioning set; None for no limit.
    trace : Trace
        Who listens.

    Returns
    -------
    tuple of int
        The members, in order of admission.
    """
    boundary: list[int] = []
    seen: set[frozenset[int]] = set()
    while frozenset(boundary) not in seen:
        seen.add(frozenset(boundary))
        _grow(test, target, boundary, candidates, alpha, max_given, trace)
        _shrink(test, target, boundary, alpha, trace)
    return tuple(boundary)


def _grow(
    test: IndependenceTest,
    target: int,
    boundary: list[int],
    candidates: IntArray,
    alpha: float,
    max_given: int | None,
    trace: Trace,
) -> None:
    """Repeat: Y = argmax assoc(T; X | MB); if dep(T; Y | MB) add Y; until no change."""
    while max_given is None or len(boundary) <= max_given:
        outside = candidates[~np.isin(candidates, boundary)]
        if len(outside) == 0:
            return
        batch = test.sweep(outside, target, boundary)
        best = batch.strongest(test.name_rank)
        if best is None or not best.dependent(alpha):
            trace.not_admitted(batch)
            return
        boundary.append(best.x)
        trace.admitted(best)
        trace.progressed("growing", len(boundary))


def _shrink(
    test: IndependenceTest, target: int, boundary: list[int], alpha: float, trace: Trace
) -> None:
    """For X in MB: if ind(T; X | MB minus X) remove X; the least dependent first."""
    while boundary:
        batch = test.each_given_rest(boundary, target)
        idle = np.flatnonzero(batch.independent(alpha))
        if len(idle) == 0:
            trace.kept(batch)
            return
        order = batch.by_strength(test.name_rank)
        weakest = batch[int(order[np.isin(order, idle)][-1])]
        boundary.remove(weakest.x)
        trace.removed(weakest)
        trace.progressed("shrinking", len(boundary))
