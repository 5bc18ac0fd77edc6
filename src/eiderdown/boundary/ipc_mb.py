"""IPC-MB: iterative parents and children based Markov boundary.

Fu & Desmarais (2008). It goes the other way round: everybody is a neighbour until a subset of the
others separates it from the target, and small subsets are tried before large ones.

Differences from the paper: the size of the subsets grows until there are too few neighbours left,
even if one size removes nobody.
"""

from __future__ import annotations

from eiderdown.boundary.neighbours import (
    Neighbourhood,
    Neighbourhoods,
    OpenCandidates,
    admit,
    start,
)
from eiderdown.boundary.search import Found, LocalSearch
from eiderdown.boundary.spouses import add_spouses


def recognise_pc(search: LocalSearch) -> Neighbourhood:
    """Find parents, children and some descendants, from all candidates down."""
    found = start(search)
    open_ = OpenCandidates.of(search, found)
    # For cut sets of 1, 2, ... members of ADJ: remove X if ind(X; T | S) for some such S. Who is
    # separated leaves ADJ after the round; smaller cut sets were tried in the round before.
    for size in range(1, search.max_subset + 1):
        adjacent = [*found.members, *open_.tests.x.tolist()]
        if len(adjacent) <= size:
            break
        open_ = open_.tried_up_to(size, adjacent)
        search.trace.progressed("shrinking", len(found.members) + len(open_.tests))
    for result in open_.strongest_first():
        admit(search, found, result)
    return found


def ipc_mb(search: LocalSearch) -> Found:
    """Find the Markov boundary from all candidates down, then spouses."""
    return add_spouses(search, Neighbourhoods(search, recognise_pc), mutual=False)
