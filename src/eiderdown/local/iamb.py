"""IAMB: incremental association Markov boundary.

Tsamardinos, Aliferis & Statnikov (2003), in the form of Pena, Nilsson, Bjorkegren & Tegner (2007),
table 1, which runs the growing and the shrinking phase in turns until nothing changes.

Differences from the papers: candidates are ranked by log p, then by statistic, then by name; the
shrinking phase removes the least dependent member first instead of the first in the table; tests
that the data cannot carry neither admit nor remove.
"""

from __future__ import annotations

import numpy as np

from eiderdown.local.search import Found, LocalSearch


def iamb(search: LocalSearch) -> Found:
    """Find a Markov boundary by adding the strongest, then removing the idle."""
    boundary = list(search.required)
    seen: set[frozenset[int]] = set()
    while frozenset(boundary) not in seen:
        seen.add(frozenset(boundary))
        grow(search, boundary)
        shrink(search, boundary)
    return Found(tuple(boundary))


def grow(search: LocalSearch, boundary: list[int]) -> None:
    """Repeat: Y = argmax assoc(T; X | MB); if dep(T; Y | MB) add Y; until no change."""
    while search.max_given is None or len(boundary) <= search.max_given:
        outside = search.outside(boundary)
        if len(outside) == 0:
            return
        batch = search.sweep(outside, boundary)
        best = batch.strongest(search.test.name_rank)
        if best is None or not best.dependent(search.alpha):
            search.trace.not_admitted(batch)
            return
        boundary.append(best.x)
        search.trace.admitted(best)
        search.trace.progressed("growing", len(boundary))


def shrink(search: LocalSearch, boundary: list[int]) -> None:
    """For X in MB: if ind(T; X | MB minus X) remove X; the least dependent first."""
    while boundary:
        batch = search.test.each_given_rest(boundary, search.target)
        idle = batch.independent(search.alpha) & ~np.isin(batch.x, search.required)
        if not idle.any():
            search.trace.kept(batch)
            return
        candidates = batch.take(idle)
        weakest = candidates[int(candidates.by_strength(search.test.name_rank)[-1])]
        boundary.remove(weakest.x)
        search.trace.removed(weakest)
        search.trace.progressed("shrinking", len(boundary))
