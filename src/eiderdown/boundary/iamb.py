"""IAMB: incremental association Markov boundary; inter-IAMB shrinks after every addition.

Tsamardinos, Aliferis & Statnikov (2003), "Algorithms for large scale Markov blanket discovery";
IAMB in the form of Pena, Nilsson, Bjorkegren & Tegner (2007), table 1, which runs the growing and
the shrinking phase in turns until nothing changes.

Differences from the papers: candidates are ranked by log p, then by statistic, then by name; the
shrinking phase removes the least dependent member first instead of the first in the table; tests
that the data cannot carry neither admit nor remove.
"""

from __future__ import annotations

from eiderdown.boundary.grow_shrink import grow, grow_by_one, in_turns, shrink
from eiderdown.boundary.search import Found, LocalSearch


def iamb(search: LocalSearch) -> Found:
    """Find a Markov boundary by adding the strongest, then removing the idle."""
    return Found(tuple(in_turns(search, grow, shrink)))


def inter_iamb(search: LocalSearch) -> Found:
    """Find a Markov boundary by IAMB with a shrinking phase after every addition."""
    return Found(tuple(in_turns(search, grow_by_one, shrink)))
