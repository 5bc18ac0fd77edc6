"""IAMBnPC and inter-IAMBnPC: IAMB whose shrinking phase is the PC algorithm.

Tsamardinos, Aliferis & Statnikov (2003), "Algorithms for large scale Markov blanket discovery".
The growing phase gathers a blanket; PC among its members and the target then conditions on small
sets instead of on everything else. The target's neighbours in that graph stay, and so do spouses,
T -> C <- S. (Removing whatever some subset separates from T would lose every spouse.)

Differences from the papers: those of IAMB; a spouse whose test given the shared child contradicts
the v-structure is removed; inter-IAMBnPC, where PC throws out what the growing phase brings in over
and over, goes on without shrinking in between.
"""

from __future__ import annotations

from eiderdown.boundary.grow_shrink import begin, grow, grow_by_one
from eiderdown.boundary.pc_among import SeparatedGraph, pc_among
from eiderdown.boundary.search import Found, LocalSearch
from eiderdown.independence import IndependenceBatch, IndependenceResult


def iamb_npc(search: LocalSearch) -> Found:
    """Find a Markov boundary by adding the strongest, then shrinking by PC."""
    boundary = begin(search)
    grow(search, boundary)
    return shrink_by_pc(search, boundary)


def inter_iamb_npc(search: LocalSearch) -> Found:
    """Find a Markov boundary by adding the strongest, shrinking by PC after every addition."""
    found = shrink_by_pc(search, begin(search))
    seen: set[frozenset[int]] = set()
    while frozenset(found.members) not in seen:
        seen.add(frozenset(found.members))
        boundary = list(found.members)
        if not grow_by_one(search, boundary):
            return found
        found = shrink_by_pc(search, boundary)
    boundary = list(found.members)
    grow(search, boundary)
    return shrink_by_pc(search, boundary)


def shrink_by_pc(search: LocalSearch, blanket: list[int]) -> Found:
    """Keep the neighbours and the spouses of the target in the PC graph of it and a blanket."""
    target, everyone = search.target, [search.target, *blanket]
    graph = pc_among(search.test, everyone, alpha=search.alpha, max_given=search.max_subset)
    neighbours = [x for x in blanket if x in graph.adjacent[target]]
    proofs = _proofs_of_spouses(search, graph, [x for x in blanket if x not in neighbours])
    kept = [x for x in blanket if x in neighbours or x in proofs or x in search.required]
    search.trace.kept(_weakest_tests(search, neighbours))
    for x in blanket:
        if x in neighbours:
            continue
        result = proofs[x][1] if x in proofs else graph.separation(x, target)
        if x in kept:
            search.trace.kept(IndependenceBatch.of([result]))
        else:
            search.trace.removed(result)
    search.trace.progressed("shrinking", len(kept))
    spouses = {x: child for x, (child, _) in proofs.items()}
    return Found(tuple(kept), parents_children=tuple(neighbours), spouses=spouses)


def _weakest_tests(search: LocalSearch, neighbours: list[int]) -> IndependenceBatch:
    """Return the weakest test of each neighbour given some of the others."""
    return search.test.max_p_over_subsets(
        neighbours, search.target, neighbours, alpha=search.alpha, max_given=search.max_subset
    )


def _proofs_of_spouses(
    search: LocalSearch, graph: SeparatedGraph, apart: list[int]
) -> dict[int, tuple[int, IndependenceResult]]:
    """Find a child C for every S with T -> C <- S, unless ind(S; T | what separated them u {C})."""
    proofs: dict[int, tuple[int, IndependenceResult]] = {}
    for x in apart:
        separating = graph.separation(x, search.target).given
        children = graph.colliders(x, search.target)
        for child in sorted(children, key=search.test.name_rank.__getitem__):
            if not search.allows(len(separating) + 1):
                continue
            result = search.test.test(x, search.target, [*separating, child])
            if not result.independent(search.alpha):
                proofs[x] = child, result
                break
    return proofs
