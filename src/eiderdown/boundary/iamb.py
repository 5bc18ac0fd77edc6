"""IAMB: incremental association Markov boundary; inter-IAMB shrinks after every addition.

Tsamardinos, Aliferis & Statnikov (2003), "Algorithms for large scale Markov blanket discovery";
IAMB in the form of Pena, Nilsson, Bjorkegren & Tegner (2007), table 1, which runs the growing and
the shrinking phase in turns until nothing changes.

Differences from the papers: candidates are ranked by log p, then by statistic, then by name; the
shrinking phase removes the least dependent member first instead of the first in the table; tests
with insufficient data neither admit nor remove.
"""

from __future__ import annotations

from eiderdown.boundary.grow_shrink import grow, shrink, until_a_boundary_returns
from eiderdown.boundary.problem import MARKOV_BOUNDARY, Found, TestProblem, best_so_far
from eiderdown.registry import Algorithm


def iamb(problem: TestProblem) -> Found:
    """Find a Markov boundary by adding the strongest, then removing what is redundant."""
    with best_so_far(problem) as found:
        found.require(problem)
        for _ in until_a_boundary_returns(found):
            # Growing: Y = argmax assoc(T; X | MB); while dep(T; Y | MB), MB = MB u {Y}.
            while grow(problem, found):
                pass
            # Shrinking: for X in MB, if ind(T; X | MB minus X), MB = MB minus X.
            shrink(problem, found)
    return found


def inter_iamb(problem: TestProblem) -> Found:
    """Find a Markov boundary by IAMB with a shrinking phase after every addition."""
    with best_so_far(problem) as found:
        found.require(problem)
        for _ in until_a_boundary_returns(found):
            # As IAMB, but one Y at a time.
            grow(problem, found)
            shrink(problem, found)
    return found


IAMB = Algorithm(
    iamb,
    "Adds the strongest variable given the members, then removes the redundant.",
    paper="Tsamardinos, Aliferis & Statnikov 2003 (FLAIRS); "
    "Pena, Nilsson, Bjorkegren & Tegner 2007, table 1",
    returns=MARKOV_BOUNDARY,
    assumes=("composition",),
)
INTER_IAMB = Algorithm(
    inter_iamb,
    "IAMB that removes the redundant after every addition.",
    paper="Tsamardinos, Aliferis & Statnikov 2003 (FLAIRS)",
    returns=MARKOV_BOUNDARY,
    assumes=("composition",),
)
