"""Spouses: variables that are separated from the target until a shared child is given."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from eiderdown.boundary.neighbours import Neighbourhoods
from eiderdown.boundary.search import Found, LocalSearch
from eiderdown.independence import IndependenceResult

Proof: TypeAlias = tuple[IndependenceResult, int]
"""A test in which a spouse depends on the target, and the child that makes it so."""

Rule: TypeAlias = Callable[[LocalSearch, IndependenceResult, Sequence[int]], Proof | None]
"""Looks for a proof, given the test that separated X from the target and possible children."""


def add_spouses(search: LocalSearch, around: Neighbourhoods, *, mutual: bool = True) -> Found:
    """Add every X near a neighbour Y that depends on the target given Y and Sep[X].

    Pena et al. (2007), table 5, where Sep[X] is what separated X from the target. With ``mutual``
    Y must also be near X; else X may be a descendant of Y, but then it does not pass the test.
    """
    adjacent = around.neighbours(search.target, symmetric=True)
    near = {y: around.neighbours(y, symmetric=mutual) for y in adjacent}
    children = {x: [y for y in adjacent if x in near[y]] for y in adjacent for x in near[y]}
    return _with_spouses(search, around, adjacent, children, some_child)


def add_spouses_uncorrected(search: LocalSearch, around: Neighbourhoods, rule: Rule) -> Found:
    """Add every X near a neighbour that passes a rule about all neighbours of the target.

    The algorithms of 2003, which did not ask whether neighbours are mutual, nor whether X is
    adjacent to the Y that makes it dependent.
    """
    adjacent = around.neighbours(search.target, symmetric=False)
    near = [x for y in adjacent for x in around.neighbours(y, symmetric=False)]
    return _with_spouses(search, around, adjacent, dict.fromkeys(near, adjacent), rule)


def some_child(
    search: LocalSearch, separation: IndependenceResult, children: Sequence[int]
) -> Proof | None:
    """Accept X if some Y has dep(T; X | Sep[X] u {Y})."""
    for y in children:
        result = given_child(search, separation, y)
        if result is not None and result.dependent(search.alpha):
            return result, y
    return None


def every_child(
    search: LocalSearch, separation: IndependenceResult, children: Sequence[int]
) -> Proof | None:
    """Accept X unless some Y has ind(T; X | Sep[X] u {Y}), a Y in Sep[X] among them."""
    if set(children) & set(separation.given):
        return None
    proofs = [(result, y) for y in children if (result := given_child(search, separation, y))]
    if any(result.independent(search.alpha) for result, _ in proofs):
        return None
    told = [proof for proof in proofs if proof[0].reliable]
    return max(told, key=lambda proof: proof[0].log_p, default=None)


def given_child(
    search: LocalSearch, separation: IndependenceResult, child: int
) -> IndependenceResult | None:
    """Test X against the target given Sep[X] and a child; None if that is no test to make."""
    given = separation.given
    if child in given or (search.max_given is not None and len(given) >= search.max_given):
        return None
    return search.test.test(separation.x, search.target, [*given, child])


def _with_spouses(
    search: LocalSearch,
    around: Neighbourhoods,
    adjacent: list[int],
    children: dict[int, list[int]],
    rule: Rule,
) -> Found:
    spouses: dict[int, int] = {}
    candidates = children.keys() - {search.target, *adjacent}
    for x in sorted(candidates, key=search.test.name_rank.__getitem__):
        separation = around.separation(search.target, x)
        proof = None if separation is None else rule(search, separation, children[x])
        if proof is not None:
            spouses[x] = proof[1]
            search.trace.admitted(proof[0])
            search.trace.progressed("adding spouses", len(adjacent) + len(spouses))
    members = (*adjacent, *spouses)
    return Found(members, parents_children=tuple(adjacent), spouses=spouses)
