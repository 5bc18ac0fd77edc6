"""Spouses: variables that are separated from the target until a shared child is given."""

from __future__ import annotations

from eiderdown.independence import IndependenceResult
from eiderdown.local.neighbours import Neighbourhoods
from eiderdown.local.search import Found, LocalSearch


def add_spouses(search: LocalSearch, around: Neighbourhoods, *, corrected: bool) -> Found:
    """Add every X near a neighbour Y that depends on the target given Y and what separated it.

    Corrected: Y must be adjacent to X (Pena et al. 2007, table 5, line 6). Uncorrected: any Y among
    the target's neighbours will do (Tsamardinos et al. 2003, figure 2).
    """
    adjacent = around.neighbours(search.target, symmetric=corrected)
    near = {y: around.neighbours(y, symmetric=corrected) for y in adjacent}
    spouses: dict[int, int] = {}
    candidates = {x for y in adjacent for x in near[y]} - {search.target, *adjacent}
    for x in sorted(candidates, key=search.test.name_rank.__getitem__):
        if x not in search.candidates:
            continue
        children = [y for y in adjacent if x in near[y]] if corrected else adjacent
        proof = _becomes_dependent(search, around, x, children)
        if proof is not None:
            spouses[x] = proof[1]
            search.trace.admitted(proof[0])
            search.trace.progressed("adding spouses", len(adjacent) + len(spouses))
    members = (*adjacent, *spouses)
    return Found(members, parents_children=tuple(adjacent), spouses=spouses)


def _becomes_dependent(
    search: LocalSearch, around: Neighbourhoods, x: int, children: list[int]
) -> tuple[IndependenceResult, int] | None:
    """Find a child Y with dep(T; X | Z u {Y}), where Z separated T and X."""
    separation = around.separation(search.target, x)
    if separation is None:
        return None
    for y in children:
        if y in separation.given:
            continue
        result = search.test.test(x, search.target, [*separation.given, y])
        if result.dependent(search.alpha):
            return result, y
    return None
