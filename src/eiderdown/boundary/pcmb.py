"""PCMB: parents and children based Markov boundary, and its randomised form KPCMB.

Pena, Nilsson, Bjorkegren & Tegner (2007), tables 3 to 5: GetPCD finds parents, children and some
descendants; GetPC corrects it by symmetry; PCMB adds the spouses.
"""

from __future__ import annotations

from functools import partial

from eiderdown.boundary.neighbours import (
    Neighbourhood,
    Neighbourhoods,
    OpenCandidates,
    neighbourhood,
)
from eiderdown.boundary.search import Found, LocalSearch
from eiderdown.boundary.spouses import add_spouses
from eiderdown.errors import OptionError
from eiderdown.independence import IndependenceResult


def get_pcd(search: LocalSearch, *, fraction: float = 1.0) -> Neighbourhood:
    """Find parents, children and some descendants.

    Parameters
    ----------
    search : LocalSearch
        The question.
    fraction : float
        Step 2 takes the best of a random share of the candidates; 1 takes the best of all.
    """

    def best(open_: OpenCandidates) -> IndependenceResult | None:
        if fraction >= 1.0:
            return open_.strongest()
        return open_.tests.strongest_of_some(search.test.name_rank, fraction, search.generator)

    # (1) Sep[X] = argmin assoc(T; X | Z) over Z in PCD; candidates that it separates are out.
    # (2) the candidate that depends most on T given its own Sep comes in.
    # (3) the same as (1) for the members; only subsets with the newest are new to any of them.
    return neighbourhood(search, best, interleaved=True)


def get_pc(search: LocalSearch) -> Found:
    """Find exactly the parents and children, under faithfulness."""
    members = Neighbourhoods(search, get_pcd).neighbours(search.target, symmetric=True)
    return Found(tuple(members), parents_children=tuple(members))


def pcmb(search: LocalSearch) -> Found:
    """Find the Markov boundary: GetPC, then spouses through GetPC of each neighbour."""
    return add_spouses(search, Neighbourhoods(search, get_pcd))


def kpcmb(search: LocalSearch, *, fraction: float = 0.8) -> Found:
    """PCMB that adds the best of a random share of the candidates.

    Parameters
    ----------
    search : LocalSearch
        The question; its generator makes the choices.
    fraction : float
        The paper's K: the share of candidates to choose from, from 0 (one at random) to 1 (PCMB).
    """
    if not 0.0 <= fraction <= 1.0:
        raise OptionError(
            f"fraction must be between 0 (any open candidate) and 1 (the best), not {fraction!r}."
        )
    return add_spouses(search, Neighbourhoods(search, partial(get_pcd, fraction=fraction)))
