"""HITON: parents and children in the order of their association, and the boundary built on them.

HITON-PC and HITON-MB: Aliferis, Tsamardinos & Statnikov (2003). Semi-interleaved HITON-PC and the
correction by symmetry: Aliferis, Statnikov, Tsamardinos, Mani & Koutsoukos (2010).

Differences from the papers: an open candidate is tried against the new subsets after every
addition, not when its turn comes, so that all candidates share one batch; a candidate that such a
subset separates is out, even if a variable of that subset is removed later.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

from eiderdown.boundary.neighbours import (
    Neighbourhood,
    Neighbourhoods,
    OpenCandidates,
    neighbourhood,
)
from eiderdown.boundary.search import Found, LocalSearch
from eiderdown.boundary.spouses import add_spouses, add_spouses_uncorrected, every_child
from eiderdown.errors import OptionError

Interleaving: TypeAlias = Literal["full", "semi"]


def hiton_pcd(search: LocalSearch) -> Neighbourhood:
    """Find parents and children, and sometimes a few descendants (DAG (a) of the docs)."""
    # Candidates in the order of assoc(X; T | {}); after each addition remove every member that
    # some subset of the others separates from T.
    return neighbourhood(search, OpenCandidates.first, interleaved=True)


def semi_hiton_pcd(search: LocalSearch) -> Neighbourhood:
    """As :func:`hiton_pcd`, but members are removed only after the last addition."""
    return neighbourhood(search, OpenCandidates.first, interleaved=False)


def hiton_pc(
    search: LocalSearch, *, corrected: bool = True, interleaving: Interleaving = "full"
) -> Found:
    """Find parents and children in the order of their association with the target.

    Parameters
    ----------
    search : LocalSearch
        The question.
    corrected : bool
        Keep X only if the target is also among X's; without it, the algorithm of 2003.
    interleaving : {"full", "semi"}
        Whether members are removed after every addition or only in the end; newcomers are tried
        against the members in both.
    """
    around = _around(search, interleaving)
    members = around.neighbours(search.target, symmetric=corrected)
    return Found(tuple(members), parents_children=tuple(members))


def hiton_mb(
    search: LocalSearch, *, corrected: bool = True, interleaving: Interleaving = "full"
) -> Found:
    """Find a Markov boundary: HITON-PC, then spouses.

    Parameters
    ----------
    search : LocalSearch
        The question.
    corrected : bool
        Use corrected parents and children, and ask of a spouse only a child it is adjacent to;
        without it, the algorithm of 2003, which may lose spouses and add descendants.
    interleaving : {"full", "semi"}
        As in :func:`hiton_pc`.
    """
    around = _around(search, interleaving)
    if corrected:
        return add_spouses(search, around)
    # Drop X if some Y in PC has ind(T; X | {Y} u S), where S separated T and X.
    return add_spouses_uncorrected(search, around, every_child)


def _around(search: LocalSearch, interleaving: Interleaving) -> Neighbourhoods:
    find = {"full": hiton_pcd, "semi": semi_hiton_pcd}.get(interleaving)
    if find is None:
        raise OptionError(f"interleaving must be 'full' or 'semi', not {interleaving!r}.")
    return Neighbourhoods(search, find)
