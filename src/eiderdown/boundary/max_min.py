"""Max-min parents and children, and the boundary built on them.

MMPC-bar and MMMB: Tsamardinos, Aliferis & Statnikov (2003), figures 2 and 3. The correction by
symmetry: Tsamardinos, Brown & Aliferis (2006), called CMMPC by Pena et al. (2007).
"""

from __future__ import annotations

from eiderdown.boundary.neighbours import (
    Neighbourhood,
    Neighbourhoods,
    OpenCandidates,
    neighbourhood,
)
from eiderdown.boundary.search import Found, LocalSearch
from eiderdown.boundary.spouses import add_spouses, add_spouses_uncorrected, some_child


def mmpc_bar(search: LocalSearch) -> Neighbourhood:
    """Find parents and children, and sometimes a few descendants (DAG (a) of the docs)."""
    # Forward: add the X with the greatest minimum association over all subsets of CPC.
    # Backward, in the end: remove X if ind(X; T | S) for some subset S of CPC without X.
    return neighbourhood(search, OpenCandidates.strongest, interleaved=False)


def mmpc(search: LocalSearch, *, corrected: bool = True) -> Found:
    """Find parents and children by max-min.

    Parameters
    ----------
    search : LocalSearch
        The question.
    corrected : bool
        Keep X only if the target is also among X's; without it, MMPC-bar.
    """
    around = Neighbourhoods(search, mmpc_bar)
    members = around.neighbours(search.target, symmetric=corrected)
    return Found(tuple(members), parents_children=tuple(members))


def mmmb(search: LocalSearch, *, corrected: bool = True) -> Found:
    """Find a Markov boundary: max-min parents and children, then spouses.

    Parameters
    ----------
    search : LocalSearch
        The question.
    corrected : bool
        Use corrected parents and children, and accept a spouse only for a child it is adjacent to;
        without it, the algorithm as published in 2003, which may add too many.
    """
    around = Neighbourhoods(search, mmpc_bar)
    if corrected:
        return add_spouses(search, around)
    return add_spouses_uncorrected(search, around, some_child)
